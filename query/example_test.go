package query_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/query"
	"pakdb/schema"
)

// A catalog answers SQL; it is never written to.
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
	_, err = indexer.Run(ctx, indexer.Options{Catalog: catalog, Registry: all.Registry(), Paths: []string{"../testdata/Calligraphy.sip"}, Label: "1.0"})
	if err != nil {
		log.Fatal(err)
	}
	if err := catalog.Close(); err != nil {
		log.Fatal(err)
	}

	db, err := query.Open(ctx, path, query.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	sql := "SELECT ext, count(*) AS n FROM entries WHERE size > $least GROUP BY ext ORDER BY n DESC, ext LIMIT 3"
	args := query.Args{Named: map[string]driver.Value{"least": int64(100)}}
	if err := db.Run(ctx, sql, args, query.Output{W: os.Stdout, Format: "csv"}); err != nil {
		log.Fatal(err)
	}
	largest, err := db.Texts(ctx, "SELECT path FROM entries ORDER BY size DESC LIMIT 1")
	fmt.Println(largest, err)
	// Output:
	// ext,n
	// blueprint,4
	// directory,4
	// curve,3
	// [Calligraphy/Prototype.directory] <nil>
}
