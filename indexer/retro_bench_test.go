package indexer_test

import (
	"os"
	"path/filepath"
	"testing"

	"pakdb/indexer"
	gen "pakdb/testdata/gen/fixture"
)

// BenchmarkIndexRetro indexes a pak of contents that all have to be searched for
// ids: 20,000 of about 6 KiB.
func BenchmarkIndexRetro(b *testing.B) {
	path := filepath.Join(b.TempDir(), "large.pak")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := gen.LargeRetro(f, 20_000); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := newCatalog(b).mustScan(indexer.Options{Paths: []string{path}, Label: "1"})
		b.SetBytes(r.Size)
	}
}
