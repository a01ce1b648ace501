package umod_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/umod"
)

// An installer is written, and its entries are listed.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "Mod.umod")

	err = codecs.WriteFile(ctx, path, umod.Format(), nil, func(w codecs.Writer) error {
		err := w.Add(ctx, &codecs.Entry{Name: "System/Mod.u"}, strings.NewReader("a package"))
		return errors.Join(err, w.Add(ctx, &codecs.Entry{Name: "Help/Mod.txt"}, strings.NewReader("read me")))
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{umod.Format()}}
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
	// umod 1
	// 0 System/Mod.u 9
	// 1 Help/Mod.txt 7

}
