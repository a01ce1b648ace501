package quakepak_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/quakepak"
)

// A pak is written, and its entries are listed.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "pak0.pak")

	err = codecs.WriteFile(ctx, path, quakepak.Format(), nil, func(w codecs.Writer) error {
		err := w.Add(ctx, &codecs.Entry{Name: "maps/e1m1.bsp"}, strings.NewReader("a map"))
		return errors.Join(err, w.Add(ctx, &codecs.Entry{Name: "gfx/palette.lmp"}, strings.NewReader("a palette")))
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{quakepak.Format()}}
	archive, err := codecs.OpenFile(ctx, path, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	fmt.Println(archive.Info().Format, archive.Info().Version)
	for e, err := range archive.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Ordinal, e.Name, e.Size)
	}
	// Output:
	// quakepak PACK
	// 0 maps/e1m1.bsp 5
	// 1 gfx/palette.lmp 9
}
