package lzo_test

import (
	"fmt"
	"os"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/lzo"
)

// BenchmarkExactEncode encodes real content in Retro's segments of 16 KiB and in
// Unreal's blocks of 128 KiB; PAKDB_BENCH_FILE names another file.
func BenchmarkExactEncode(b *testing.B) {
	data, err := os.ReadFile(codecstest.Sample(b, "iostore", "cue4parse-ue5.8", "Uncompressed", "CUE4ParseFixtures-Minimal-Uncompressed-Windows.ucas"))
	if name := os.Getenv("PAKDB_BENCH_FILE"); name != "" {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, level := range []int{1, 5, 7, 8, 9} {
		for _, size := range []int{16 << 10, 128 << 10} {
			b.Run(fmt.Sprintf("%d/%d KiB", level, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				var e lzo.Encoder
				var dst []byte
				for b.Loop() {
					for src := data; len(src) > 0; {
						n := min(size, len(src))
						if dst, err = e.Encode(dst[:0], src[:n], level); err != nil {
							b.Fatal(err)
						}
						src = src[n:]
					}
				}
			})
		}
	}
}
