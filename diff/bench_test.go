package diff_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"pakdb/diff"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

func digest(n int) (d schema.Digest) {
	binary.LittleEndian.PutUint64(d[:], uint64(n+1)*0x9e3779b97f4a7c15)
	return d
}

// bigCatalog holds two builds of n entries, of which one in hundred was
// modified, one in a thousand was removed and one in a thousand added.
func bigCatalog(t testing.TB, n int) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	for round, label := range []string{"old", "new"} {
		b, err := schematest.Begin(ctx, c, label)
		if err != nil {
			t.Fatal(err)
		}
		id := schematest.Start(t, b, schema.Archive{Size: 1, Quick: digest(round), Scan: "s", Format: "test"})
		for i := range n {
			e := schema.Entry{
				Ordinal: int64(i), Name: fmt.Sprintf("Game/Content/Dir%d/File%d.uasset", i/100, i), Method: "zlib",
				Offset: int64(i) * 1000, Stored: int64(500 + i%100), Size: 1000,
				HasPathHash: true, PathHash: uint64(i) << 40, HasContent: true, Content: digest(i), ContentSize: 1000,
			}
			if round == 1 && i%1000 == 7 {
				e.Name = fmt.Sprintf("Game/Content/New%d/File%d.uasset", i/100, i)
				e.Content = digest(i + 2*n)
			}
			if round == 1 && i%100 == 3 {
				e.Content = digest(i + n)
			}
			if err := b.Add(id, &e); err != nil {
				t.Fatal(err)
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: "a.pak", Location: "/a.pak"})
		if _, err := b.Finish(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// BenchmarkCompare includes what opening the catalog costs, as a process pays it.
func BenchmarkCompare(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		if n > 100_000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := bigCatalog(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if r, _ := compared(b, path, diff.Options{}, "old", "new"); r.Len() != n/100+n/1000 {
					b.Fatalf("%d changes", r.Len())
				}
			}
		})
	}
}
