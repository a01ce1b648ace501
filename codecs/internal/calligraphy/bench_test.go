package calligraphy_test

import (
	"bytes"
	"context"
	"testing"

	"pakdb/codecs/internal/calligraphy"
)

// All of a client's database: 25,619 files.
func BenchmarkInspectArchive(b *testing.B) {
	files := readPak(b, "Calligraphy_1.10_names.sip")
	inspector := calligraphy.Inspector()
	total := 0
	for _, f := range files {
		total += len(f.body)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if !inspector.Match(f.entry(), f.body[:min(64, len(f.body))]) {
				b.Fatal(f.name)
			}
			if _, err := inspector.Inspect(context.Background(), bytes.NewReader(f.body), int64(len(f.body)), f.entry()); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(files)), "files/op")
}
