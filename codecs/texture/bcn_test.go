package texture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var bcnTested = []bcnFormat{bcnBC1, bcnBC2, bcnBC3, bcnBC4, bcnBC5, bcnBC6H, bcnBC7}

const width, height = 48, 32

func bcnRead(t testing.TB, f bcnFormat, what string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", strings.ToLower(f.String())+what))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func testBCN(t testing.TB, f bcnFormat, src []byte, w, h int) []byte {
	t.Helper()
	dst := make([]byte, w*h*f.PixelSize())
	if err := bcnDecode(dst, src, f, w, h); err != nil {
		t.Fatal(err)
	}
	return dst
}

// What Pillow 9.4 makes of random blocks, of all modes of BC6H and BC7: the same, but
// for what is rounded between two values, and for half floats as bytes.
func TestBcnLikeAnotherDecoder(t *testing.T) {
	worst := map[bcnFormat]int{bcnBC3: 1, bcnBC4: 1, bcnBC5: 1, bcnBC6H: 1}
	for _, f := range bcnTested {
		want := bcnRead(t, f, ".pixels")
		got := testBCN(t, f, bcnRead(t, f, ".blocks"), width, height)
		if f == bcnBC6H {
			got = bytesOfHalfs(got)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d bytes, want %d", f, len(got), len(want))
		}
		for i := range got {
			if d := int(got[i]) - int(want[i]); max(d, -d) > worst[f] {
				t.Errorf("%s: byte %d: %d, want %d", f, i, got[i], want[i])
				break
			}
		}
	}
}

// bytesOfHalfs clamps red, green and blue to 0 to 1 and makes bytes of them.
func bytesOfHalfs(pixels []byte) (out []byte) {
	for ; len(pixels) > 0; pixels = pixels[8:] {
		for c := range 3 {
			h := binary.LittleEndian.Uint16(pixels[2*c:])
			out = append(out, byte(min(max(half(h), 0), 1)*255))
		}
	}
	return out
}

func half(h uint16) float64 {
	v := math.Ldexp(float64(h&0x3ff), -24)
	if e := int(h >> 10 & 31); e > 0 {
		v = math.Ldexp(float64(h&0x3ff|0x400), e-25)
	}
	if h>>15 != 0 {
		return -v
	}
	return v
}

func TestReservedMode(t *testing.T) {
	src := make([]byte, 16)
	src[5] = 99
	if got := testBCN(t, bcnBC7, src, 4, 4); !bytes.Equal(got, make([]byte, 64)) {
		t.Errorf("%v", got)
	}
}

// A picture of any size is the corner of the one of whole blocks.
func TestBcnEdges(t *testing.T) {
	for _, f := range bcnTested {
		src, pixel := bcnRead(t, f, ".blocks"), f.PixelSize()
		for _, size := range [][2]int{{1, 1}, {3, 5}, {5, 3}, {48, 31}, {47, 32}, {45, 1}} {
			w, h := size[0], size[1]
			across := (w + 3) / 4
			whole := testBCN(t, f, src, across*4, (h+3)/4*4)
			got := testBCN(t, f, src, w, h)
			for y := range h {
				if want := whole[y*across*4*pixel:][:w*pixel]; !bytes.Equal(got[y*w*pixel:(y+1)*w*pixel], want) {
					t.Fatalf("%s of %d x %d: row %d differs", f, w, h, y)
				}
			}
		}
	}
}

func TestBcnSizes(t *testing.T) {
	for _, f := range append(bcnTested, 0, 99) {
		for _, size := range [][2]int{{0, 4}, {4, 0}, {-4, 4}, {1 << 20, 1 << 20}, {math.MaxInt64, 4}, {4, math.MaxInt64}} {
			if err := bcnDecode(make([]byte, 1024), make([]byte, 1024), f, size[0], size[1]); !errors.Is(err, errBCNSize) {
				t.Errorf("%s of %v: %v", f, size, err)
			}
		}
	}
	for _, f := range bcnTested {
		n, ok := f.Size(5, 9)
		if !ok || n != 6*map[bool]int{true: 8, false: 16}[f == bcnBC1 || f == bcnBC4] {
			t.Errorf("%s: %d bytes, %v", f, n, ok)
		}
		if err := bcnDecode(make([]byte, 5*9*f.PixelSize()), make([]byte, n-1), f, 5, 9); !errors.Is(err, errBCNSize) {
			t.Errorf("%s with a byte missing: %v", f, err)
		}
		if err := bcnDecode(make([]byte, 5*9*f.PixelSize()-1), make([]byte, n), f, 5, 9); !errors.Is(err, errBCNSize) {
			t.Errorf("%s without room: %v", f, err)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	for _, f := range bcnTested {
		src, dst := bcnRead(t, f, ".blocks"), make([]byte, width*height*f.PixelSize())
		if n := testing.AllocsPerRun(10, func() { _ = bcnDecode(dst, src, f, width-1, height-1) }); n > 0 {
			t.Errorf("%s: %v allocations", f, n)
		}
	}
}

// FuzzBcnDecode: all bytes are a picture, and nothing is written beyond it.
func FuzzBcnDecode(f *testing.F) {
	for _, format := range bcnTested {
		f.Add(bcnRead(f, format, ".blocks")[:32], uint8(format), uint8(7), uint8(3))
	}
	f.Fuzz(func(t *testing.T, src []byte, format, w, h uint8) {
		if bcnFormat(format) > bcnBC7 {
			return
		}
		size := int(w) * int(h) * bcnFormat(format).PixelSize()
		dst := bytes.Repeat([]byte{0xcd}, size+64)
		n, ok := bcnFormat(format).Size(int(w), int(h))
		err := bcnDecode(dst, src, bcnFormat(format), int(w), int(h))
		if (err == nil) != (ok && len(src) >= n) {
			t.Errorf("%d bytes of %d: %v", len(src), n, err)
		}
		if !bytes.Equal(dst[size:], bytes.Repeat([]byte{0xcd}, 64)) {
			t.Error("written beyond the picture")
		}
	})
}

// BenchmarkBcnDecode counts bytes of 8-bit RGBA pixels, whatever the format writes.
func BenchmarkBcnDecode(b *testing.B) {
	const side = 512
	for _, f := range bcnTested {
		n, _ := f.Size(side, side)
		blocks := bcnRead(b, f, ".blocks")
		src := make([]byte, 0, n)
		r := rand.New(rand.NewPCG(1, 2))
		size := len(blocks) / 96
		for len(src) < n {
			src = append(src, blocks[r.IntN(96)*size:][:size]...)
		}
		dst := make([]byte, side*side*f.PixelSize())
		b.Run(f.String(), func(b *testing.B) {
			b.SetBytes(side * side * 4)
			for b.Loop() {
				if err := bcnDecode(dst, src, f, side, side); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
