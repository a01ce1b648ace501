package query_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"pakdb/internal/family"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"
)

// number is a row of table property.
type number struct{ name, value int64 }

// BenchmarkValues asks a catalog of a million values, in 2,000 packages, for a field
// and a range of its numbers, and for the values of a package.
func BenchmarkValues(b *testing.B) {
	path := filepath.Join(b.TempDir(), "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	bd, err := schematest.Begin(context.Background(), c, "1")
	if err != nil {
		b.Fatal(err)
	}
	const packages, each, names = 2000, 500, 400
	texts := []string{"Actor", "Object"}
	for i := range names {
		texts = append(texts, fmt.Sprintf("Field%d", i))
	}
	exports := family.NewTable("value_export", "ordinal", family.TextColumn("class_id", func(*number) int32 { return 0 }),
		family.TextColumn("object_id", func(*number) int32 { return 1 }), family.ValueColumn("status", func(*number) any { return int64(0) })).OfSet()
	values := family.NewTable("property", "seq", family.ValueColumn("export", func(*number) any { return int64(0) }),
		family.TextColumn("name_id", func(n *number) int32 { return int32(n.name) }), family.WordColumn("type_id", func(*number) int32 { return 0 }),
		family.ValueColumn("value", func(n *number) any { return n.value }), family.ValueColumn("flags", func(*number) any { return int64(0) })).OfSet()
	id := schematest.Start(b, bd, schema.Archive{Format: "test", Scan: "test"})
	for i := range packages {
		rows := make([]number, each)
		for k := range rows {
			rows[k] = number{2 + int64(k%names), int64(i*each+k) * 7919 % 100_003}
		}
		name := fmt.Sprintf("Game/Dir%d/P%d.uasset", i%40, i)
		err := bd.Add(id, &schema.Entry{Ordinal: int64(i), Name: name, Method: "none", HasContent: true, Content: schema.Digest{byte(i), byte(i >> 8), 1}, ContentSize: 100,
			ExportsOf: &schema.Package{Path: name, Name: fmt.Sprintf("/Game/Dir%d/P%d", i%40, i)},
			Values: &schema.Values{Reader: "test/1", Engine: 427, Exports: 1, Exact: 1, Fields: each,
				Rows: &family.Batch{Words: []string{"Int"}, Texts: texts, Rows: []family.Rows{exports.Rows(number{}), values.Rows(rows...)}}}})
		if err != nil {
			b.Fatal(err)
		}
	}
	bd.EndArchive(id, nil)
	bd.Mount(schema.Mount{Archive: id, Name: "a.tst", Location: "/absent"})
	if _, err := bd.Finish(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	db, err := query.Open(context.Background(), path, query.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for name, text := range map[string]string{
		"name and number":  "SELECT path, export, field, value FROM properties WHERE build = '1' AND name = 'Field7' AND number > 99000",
		"values of a path": "SELECT export, field, value FROM properties WHERE build = '1' AND path = 'Game/Dir7/P47.uasset'",
		"all of a name":    "SELECT count(*), max(number) FROM properties WHERE build = '1' AND name = 'Field7'",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := run(b, db, text, query.Args{}, query.Output{Format: "csv"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
