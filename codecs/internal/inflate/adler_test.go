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
			if got, want := Adler32(p), adler32.Checksum(p); got != want {
				t.Fatalf("%d bytes: %#x, want %#x", len(p), got, want)
			}
		}
	}
}

// FuzzSum compares Adler32 and hash/adler32.
func FuzzSum(f *testing.F) {
	f.Add([]byte("Calligraphy"), uint16(1))
	f.Add(bytes.Repeat([]byte{0xff, 0xfe, 1}, 40), uint16(2000))
	f.Fuzz(func(t *testing.T, p []byte, times uint16) {
		p = bytes.Repeat(p, 1+int(times)%(1+(1<<18)/(1+len(p))))
		if got, want := Adler32(p), adler32.Checksum(p); got != want {
			t.Fatalf("%d bytes: %#x, want %#x", len(p), got, want)
		}
	})
}

func BenchmarkSum(b *testing.B) {
	p := make([]byte, 64<<10)
	for _, f := range []struct {
		name string
		sum  func([]byte) uint32
	}{{"pakdb", Adler32}, {"hash", adler32.Checksum}} {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				f.sum(p)
			}
		})
	}
}
