package inflate

import (
	"bytes"
	"hash/adler32"
	"math/rand/v2"
	"testing"
)

// The Adler-32 of bytes that are all as large as can be, and of any.
func TestSum(t *testing.T) {
	noise := make([]byte, 200_000)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	for _, p := range [][]byte{noise, bytes.Repeat([]byte{0xff}, 200_000), make([]byte, 200_000)} {
		for n := 0; n < len(p); n += 1 + n/64 {
			p := p[n%8:][:n-n%8]
			if got, slow, want := Adler32(p), sumFrom(1, 0, p), adler32.Checksum(p); got != want || slow != want {
				t.Fatalf("%d bytes: %#x, in Go %#x, want %#x", len(p), got, slow, want)
			}
		}
	}
}

// FuzzSum compares Adler32, what it does without assembly, and hash/adler32.
func FuzzSum(f *testing.F) {
	f.Add([]byte("Calligraphy"), uint16(1))
	f.Add(bytes.Repeat([]byte{0xff, 0xfe, 1}, 40), uint16(2000))
	f.Fuzz(func(t *testing.T, p []byte, times uint16) {
		p = bytes.Repeat(p, 1+int(times)%(1+(1<<18)/(1+len(p))))
		if got, slow, want := Adler32(p), sumFrom(1, 0, p), adler32.Checksum(p); got != want || slow != want {
			t.Fatalf("%d bytes: %#x, in Go %#x, want %#x", len(p), got, slow, want)
		}
	})
}

func BenchmarkSum(b *testing.B) {
	p := make([]byte, 64<<10)
	for _, f := range []struct {
		name string
		sum  func([]byte) uint32
	}{{"pakdb", Adler32}, {"Go", func(p []byte) uint32 { return sumFrom(1, 0, p) }}, {"hash", adler32.Checksum}} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				f.sum(p)
			}
		})
	}
}
