package schema_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"pakdb/internal/testkit"
	"pakdb/schema"
)

// What a build has in common with earlier ones is found among few rows and among
// many, which are looked up in different ways, and in any order.
func TestKnownRowsAreFound(t *testing.T) {
	const known = 600
	entries := func(from, to, step int) (some []*schema.Entry) {
		for n := from; n < to; n += step {
			some = append(some, named(n))
		}
		return some
	}
	for name, c := range map[string]struct {
		again []*schema.Entry
		fresh int // rows that the second build adds to each table
	}{
		"few":            {entries(0, known, 300), 0},
		"few and new":    {entries(known-5, known+5, 1), 5},
		"all":            {entries(0, known, 1), 0},
		"many and new":   {entries(known/2, known*2, 1), known},
		"twice":          {append(entries(0, known, 2), entries(0, known, 3)...), 0},
		"new ones twice": {append(entries(known, known+50, 1), entries(known, known+50, 1)...), 50},
	} {
		t.Run(name, func(t *testing.T) {
			catalog, path := newCatalog(t)
			defer func() { _ = catalog.Close() }()
			writeBuild(t, catalog, "one", entries(0, known, 1))
			for i, e := range c.again {
				e.Ordinal = int64(i)
			}
			writeBuild(t, catalog, "two", c.again)
			db := keyDB(t, path)
			for table, n := range keysOf(t, db) {
				if table == "ref" {
					continue
				}
				if want := known + c.fresh; n != [2]int{want, want} {
					t.Errorf("%s: %d rows, %d with keys, want %d", table, n[0], n[1], want)
				}
			}
			wrong := scan[int](t, db, `SELECT count(*) FROM x_entry e JOIN x_entry_symbol s USING (lineage_id, row)
				JOIN x_name n USING (name_id) JOIN x_path p ON p.path_id = e.path_id
				WHERE 'N' || CAST(ltrim(p.name, 'File') AS INTEGER) <> n.name`)
			if wrong != 0 {
				t.Errorf("%d entries have the name of another", wrong)
			}
		})
	}
}

// named is an entry with a text of its own.
func named(n int) *schema.Entry {
	e := entry(n)
	text := fmt.Sprintf("N%d", n)
	e.PlaceSymbols = []schema.Symbol{{Space: "s", Key: schema.NameKey(text), Name: text}}
	return e
}

// Hashes that an archive states can be made to share a key. What that costs must
// not grow with the square of their number.
func TestForgedKeys(t *testing.T) {
	known := testkit.Of(4_000, 20_000)
	forged := func() (some []*schema.Entry) {
		for n := range known {
			e := entry(n)
			e.Stated, e.HasContent = true, false
			e.Content = schema.Digest{1, 2, 3, 4, 5, 6, 7, 8}
			binary.LittleEndian.PutUint64(e.Content[8:], uint64(n))
			some = append(some, e)
		}
		return some
	}
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	writeBuild(t, c, "one", forged())
	writeBuild(t, c, "two", forged())
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM x_content"); n != known {
		t.Errorf("%d contents, want %d", n, known)
	}
}

// A scan that reads completes the hashes of contents that were listed, also where
// they are known from before and several entries have them.
func TestStatedContentsAreCompletedOnce(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	entries := func(stated bool) (some []*schema.Entry) {
		for n := range 100 {
			e := entry(n)
			e.Content = digest(n / 2)
			e.Stated, e.HasContent = stated, !stated
			if stated {
				clear(e.Content[schema.StatedSize:])
			}
			some = append(some, e)
		}
		return some
	}
	for i, stated := range []bool{true, true, false, true, false} {
		writeBuild(t, c, fmt.Sprint(i), entries(stated))
		db := readDB(t, path)
		if n := scan[int](t, db, "SELECT count(*) FROM x_content"); n != 50 {
			t.Fatalf("%d contents after build %d, want 50", n, i)
		}
		want := 0
		if i >= 2 {
			want = 50
		}
		if n := scan[int](t, db, "SELECT count(*) FROM x_content WHERE length(hash) = 32"); n != want {
			t.Errorf("%d complete hashes after build %d, want %d", n, i, want)
		}
		_ = db.Close()
	}
}

// BenchmarkWriterAgain measures a second build of entries that the catalog has,
// of which one in a hundred has another content.
func BenchmarkWriterAgain(b *testing.B) {
	c, _ := newCatalog(b)
	defer func() { _ = c.Close() }()
	var entries []*schema.Entry
	for n := range b.N {
		e := entry(n)
		e.Name = benchmarkName(n)
		entries = append(entries, e)
	}
	writeBuild(b, c, "one", entries)
	for n := 0; n < b.N; n += 100 {
		entries[n].Content = digest(n + b.N)
	}
	b.ReportAllocs()
	b.ResetTimer()
	writeBuild(b, c, "two", entries)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func benchmarkName(n int) string {
	return fmt.Sprintf("Calligraphy/Entity/Characters/Mobs/%d/Prototype%08d.prototype", n*7919%9973, n)
}

// Contents of one hash are one content, whatever sizes archives state of it: SQL that joins by
// content_id finds what SQL that joins by content does. To read it settles its size.
func TestContentsOfOneHash(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	for i := range 3 {
		e := entry(1)
		e.Content = digest(7)
		e.ContentSize = int64(10 - i)
		if e.Stated, e.HasContent = i < 2, i == 2; e.Stated {
			clear(e.Content[schema.StatedSize:])
		}
		writeBuild(t, c, fmt.Sprint(i), []*schema.Entry{e})
		db := readDB(t, path)
		for query, want := range map[string]int{
			"SELECT count(*) FROM x_content": 1,
			"SELECT size FROM x_content":     map[bool]int{true: 10, false: 8}[i < 2],
		} {
			if n := scan[int](t, db, query); n != want {
				t.Errorf("build %d: %s: %d, want %d", i, query, n, want)
			}
		}
		_ = db.Close()
	}
}
