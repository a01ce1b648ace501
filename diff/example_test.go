package diff_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs/all"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/schema"
)

// Two builds are compared from their catalog; their archives are not read again.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "game.db")
	catalog, err := schema.Open(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	for label, archive := range map[string]string{"1.0": "../testdata/Calligraphy.sip", "1.1": "../testdata/Calligraphy_next.sip"} {
		_, err := indexer.Run(ctx, indexer.Options{Catalog: catalog, Registry: all.Registry(), Paths: []string{archive}, Label: label})
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := catalog.Close(); err != nil {
		log.Fatal(err)
	}

	db, err := schema.OpenReadOnly(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	result, err := diff.Compare(ctx, db, "1.0", "1.1", diff.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for change, err := range result.Changes(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if change.Kind&(diff.Added|diff.Removed) != 0 {
			fmt.Println(change.Kind, change.Name())
		}
	}
	// Output:
	// added Calligraphy/Powers/Curves/ShieldByRank.curve
	// added Calligraphy/Powers/Player/Aegis/Shield.prototype
	// removed Calligraphy/Regions/Harbor/CanneryBoss.prototype
}
