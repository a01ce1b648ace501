package delta_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/delta/maker"
)

// A patch is made from one archive to another, and applied as a launcher would.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	const oldFile, newFile = "../../../testdata/Calligraphy.sip", "../../../testdata/Calligraphy_next.sip"
	old, err := delta.OpenFiles([]string{oldFile})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	new, err := delta.OpenFiles([]string{newFile})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = new.Close() }()
	patch := filepath.Join(dir, "update.pkdelta")
	_, _, err = maker.MakeFile(ctx, patch, old.Inputs, new.Inputs, &maker.MakeOptions{Registry: all.Registry()})
	if err != nil {
		log.Fatal(err)
	}

	plan, err := apply.NewPlan(ctx, patch, []string{oldFile}, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = plan.Close() }()
	if err := plan.Prepare(ctx, &apply.ApplyOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := plan.Apply(ctx); err != nil {
		log.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "Calligraphy_next.sip"))
	if err != nil {
		log.Fatal(err)
	}
	want, err := os.ReadFile(newFile)
	fmt.Println(string(made) == string(want), err)
	// Output: true <nil>
}
