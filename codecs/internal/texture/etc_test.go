package texture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
)

var etcTested = []string{"ETC2_RGB", "ETC2_RGBA", "ETC2_R11_EAC", "ETC2_RG11_EAC"}

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
		got := decodeAll("ETC2_RGB", binary.BigEndian.AppendUint64(nil, c.block), 4, 4)
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
	got := decodeAll("ETC2_RGBA", append(src, make([]byte, 8)...), 4, 4)
	if got[3] != 94 || got[63] != 128 {
		t.Errorf("alpha %d and %d, want 94 and 128", got[3], got[63])
	}
	got = decodeAll("ETC2_R11_EAC", src, 4, 4)
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
	want := map[string]uint32{"ETC2_RGB": 0x532f02e8, "ETC2_RGBA": 0xe0aa9e88, "ETC2_R11_EAC": 0x1facf4ff, "ETC2_RG11_EAC": 0x99eec64c}
	for _, f := range etcTested {
		if got := crc32.ChecksumIEEE(decodeAll(f, src, 64, 64)); got != want[f] {
			t.Errorf("%s: %#x, want %#x", f, got, want[f])
		}
	}
}

// A picture that ends within blocks has the same pixels as one that does not.
func TestEtcEdges(t *testing.T) {
	for _, f := range etcTested {
		src := make([]byte, 4*blocksNamed(f).Bytes)
		for i := range src {
			src[i] = byte(i * 37)
		}
		whole, cut, n := decodeAll(f, src, 8, 8), decodeAll(f, src, 7, 6), blocksNamed(f).pixel
		for y := range 6 {
			if !bytes.Equal(cut[y*7*n:(y+1)*7*n], whole[y*8*n:y*8*n+7*n]) {
				t.Errorf("%s: row %d differs", f, y)
			}
		}
	}
}

func FuzzEtcDecode(f *testing.F) {
	for format := range etcTested {
		f.Add(uint8(format), uint8(5), uint8(3), bytes.Repeat([]byte{0x5a, 0xc3, 0x17, 0xff}, 8))
	}
	f.Fuzz(func(_ *testing.T, format, width, height uint8, src []byte) {
		name := etcTested[int(format)%len(etcTested)]
		if size, ok := blocksNamed(name).Size(int(width), int(height)); ok && size <= int64(len(src)) {
			decodeAll(name, src, int(width), int(height))
		}
	})
}

func BenchmarkEtcDecode(b *testing.B) {
	const side = 512
	for _, name := range etcTested {
		b.Run(name, func(b *testing.B) {
			f := blocksNamed(name)
			size, _ := f.Size(side, side)
			src, dst := make([]byte, size), make([]byte, side*side*f.pixel)
			rnd := rand.New(rand.NewPCG(1, 2))
			for i := range src {
				src[i] = byte(rnd.Uint32())
			}
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				f.decodeBlocks(dst, src, side, side)
			}
		})
	}
}
