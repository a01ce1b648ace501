package texture

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var bcnTested = []string{"BC1", "BC2", "BC3", "BC4", "BC5", "BC6H", "BC7"}

// blocksNamed returns a format by the name of its blocks.
func blocksNamed(name string) *Format {
	if engine, ok := map[string]string{"BC1": "DXT1", "BC2": "DXT3", "BC3": "DXT5"}[name]; ok {
		name = engine
	}
	f := formats()[name]
	return &f
}

const width, height = 48, 32

func bcnRead(t testing.TB, f string, what string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", strings.ToLower(f)+what))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decodeAll(name string, src []byte, w, h int) []byte {
	f := blocksNamed(name)
	dst := make([]byte, w*h*f.pixel)
	f.decodeBlocks(dst, src, w, h)
	return dst
}

// What Pillow 9.4 makes of random blocks, of all modes of BC6H and BC7: the same, but
// for what is rounded between two values, and for half floats as bytes.
func TestBcnLikeAnotherDecoder(t *testing.T) {
	worst := map[string]int{"BC3": 1, "BC4": 1, "BC5": 1, "BC6H": 1}
	for _, f := range bcnTested {
		want := bcnRead(t, f, ".pixels")
		got := decodeAll(f, bcnRead(t, f, ".blocks"), width, height)
		if f == "BC6H" {
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
	if got := decodeAll("BC7", src, 4, 4); !bytes.Equal(got, make([]byte, 64)) {
		t.Errorf("%v", got)
	}
}

// A picture of any size is the corner of the one of whole blocks.
func TestBcnEdges(t *testing.T) {
	for _, f := range bcnTested {
		src, pixel := bcnRead(t, f, ".blocks"), blocksNamed(f).pixel
		for _, size := range [][2]int{{1, 1}, {3, 5}, {5, 3}, {48, 31}, {47, 32}, {45, 1}} {
			w, h := size[0], size[1]
			across := (w + 3) / 4
			whole := decodeAll(f, src, across*4, (h+3)/4*4)
			got := decodeAll(f, src, w, h)
			for y := range h {
				if want := whole[y*across*4*pixel:][:w*pixel]; !bytes.Equal(got[y*w*pixel:(y+1)*w*pixel], want) {
					t.Fatalf("%s of %d x %d: row %d differs", f, w, h, y)
				}
			}
		}
	}
}

// FuzzBcnDecode: all bytes are a picture, and nothing is written beyond it.
func FuzzBcnDecode(f *testing.F) {
	for i, format := range bcnTested {
		f.Add(bcnRead(f, format, ".blocks")[:32], uint8(i), uint8(7), uint8(3))
	}
	f.Fuzz(func(t *testing.T, src []byte, format, w, h uint8) {
		f := blocksNamed(bcnTested[int(format)%len(bcnTested)])
		if n, ok := f.Size(int(w), int(h)); !ok || n > int64(len(src)) {
			return
		}
		size := int(w) * int(h) * f.pixel
		dst := bytes.Repeat([]byte{0xcd}, size+64)
		f.decodeBlocks(dst, src, int(w), int(h))
		if !bytes.Equal(dst[size:], bytes.Repeat([]byte{0xcd}, 64)) {
			t.Error("written beyond the picture")
		}
	})
}

// BenchmarkBcnDecode counts bytes of 8-bit RGBA pixels, whatever the format writes.
func BenchmarkBcnDecode(b *testing.B) {
	const side = 512
	for _, name := range bcnTested {
		f := blocksNamed(name)
		n, _ := f.Size(side, side)
		blocks := bcnRead(b, name, ".blocks")
		src := make([]byte, 0, n)
		r := rand.New(rand.NewPCG(1, 2))
		for len(src) < int(n) {
			src = append(src, blocks[r.IntN(96)*f.Bytes:][:f.Bytes]...)
		}
		dst := make([]byte, side*side*f.pixel)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(side * side * 4)
			for b.Loop() {
				f.decodeBlocks(dst, src, side, side)
			}
		})
	}
}
