package codecs_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs"
	"pakdb/codecs/quakepak"
	"pakdb/codecs/umod"
)

// The entries of a pak within an installer are listed after the pak itself.
func ExampleWrapNested() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	write := func(file string, format *codecs.Format, names []string, contents ...[]byte) {
		err := codecs.WriteFile(ctx, file, format, nil, func(w codecs.Writer) error {
			for i, name := range names {
				if err := w.Add(ctx, &codecs.Entry{Name: name}, bytes.NewReader(contents[i])); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	inner, outer := filepath.Join(dir, "pak0.pak"), filepath.Join(dir, "Mod.umod")
	write(inner, quakepak.Format(), []string{"maps/e1m1.bsp"}, []byte("a map"))
	pak, err := os.ReadFile(inner)
	if err != nil {
		log.Fatal(err)
	}
	write(outer, umod.Format(), []string{"Help/Mod.txt", "Data/pak0.pak"}, []byte("read me"), pak)

	registry := &codecs.Registry{Formats: []*codecs.Format{quakepak.Format(), umod.Format()}}
	archive, err := codecs.OpenFile(ctx, outer, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	for e, err := range codecs.WrapNested(ctx, archive, "Mod.umod", registry, nil).Entries() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.Name, e.Size)
	}
	// Output:
	// Help/Mod.txt 7
	// Data/pak0.pak 81
	// Data/pak0.pak!/maps/e1m1.bsp 5
}
