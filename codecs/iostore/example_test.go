package iostore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
)

// A container is written, a .utoc and a .ucas beside it, and one path opens both.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "Game.utoc")

	err = codecs.WriteFile(ctx, path, iostore.Format(), nil, func(w codecs.Writer) error {
		return w.Add(ctx, &codecs.Entry{Name: "Game/Content/Arena.umap"}, strings.NewReader("a map"))
	})
	if err != nil {
		log.Fatal(err)
	}

	registry := &codecs.Registry{Formats: []*codecs.Format{iostore.Format()}}
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
	// Output: ExportBundleData 6c7569d9c3742a5d00000001 Game/Content/Arena.umap 5

}
