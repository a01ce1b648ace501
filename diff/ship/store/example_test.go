package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// A build is published as files for a web server, and a folder brought to it. The
// server may as well be a folder.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	new, err := delta.OpenFiles([]string{"../../../testdata/Calligraphy_next.sip"})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = new.Close() }()
	new.Inputs[0].Name = "Calligraphy.sip" // as the game calls it
	server, game := filepath.Join(dir, "server"), filepath.Join(dir, "game")
	if _, err := publish.Publish(ctx, server, "1.1", new.Inputs, &publish.Options{Registry: all.Registry()}); err != nil {
		log.Fatal(err)
	}

	old, err := os.ReadFile("../../../testdata/Calligraphy.sip")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.MkdirAll(game, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(game, "Calligraphy.sip"), old, 0o644); err != nil {
		log.Fatal(err)
	}
	remote, err := update.OpenRemote(server, update.RemoteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	folder, plan, err := update.Prepare(ctx, remote, game, update.Options{Registry: all.Registry()})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	if err := folder.Apply(ctx, plan, nil); err != nil {
		log.Fatal(err)
	}
	now, err := os.ReadFile(filepath.Join(game, "Calligraphy.sip"))
	if err != nil {
		log.Fatal(err)
	}
	want, err := os.ReadFile("../../../testdata/Calligraphy_next.sip")
	fmt.Println(plan.Build, string(now) == string(want), err)
	// Output: 1.1 true <nil>
}
