package export

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"pakdb/internal/atomicfile"
	"pakdb/query/portable"
)

// Beside writes into a folder what helps others to read it: duckdb.sql, and metadata.json
// for Datasette, which serves the catalog of that name ("pakdb", without .db) itself.
func Beside(ctx context.Context, dir, catalog string) (err error) {
	d, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var have []*portable.View
	for _, v := range portable.Views() {
		files, err := fs.Glob(d.FS(), v.Name+"/build=*/*.parquet")
		if err != nil {
			return err
		}
		if len(files) > 0 {
			have = append(have, v)
		}
	}
	if len(have) > 0 {
		if err := save(d, "duckdb.sql", []byte(portable.DuckDB(have))); err != nil {
			return err
		}
	}
	text, err := metadata(catalog)
	if err != nil {
		return err
	}
	return save(d, "metadata.json", text)
}

// metadata returns what Datasette shows of a catalog: what views are for, and the queries
// that need no function of pakdb's.
func metadata(catalog string) ([]byte, error) {
	type object = map[string]any
	tables, queries := object{}, object{}
	for _, v := range portable.Views() {
		tables[v.Name] = object{"description": v.Doc}
	}
	library, err := portable.Queries()
	if err != nil {
		return nil, err
	}
	for name, q := range library {
		if strings.Contains(q.SQL, "path_head") {
			continue
		}
		queries[name] = object{"sql": q.SQL, "title": q.Doc}
	}
	text, err := json.MarshalIndent(object{
		"title":     "Game archives",
		"databases": object{catalog: object{"tables": tables, "queries": queries}},
	}, "", "  ")
	return append(text, '\n'), err
}
