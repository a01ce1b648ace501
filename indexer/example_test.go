package indexer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/schema"
)

// An archive is scanned into a new catalog.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	catalog, err := schema.Open(ctx, filepath.Join(dir, "game.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = catalog.Close() }()
	report, err := indexer.Run(ctx, indexer.Options{
		Catalog:  catalog,
		Registry: all.Registry(),
		Paths:    []string{"../testdata/Calligraphy.sip"},
		Label:    "1.0",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Build, report.Archives, report.Entries, report.Size, report.Problems)
	// Output: 1.0 1 37 5474 0
}
