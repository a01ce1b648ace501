package umod_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/umod"
)

// A package is compressed for a redirect server, and read again.
func Example_uz() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "Mod.u.uz2")

	err = codecs.WriteFile(ctx, path, umod.UzFormat(), nil, func(w codecs.Writer) error {
		return w.Add(ctx, &codecs.Entry{Name: "Mod.u"}, strings.NewReader(strings.Repeat("a package ", 100)))
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{umod.UzFormat()}}
	archive, err := codecs.OpenFile(ctx, path, registry, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	files, err := codecs.FS(ctx, archive)
	if err != nil {
		log.Fatal(err)
	}
	content, err := files.ReadFile("Mod.u")
	fmt.Println(archive.Format.Name, len(content), "bytes; less than 100 on disk:", archive.Size < 100, err)
	// Output: uz2 1000 bytes; less than 100 on disk: true <nil>

}
