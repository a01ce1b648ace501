package retropak_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
)

// benchPak is a file of n small entries, three of four compressed, as in the
// games.
func benchPak(b *testing.B, n int) codecs.Source {
	data := text(300)
	packed := cmpd(block{0xa0, lzo(data), len(data)})
	entries := make([]rawEntry, n)
	for i := range entries {
		id := uint64(i+1) * 0x9e3779b97f4a7c15
		if entries[i] = (rawEntry{1, "TXTR", id, packed}); i%4 == 0 {
			entries[i] = rawEntry{0, "STRG", id, data}
		}
	}
	path := filepath.Join(b.TempDir(), "bench.pak")
	if err := os.WriteFile(path, corruptionPak(entries...), 0o600); err != nil {
		b.Fatal(err)
	}
	return codecstest.OpenFile(b, path)
}

// Opening and listing 80,000 entries is to take less than 0.3 s.
func BenchmarkList80000(b *testing.B) {
	src := benchPak(b, 80_000)
	b.ReportAllocs()
	for b.Loop() {
		a, err := retropak.Format().Open(context.Background(), src, nil)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range a.Entries() {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 80_000 {
			b.Fatal(n)
		}
	}
}

// prose is compressible to about a half.
func prose(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n+16)
	for len(b) < n {
		b = fmt.Appendf(b, "%x %s ", rnd.Uint32N(1<<16), text(rnd.IntN(8)))
	}
	return b[:n]
}

func BenchmarkOpen(b *testing.B) {
	long := prose(1 << 20)
	var segments []byte
	for i := 0; i < len(long); i += 0x4000 {
		segments = append(segments, lzo(long[i:i+0x4000])...)
	}
	for _, tt := range []struct {
		name string
		pak  []byte
	}{
		{"lzo", corruptionPak(rawEntry{1, "TXTR", 1, cmpd(block{0xa0, segments, len(long)})})},
		{"zlib", corruptionPak(rawEntry{1, "TXTR", 1, cmpd(block{0xa0, deflate(long), len(long)})})},
		{"stored", corruptionPak(rawEntry{0, "TXTR", 1, long})},
	} {
		b.Run(tt.name, func(b *testing.B) {
			a := codecstest.Open(b, retropak.Format(), codecstest.Bytes("a.pak", tt.pak), nil)
			e := entries(b, a)[0]
			b.SetBytes(e.Size)
			b.ReportAllocs()
			for b.Loop() {
				r, err := a.Open(context.Background(), e)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
