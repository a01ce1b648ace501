package compress_test

import (
	"fmt"
	"os"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
)

// BenchmarkLZ4 encodes real content in blocks of 64 KiB and of 1 MiB;
// PAKDB_BENCH_FILE names another file.
func BenchmarkLZ4(b *testing.B) {
	data, err := os.ReadFile(codecstest.Sample(b, "iostore", "cue4parse-ue5.8", "Uncompressed", "CUE4ParseFixtures-Minimal-Uncompressed-Windows.ucas"))
	if name := os.Getenv("PAKDB_BENCH_FILE"); name != "" {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		size int
		p    compress.LZ4Params
	}{
		{64 << 10, compress.LZ4Params{}}, {1 << 20, compress.LZ4Params{}},
		{64 << 10, compress.LZ4Params{Level: 4}}, {64 << 10, compress.LZ4Params{Level: 9}}, {64 << 10, compress.LZ4Params{Level: 12}},
	} {
		b.Run(fmt.Sprintf("%v/%d KiB", c.p, c.size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var e compress.LZ4Encoder
			var dst []byte
			for b.Loop() {
				for src := data; len(src) > 0; {
					n := min(c.size, len(src))
					if dst, err = e.Encode(dst[:0], src[:n], c.p); err != nil {
						b.Fatal(err)
					}
					src = src[n:]
				}
			}
		})
	}
}
