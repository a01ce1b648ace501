package write_test

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"pakdb/schema"
	"pakdb/schema/internal/write"
)

// TestForgets: a first build, and one after it, write the same rows when ids are forgotten now
// and then, and are found by their keys.
func TestForgets(t *testing.T) {
	want := dump(t)
	defer write.SetMaxSeen(1000)()
	got := dump(t)
	for table := range want {
		if !reflect.DeepEqual(got[table], want[table]) {
			t.Errorf("%s has %d rows, %d without forgetting, or others", table, len(got[table]), len(want[table]))
		}
	}
}

// dump makes a catalog of two builds and returns the rows of its tables.
func dump(t *testing.T) map[string][][]any {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "c.db")
	c, err := schema.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	r, inspected := rand.New(rand.NewPCG(1, 2)), map[schema.Digest]bool{}
	for build := range 2 {
		b, err := c.Begin(ctx, fmt.Sprint(build), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		b.SetNames([]string{"a.sip"})
		a := schema.Archive{Name: "a.sip", Size: 1, Quick: schema.Digest{byte(build)}, Scan: "s", Format: "test"}
		before, err := b.EditionBefore(ctx, &a)
		if err != nil {
			t.Fatal(err)
		}
		id := b.Continue(a, before)
		for n := range 9_000 {
			number := r.IntN(8_000) // paths and contents repeat
			e := &schema.Entry{Ordinal: int64(n), Name: fmt.Sprintf("Dir%d/File%d.ext", number/100, number), Method: "lz4",
				Offset: int64(n) * 100, Stored: 50, Size: 100, HasContent: true, ContentSize: 100,
				PlaceSymbols: []schema.Symbol{{Space: "package", Name: fmt.Sprintf("Name%d", r.IntN(6_000))}}}
			binary.LittleEndian.PutUint64(e.Content[:], uint64(r.IntN(8_000+build*1000))*0x9e3779b97f4a7c15)
			if !inspected[e.Content] { // as the indexer does
				inspected[e.Content] = true
				e.Facts = &schema.Facts{Inspector: "test 1", Kind: "test",
					Refs: []schema.Ref{{Kind: "import", Space: "package", Name: fmt.Sprintf("name%d", r.IntN(6_000)), Key: r.Int64N(1000)}}}
			}
			if err := b.Add(id, e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a.sip", Location: "/a.sip"})
		if _, err := b.Finish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Check(ctx, path, func(f schema.Finding) { t.Error(f) }, func(string) {}); err != nil {
		t.Error(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	all := map[string][][]any{}
	for _, table := range rows(t, db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		if name := table[0].(string); name != "x_build" && name != "x_seal" { // which have the time
			all[name] = rows(t, db, "SELECT * FROM "+name)
		}
	}
	return all
}

func rows(t *testing.T, db *sql.DB, query string) (all [][]any) {
	r, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	names, err := r.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		row, at := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			at[i] = &row[i]
		}
		if err := r.Scan(at...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
