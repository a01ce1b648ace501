package texture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"
)

var etcTested = []etcFormat{etcRGB, etcRGBA, etcR11, etcRG11}

func testETC(t testing.TB, f etcFormat, src []byte, w, h int) []byte {
	t.Helper()
	dst := make([]byte, w*h*f.PixelSize())
	if err := etcDecode(dst, src, f, w, h); err != nil {
		t.Fatal(err)
	}
	return dst
}

// Blocks of each mode, and what the formulas of the specification make of them by hand.
// The formats are compared with known pictures in codecs/unreal/media.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		name  string
		block uint64
		want  [3][4]byte // pixels (0, 0), (3, 0) and (0, 3)
	}{
		{"individual, halves side by side", 0xF0_0F_00_00_00000000, [3][4]byte{{255, 2, 2, 255}, {2, 255, 2, 255}, {255, 2, 2, 255}}},
		{"individual, flipped", 0xF0_0F_00_01_00000000, [3][4]byte{{255, 2, 2, 255}, {255, 2, 2, 255}, {2, 255, 2, 255}}},
		{"differential, the same colour twice, second brightness", 0x80_80_80_02_0000FFFF, [3][4]byte{{140, 140, 140, 255}, {140, 140, 140, 255}, {140, 140, 140, 255}}},
		{"planar, even", planarBlock(21, 42, 21), [3][4]byte{{85, 84, 85, 255}, {85, 84, 85, 255}, {85, 84, 85, 255}}},
	} {
		got := testETC(t, etcRGB, binary.BigEndian.AppendUint64(nil, c.block), 4, 4)
		for k, at := range []int{0, 3, 12} {
			if !bytes.Equal(got[4*at:4*at+4], c.want[k][:]) {
				t.Errorf("%s: pixel %d: %v, want %v", c.name, at, got[4*at:4*at+4], c.want[k])
			}
		}
	}
}

// planarBlock returns a block of one colour in planar mode.
func planarBlock(r, g, b uint64) uint64 {
	v := r<<57 | g>>6<<56 | g&63<<49 | b>>5<<48 | b>>3&3<<43 | b&7<<39
	v |= r>>1<<34 | r&1<<32 | g<<25 | b<<19 | r<<13 | g<<6 | b | 1<<33
	if r5, d := v>>59&31, v>>56&7; int(r5)+etcSigned(d) < 0 || int(r5)+etcSigned(d) > 31 {
		v ^= 1 << 63 // the highest bits of red and green only keep these from overflowing
	}
	if g5, d := v>>51&31, v>>48&7; int(g5)+etcSigned(d) < 0 || int(g5)+etcSigned(d) > 31 {
		v ^= 1 << 55
	}
	if b>>3&2 == 0 { // blue overflows downwards
		v |= 1 << 42
	} else { // or upwards
		v |= 7 << 45
	}
	return v
}

func etcSigned(d uint64) int {
	if d > 3 {
		return int(d) - 8
	}
	return int(d)
}

func TestEAC(t *testing.T) {
	src := []byte{100, 0x20, 0, 0, 0, 0, 0, 0x07} // multiplier 2, table 0; the last pixel has index 7: 756 and 1028 of 2047
	got := testETC(t, etcRGBA, append(src, make([]byte, 8)...), 4, 4)
	if got[3] != 94 || got[63] != 128 {
		t.Errorf("alpha %d and %d, want 94 and 128", got[3], got[63])
	}
	got = testETC(t, etcR11, src, 4, 4)
	if got[0] != 94 || got[15] != 128 {
		t.Errorf("red %d and %d", got[0], got[15])
	}
}

// TestRandom keeps what random blocks decode to. All modes occur among them.
func TestRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	src := make([]byte, 64*64)
	for i := range src {
		src[i] = byte(rnd.Uint32())
	}
	want := map[etcFormat]uint32{etcRGB: 0x532f02e8, etcRGBA: 0xe0aa9e88, etcR11: 0x1facf4ff, etcRG11: 0x99eec64c}
	for _, f := range etcTested {
		if got := crc32.ChecksumIEEE(testETC(t, f, src, 64, 64)); got != want[f] {
			t.Errorf("%s: %#x, want %#x", f, got, want[f])
		}
	}
}

// A picture that ends within blocks has the same pixels as one that does not.
func TestEtcEdges(t *testing.T) {
	for _, f := range etcTested {
		size, _ := f.Size(8, 8)
		src := make([]byte, size)
		for i := range src {
			src[i] = byte(i * 37)
		}
		whole, cut, n := testETC(t, f, src, 8, 8), testETC(t, f, src, 7, 6), f.PixelSize()
		for y := range 6 {
			if !bytes.Equal(cut[y*7*n:(y+1)*7*n], whole[y*8*n:y*8*n+7*n]) {
				t.Errorf("%s: row %d differs", f, y)
			}
		}
	}
}

func TestEtcSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {math.MaxInt32, math.MaxInt32}} {
		if err := etcDecode(nil, nil, etcRGB, c[0], c[1]); !errors.Is(err, errETCSize) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if err := etcDecode(make([]byte, 64), make([]byte, 7), etcRGB, 4, 4); !errors.Is(err, errETCSize) {
		t.Error(err)
	}
	if err := etcDecode(make([]byte, 63), make([]byte, 8), etcRGB, 4, 4); !errors.Is(err, errETCSize) {
		t.Error(err)
	}
	if err := etcDecode(nil, nil, etcFormat(9), 4, 4); !errors.Is(err, errETCSize) {
		t.Error(err)
	}
}

func FuzzEtcDecode(f *testing.F) {
	for _, format := range etcTested {
		f.Add(uint8(format), 5, 3, bytes.Repeat([]byte{0x5a, 0xc3, 0x17, 0xff}, 8))
	}
	f.Fuzz(func(_ *testing.T, format uint8, width, height int, src []byte) {
		e := etcFormat(format)
		if size, ok := e.Size(width, height); !ok || size > len(src) {
			_ = etcDecode(nil, src, e, width, height)
			return
		}
		_ = etcDecode(make([]byte, width*height*e.PixelSize()), src, e, width, height)
	})
}

func BenchmarkEtcDecode(b *testing.B) {
	const side = 512
	for _, f := range etcTested {
		b.Run(f.String(), func(b *testing.B) {
			size, _ := f.Size(side, side)
			src, dst := make([]byte, size), make([]byte, side*side*f.PixelSize())
			rnd := rand.New(rand.NewPCG(1, 2))
			for i := range src {
				src[i] = byte(rnd.Uint32())
			}
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := etcDecode(dst, src, f, side, side); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
