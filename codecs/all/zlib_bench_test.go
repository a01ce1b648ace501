package all_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
)

// cooked is content of a cooked game, in blocks of 64 KiB as the engine cuts it.
func cooked(b *testing.B) (blocks [][]byte, size int64) {
	data, err := os.ReadFile(codecstest.Sample(b, "iostore", "cue4parse-ue5.8", "Uncompressed", "CUE4ParseFixtures-Minimal-Uncompressed-Windows.ucas"))
	name := os.Getenv("PAKDB_BENCH_FILE")
	if filepath.Ext(name) == ".pak" {
		for _, at := range archiveBlocks(b, name) {
			blocks, size = append(blocks, at.decoded), size+int64(len(at.decoded))
		}
		return blocks, size
	}
	if name != "" {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		b.Fatal(err)
	}
	size = int64(len(data))
	for n := 64 << 10; len(data) > n; data = data[n:] {
		blocks = append(blocks, data[:n])
	}
	return append(blocks, data), size
}

// BenchmarkEncode deflates real content; PAKDB_BENCH_FILE names another file;
// of a pak, what its zlib blocks decode to.
func BenchmarkEncode(b *testing.B) {
	blocks, size := cooked(b)
	for _, level := range []uint8{1, 3, 6, 9} {
		b.Run(fmt.Sprintf("level %d", level), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			var e compress.ZlibEncoder
			var dst []byte
			p := compress.ZlibParams{Level: level}
			for b.Loop() {
				for _, src := range blocks {
					var err error
					if dst, err = e.Encode(dst[:0], src, p); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkStandardLibrary is what the same costs in compress/zlib, whose output
// is another.
func BenchmarkStandardLibrary(b *testing.B) {
	blocks, size := cooked(b)
	b.SetBytes(size)
	var dst bytes.Buffer
	w := zlib.NewWriter(&dst)
	for b.Loop() {
		for _, src := range blocks {
			dst.Reset()
			w.Reset(&dst)
			if _, err := w.Write(src); err != nil || w.Close() != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkRecognize: streams of zlib, and of an encoder that is not zlib.
func BenchmarkRecognize(b *testing.B) {
	blocks, size := cooked(b)
	var e compress.ZlibEncoder
	var ours, others [][]byte
	for _, src := range blocks {
		stored, err := e.Encode(nil, src, compress.ZlibParams{Level: 9})
		var buf bytes.Buffer
		w := zlib.NewWriter(&buf)
		if _, err2 := w.Write(src); err != nil || err2 != nil || w.Close() != nil {
			b.Fatal(err, err2)
		}
		ours, others = append(ours, stored), append(others, buf.Bytes())
	}
	for name, stored := range map[string][][]byte{"zlib 9": ours, "another encoder": others} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				for i, src := range blocks {
					e.Recognize(stored[i], src)
				}
			}
		})
	}
}
