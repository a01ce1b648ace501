package write_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"pakdb/internal/testkit/schematest"
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
	path := schematest.Write(t, func(c *schema.Catalog) {
		r, inspected := rand.New(rand.NewPCG(1, 2)), map[schema.Digest]bool{}
		for build := range 2 {
			schematest.Build(t, c, fmt.Sprint(build), func(b *schema.Build) { fill(t, b, build, r, inspected) })
		}
	})
	if _, err := schema.Check(t.Context(), path, func(f schema.Finding) { t.Error(f) }, func(string) {}); err != nil {
		t.Error(err)
	}
	all := map[string][][]any{}
	for _, table := range schematest.Ask(t, path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
		if name := table[0].(string); name != "x_build" && name != "x_seal" { // which have the time
			all[name] = schematest.Ask(t, path, "SELECT * FROM "+name)
		}
	}
	return all
}

// fill adds an archive, whose paths, contents and texts repeat. It inspects a content once, as the
// indexer does.
func fill(t *testing.T, b *schema.Build, build int, r *rand.Rand, inspected map[schema.Digest]bool) {
	b.SetNames([]string{"a.sip"})
	id := schematest.Start(t, b, schema.Archive{Name: "a.sip", Size: 1, Quick: schema.Digest{byte(build)}, Scan: "s", Format: "test"})
	for n := range 9_000 {
		number := r.IntN(8_000)
		e := &schema.Entry{Ordinal: int64(n), Name: fmt.Sprintf("Dir%d/File%d.ext", number/100, number), Method: "lz4",
			Offset: int64(n) * 100, Stored: 50, Size: 100, HasContent: true, ContentSize: 100,
			PlaceSymbols: []schema.Symbol{{Space: "package", Name: fmt.Sprintf("Name%d", r.IntN(6_000))}}}
		binary.LittleEndian.PutUint64(e.Content[:], uint64(r.IntN(8_000+build*1000))*0x9e3779b97f4a7c15)
		if !inspected[e.Content] {
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
}
