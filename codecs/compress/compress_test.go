package compress_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs/compress"
)

// coded are the methods that both decode and encode.
var coded = []compress.Method{compress.None, compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd}

func inputs() map[string][]byte {
	noise := make([]byte, 100_000)
	rnd := rand.NewChaCha8([32]byte{1})
	_, _ = rnd.Read(noise)
	return map[string][]byte{
		"empty":   {},
		"byte":    {'x'},
		"text":    []byte(strings.Repeat("Calligraphy/Powers/Player/Aegis/Beam.prototype\n", 500)),
		"zeroes":  make([]byte, 1<<20),
		"noise":   noise,
		"64 KiB":  noise[:65536],
		"pattern": bytes.Repeat(noise[:70_000], 3), // matches further back than LZ4's window
	}
}

func encode(t testing.TB, m compress.Method, src []byte) []byte {
	t.Helper()
	b, err := compress.Encode(m, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	for _, m := range coded {
		for name, src := range inputs() {
			t.Run(m.String()+" "+name, func(t *testing.T) {
				b := encode(t, m, src)
				got := make([]byte, len(src))
				if err := compress.Decode(m, got, b); err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%v; equal: %v", err, bytes.Equal(got, src))
				}
				if max := compress.MaxRatio(m); max > 0 && int64(len(src)) > max*int64(len(b)) {
					t.Errorf("%d bytes became %d: more than MaxRatio %d", len(src), len(b), max)
				}
				prefixed, err := compress.Encode(m, []byte("head"), src)
				if err != nil || string(prefixed[:4]) != "head" || !bytes.Equal(prefixed[4:], b) {
					t.Errorf("Encode does not append, or differs the second time: %v", err)
				}
			})
		}
	}
}

// The declared size is exact: one byte more or less is corrupt, and nothing is
// written behind the destination.
func TestExactFill(t *testing.T) {
	src := inputs()["text"]
	for _, m := range coded {
		b := encode(t, m, src)
		for _, size := range []int{0, 1, len(src) - 1, len(src) + 1, 2 * len(src)} {
			room := bytes.Repeat([]byte{0xAA}, size+64)
			if err := compress.Decode(m, room[:size], b); !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("%v: %d bytes into %d: %v", m, len(src), size, err)
			}
			if !bytes.Equal(room[size:], bytes.Repeat([]byte{0xAA}, 64)) {
				t.Errorf("%v: wrote behind %d bytes", m, size)
			}
		}
	}
}

func TestTruncated(t *testing.T) {
	src := inputs()["text"][:2000]
	for _, m := range coded {
		b := encode(t, m, src)
		for n := range b {
			if err := compress.Decode(m, make([]byte, len(src)), b[:n]); !errors.Is(err, compress.ErrCorrupt) {
				t.Fatalf("%v: %d of %d bytes decode: %v", m, n, len(b), err)
			}
		}
	}
}

// Nothing stored is nothing decoded only where the method can say so.
func TestNothingStored(t *testing.T) {
	for _, m := range coded {
		err := compress.Decode(m, nil, nil)
		valid := m == compress.None || m == compress.LZ4 || m == compress.Zstd
		if valid != (err == nil) || err != nil && !errors.Is(err, compress.ErrCorrupt) {
			t.Errorf("%v: %v", m, err)
		}
		if err := compress.Decode(m, make([]byte, 1), nil); !errors.Is(err, compress.ErrCorrupt) {
			t.Errorf("%v, one byte: %v", m, err)
		}
	}
}

func TestEmptyLZ4OfTheCLibrary(t *testing.T) {
	if err := compress.Decode(compress.LZ4, nil, []byte{0}); err != nil {
		t.Error(err)
	}
}

// A flipped bit is found where the method has a checksum, and nowhere panics.
func TestFlipped(t *testing.T) {
	src := inputs()["text"][:4000]
	for _, m := range coded {
		b := encode(t, m, src)
		for i := range len(b) * 8 {
			bad := bytes.Clone(b)
			bad[i/8] ^= 1 << (i % 8)
			got := make([]byte, len(src))
			err := compress.Decode(m, got, bad)
			if err != nil && !errors.Is(err, compress.ErrCorrupt) {
				t.Fatalf("%v bit %d: %v", m, i, err)
			}
			if checked := m == compress.Zlib || m == compress.Gzip || m == compress.Zstd; checked && err == nil && !bytes.Equal(got, src) {
				t.Fatalf("%v bit %d: wrong content without an error", m, i)
			}
		}
	}
}

// Bombs: blocks that decode to far more than declared cost no more than the
// destination.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("its memory is measured")
	}
	input := make([]byte, 16<<20)
	for _, m := range []compress.Method{compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd} {
		b := encode(t, m, input)
		dst := make([]byte, 1000)
		used := allocates(func() {
			if err := compress.Decode(m, dst, b); !errors.Is(err, compress.ErrCorrupt) {
				t.Errorf("%v: %v", m, err)
			}
		})
		if used > 4<<20 {
			t.Errorf("%v: %d bytes allocated for a bomb", m, used)
		}
	}
}

// zstdFrame is a frame of one raw block whose header declares a window and,
// when size is not negative, a content size.
func zstdFrame(window byte, size int64, content string) []byte {
	b := []byte{0x28, 0xb5, 0x2f, 0xfd}
	if size >= 0 {
		b = append(b, 0xc0, window)
		b = binary.LittleEndian.AppendUint64(b, uint64(size))
	} else {
		b = append(b, 0x00, window)
	}
	block := uint32(len(content))<<3 | 1 // raw, last
	b = append(b, byte(block), byte(block>>8), byte(block>>16))
	return append(b, content...)
}

// The window that a zstd frame declares is what a decoder would set aside. It
// may be terabytes in a frame of 14 bytes.
func TestZstdWindowBombs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		window byte
		size   int64
	}{
		{"1 KiB", 0x00, -1},
		{"128 MiB", 17 << 3, -1},
		{"1 GiB", 20 << 3, -1},
		{"3.75 TiB", 0xff, -1},
		{"1 GiB of content", 0x00, 1 << 30},
		{"2^63 of content", 0x00, 1<<63 - 1},
		{"huge window and content", 0xff, 1 << 40},
	} {
		b := zstdFrame(tt.window, tt.size, "abc")
		var err error
		used := allocates(func() { err = compress.Decode(compress.Zstd, make([]byte, 3), b) })
		if err != nil && !errors.Is(err, compress.ErrCorrupt) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if used > 4<<20 {
			t.Errorf("%s: %d bytes allocated", tt.name, used)
		}
	}
	got := make([]byte, 3)
	if err := compress.Decode(compress.Zstd, got, zstdFrame(0, 3, "abc")); err != nil || string(got) != "abc" {
		t.Errorf("honest frame: %q, %v", got, err)
	}
}

func allocates(fn func()) uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	before := s[0].Value.Uint64()
	fn()
	metrics.Read(s)
	return s[0].Value.Uint64() - before
}

func TestUnknownMethods(t *testing.T) {
	for _, m := range []compress.Method{compress.LZO1X, compress.Oodle, "paq"} {
		if compress.CanDecode(m) {
			continue // a decoder has been plugged in
		}
		if err := compress.Decode(m, nil, nil); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Decode %v: %v", m, err)
		}
		if _, err := compress.Encode(m, nil, nil); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Encode %v: %v", m, err)
		}
	}
	for _, m := range coded {
		if !compress.CanDecode(m) {
			t.Errorf("CanDecode(%v) = false", m)
		}
	}
	if s := fmt.Sprintf("%v %v", compress.None, compress.LZ4); s != "none lz4" {
		t.Error(s)
	}
}

// All functions are safe for concurrent use, and pooled state of one call does
// not show in another's output.
func TestConcurrent(t *testing.T) {
	in := inputs()
	want := map[string][]byte{}
	for _, m := range coded {
		for name, src := range in {
			want[m.String()+name] = encode(t, m, src)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, m := range coded {
				for name, src := range in {
					b, err := compress.Encode(m, nil, src)
					got := make([]byte, len(src))
					if err != nil || !bytes.Equal(b, want[m.String()+name]) ||
						compress.Decode(m, got, b) != nil || !bytes.Equal(got, src) {
						t.Errorf("%v %s differs: %v", m, name, err)
					}
					_ = compress.Decode(m, got, b[:len(b)/2]) // a failure in between
				}
			}
		})
	}
	wg.Wait()
}

// EncodeFast makes blocks that decode, behind what dst has, the same ones each
// time. Those of zlib are others than those of Encode and little larger.
func TestEncodeFast(t *testing.T) {
	for _, m := range coded {
		for name, src := range inputs() {
			b, err := compress.EncodeFast(m, []byte("before"), src)
			again, againErr := compress.EncodeFast(m, nil, src)
			got := make([]byte, len(src))
			if err != nil || againErr != nil || string(b[:6]) != "before" || !bytes.Equal(b[6:], again) ||
				compress.Decode(m, got, again) != nil || !bytes.Equal(got, src) {
				t.Errorf("%v %s differs: %v, %v", m, name, err, againErr)
			}
			exact := encode(t, m, src)
			if m != compress.Zlib && !bytes.Equal(again, exact) || len(again) > len(exact)+len(exact)/10+len(src)/512+20 {
				t.Errorf("%v %s: %d bytes, Encode %d", m, name, len(again), len(exact))
			}
		}
	}
	if _, err := compress.EncodeFast(compress.Oodle, nil, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Oodle: %v", err)
	}
}

// A destination that is reused is not allocated again.
func TestEncodeLZ4Reuses(t *testing.T) {
	src := inputs()["text"]
	dst := encode(t, compress.LZ4, src)
	if n := testing.AllocsPerRun(20, func() { dst, _ = compress.Encode(compress.LZ4, dst[:0], src) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom(coded).Draw(rt, "method")
		src := bytes.Repeat(rapid.SliceOf(rapid.Byte()).Draw(rt, "src"), rapid.IntRange(0, 40).Draw(rt, "repeat"))
		b := encode(t, m, src)
		got := make([]byte, len(src))
		if err := compress.Decode(m, got, b); err != nil || !bytes.Equal(got, src) {
			rt.Fatalf("%v: %v", m, err)
		}
	})
}

// FuzzDecode: any bytes, any declared size. What decodes must survive being
// encoded again.
func FuzzDecode(f *testing.F) {
	for i, m := range coded {
		b := encode(f, m, []byte("Calligraphy/Calligraphy/Calligraphy/Curve.directory"))
		f.Add(uint8(i), uint16(51), b)
	}
	f.Add(uint8(4), uint16(3), zstdFrame(0xff, -1, "abc"))
	f.Add(uint8(3), uint16(0), []byte{0})
	f.Fuzz(func(t *testing.T, method uint8, size uint16, b []byte) {
		m := coded[int(method)%len(coded)]
		got := make([]byte, size)
		if err := compress.Decode(m, got, b); err != nil {
			if !errors.Is(err, compress.ErrCorrupt) {
				t.Fatalf("of no known class: %v", err)
			}
			return
		}
		if max := compress.MaxRatio(m); max > 0 && int64(size) > max*int64(len(b)) {
			t.Fatalf("%v: %d bytes decode to %d, MaxRatio is %d", m, len(b), size, max)
		}
		again := make([]byte, size)
		if err := compress.Decode(m, again, encode(t, m, got)); err != nil || !bytes.Equal(got, again) {
			t.Fatalf("%v: encoded again: %v", m, err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	benchmark(b, func(b *testing.B, m compress.Method, src []byte) {
		stored, dst := encode(b, m, src), make([]byte, len(src))
		for b.Loop() {
			if err := compress.Decode(m, dst, stored); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	benchmark(b, func(b *testing.B, m compress.Method, src []byte) {
		var dst []byte
		for b.Loop() {
			var err error
			if dst, err = compress.Encode(m, dst[:0], src); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// benchmark runs fn over 64 KiB of half-compressible data, as assets are.
func benchmark(b *testing.B, fn func(b *testing.B, m compress.Method, src []byte)) {
	src := make([]byte, 64<<10)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range src {
		if src[i] = byte(rnd.IntN(256)); i > 500 && i%16 > 3 {
			src[i] = src[i-480-i/4096]
		}
	}
	for _, m := range coded[1:] {
		b.Run(m.String(), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			fn(b, m, src)
		})
	}
}
