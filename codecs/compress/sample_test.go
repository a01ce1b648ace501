package compress_test

import (
	"io"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
)

// TestSamples reports which share of the samples' LZ4 blocks is re-created, by
// sample and parameters. Those made with liblz4 are, all of them, by level 9 of
// high compression; MHPakTool's encoder is K4os's.
func TestSamples(t *testing.T) {
	dir := codecstest.Sample(t, "gpak")
	names, err := filepath.Glob(filepath.Join(dir, "*.sip"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		a, _, err := all.Registry().Open(t.Context(), codecstest.OpenFile(t, name), nil)
		if err != nil {
			continue // made to be broken
		}
		t.Cleanup(func() { _ = a.Close() })
		var e compress.LZ4Encoder
		blocks, found := 0, map[string]int{}
		for entry, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if entry.Method != compress.LZ4 {
				continue
			}
			raw, err := a.OpenRaw(entry)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := io.ReadAll(raw)
			if err != nil {
				t.Fatal(err)
			}
			decoded := make([]byte, entry.Size)
			if compress.Decode(compress.LZ4, decoded, stored) != nil {
				continue
			}
			blocks++
			none := true
			for i := range 2 * len(compress.LZ4Dialects()) {
				p := compress.LZ4Params{Dialect: compress.LZ4Dialects()[i/2], Stream: i%2 == 1}
				if e.Makes(stored, decoded, p) {
					found[p.String()]++
					none = false
				}
			}
			for _, level := range []uint8{9, 12} {
				p := compress.LZ4Params{Level: level}
				if e.Makes(stored, decoded, p) {
					found[p.String()]++
					none = false
				}
			}
			if none {
				found["none"]++
			}
		}
		t.Logf("%s: %d blocks", filepath.Base(name), blocks)
		if hc := (compress.LZ4Params{Level: 9}); filepath.Base(name) == "Calligraphy_1.10_names.sip" && found[hc.String()] != blocks {
			t.Errorf("%v makes %d of %d blocks that liblz4 made with it", hc, found[hc.String()], blocks)
		}
		for _, d := range slices.Sorted(maps.Keys(found)) {
			t.Logf("    %-20s %d", d, found[d])
		}
	}
}
