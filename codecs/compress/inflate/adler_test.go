package inflate

import (
	"bytes"
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

// The sum of bytes that are all as large as can be, and of any.
func TestSum(t *testing.T) {
	noise := make([]byte, 20_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	for _, p := range [][]byte{noise, bytes.Repeat([]byte{0xff}, 20_000), make([]byte, 20_000)} {
		for n := 0; n < len(p); n += 1 + n/64 {
			p := p[n%8:][:n-n%8]
			if got, want := sum(p), adler32.Checksum(p); got != want {
				t.Fatalf("%d bytes: %#x, want %#x", len(p), got, want)
			}
		}
	}
}

func BenchmarkSum(b *testing.B) {
	p := make([]byte, 64<<10)
	for _, f := range []struct {
		name string
		sum  func([]byte) uint32
	}{{"pakdb", sum}, {"hash", adler32.Checksum}} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				f.sum(p)
			}
		})
	}
}
