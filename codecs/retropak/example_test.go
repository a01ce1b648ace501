package retropak_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/retropak"
)

// Entries of these paks have ids and types, and names are apart from them.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "Worlds.pak")

	err = codecs.WriteFile(ctx, path, retropak.Format(), &codecs.CreateOptions{Version: "MP1"}, func(w codecs.Writer) error {
		asset := codecs.ID32(0x1A2B3C4D)
		err := w.Add(ctx, &codecs.Entry{Type: "STRG", ID: asset}, strings.NewReader("Welcome to the bridge."))
		if names, ok := codecs.WriterAs[codecs.NameWriter](w); ok {
			err = errors.Join(err, names.AddName(codecs.NamedResource{Name: "Greeting", Type: "STRG", ID: asset}))
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{retropak.Format()}}
	archive, err := codecs.OpenFile(ctx, path, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	for e, err := range archive.Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Type, e.ID, e.Name, e.Size)
	}
	if names, ok := codecs.ArchiveAs[codecs.Namer](archive); ok {
		for n, err := range names.Named() {
			fmt.Println(n.Name, "is", n.ID, err)
		}
	}
	// Output:
	// STRG 1a2b3c4d STRG/1a2b3c4d 32
	// Greeting is 1a2b3c4d <nil>

}
