package unrealpak_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
)

// PAKDB_BENCH_MB sets the size of the content in the benchmarks of reading and
// writing; 4,000 files share it. The default keeps them short.
func benchSize() int64 {
	if mb, err := strconv.ParseInt(os.Getenv("PAKDB_BENCH_MB"), 10, 64); err == nil {
		return mb << 20
	}
	return 48 << 20
}

// assets are files whose sizes spread as those of a game do, half
// compressible.
func assets(n int, total int64) []codecstest.Item {
	rnd := rand.New(rand.NewPCG(7, 7))
	items := make([]codecstest.Item, n)
	for i := range items {
		size := int(float64(total) / float64(n) * (0.2 + 1.6*rnd.Float64()))
		if i%100 == 0 {
			size *= 8
		}
		items[i] = codecstest.Item{Entry: &codecs.Entry{Name: assetName(i)}, Data: halfRandom(rnd, size)}
	}
	return items
}

func assetName(i int) string {
	return fmt.Sprintf("Game/Content/Characters/Set%03d/SK_Character_%06d.uasset", i/200, i)
}

func halfRandom(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 32 {
		for k := i; k < min(i+16, n); k++ {
			b[k] = byte(rnd.Uint32())
		}
	}
	return b
}

func writeTemp(b *testing.B, o *codecs.CreateOptions, items []codecstest.Item) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bench.pak")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	writeItems(b, f, o, items)
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func writeItems(b *testing.B, ws io.WriteSeeker, o *codecs.CreateOptions, items []codecstest.Item) {
	b.Helper()
	w, err := unrealpak.Format().Create(ws, o)
	if err != nil {
		b.Fatal(err)
	}
	for _, it := range items {
		if err := w.Add(context.Background(), it.Entry, bytes.NewReader(it.Data)); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkList120k(b *testing.B) {
	for _, version := range []string{"5", "11"} {
		b.Run("v"+version, func(b *testing.B) {
			items := make([]codecstest.Item, 120_000)
			for i := range items {
				items[i] = codecstest.Item{Entry: &codecs.Entry{Name: assetName(i)}, Data: []byte("x")}
			}
			path := writeTemp(b, &codecs.CreateOptions{Version: version}, items)
			items = nil
			src := codecstest.OpenFile(b, path)
			b.ReportAllocs()
			for b.Loop() {
				a, err := unrealpak.Format().Open(context.Background(), src, nil)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for e, err := range a.Entries() {
					if err != nil || e.Name == "" {
						b.Fatal(err)
					}
					n++
				}
				if n != 120_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	items := assets(4000, benchSize())
	for _, bb := range []struct {
		name string
		o    codecs.CreateOptions
	}{
		{"stored", codecs.CreateOptions{}},
		{"zlib", codecs.CreateOptions{Method: compress.Zlib}},
		{"encrypted", codecs.CreateOptions{Encrypt: true, Keys: keyed(b, repakKey).Keys}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			path := writeTemp(b, &bb.o, items)
			a := codecstest.Open(b, unrealpak.Format(), codecstest.OpenFile(b, path), keyed(b, repakKey))
			b.Run("unpack", func(b *testing.B) { benchUnpack(b, a) })
			b.Run("verify", func(b *testing.B) {
				b.SetBytes(contentSize(a))
				for b.Loop() {
					err := a.(codecs.Verifier).Verify(context.Background(), func(e *codecs.FormatError) { b.Fatal(e) })
					if err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("sums", func(b *testing.B) {
				for b.Loop() {
					if _, err := a.(codecs.Summer).Sums(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func contentSize(a codecs.Archive) (n int64) {
	for e := range a.Entries() {
		n += e.Size
	}
	return n
}

func benchUnpack(b *testing.B, a codecs.Archive) {
	b.SetBytes(contentSize(a))
	b.ReportAllocs()
	for b.Loop() {
		for e := range a.Entries() {
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
	}
}

func BenchmarkWrite(b *testing.B) {
	items := assets(4000, benchSize())
	size := int64(0)
	for _, it := range items {
		size += int64(len(it.Data))
	}
	for _, m := range []compress.Method{compress.None, compress.Zlib, compress.LZ4, compress.Zstd} {
		b.Run(m.String(), func(b *testing.B) {
			f, err := os.Create(filepath.Join(b.TempDir(), "w.pak"))
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Seek(0, io.SeekStart); err != nil {
					b.Fatal(err)
				}
				writeItems(b, f, &codecs.CreateOptions{Method: m}, items)
			}
		})
	}
}
