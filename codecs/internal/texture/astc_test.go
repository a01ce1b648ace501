package texture

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sides are those of the blocks in testdata.
var sides = [][2]int{{4, 4}, {5, 4}, {6, 6}, {8, 8}, {12, 12}}

func astcRead(t testing.TB, side [2]int, what string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf("%dx%d.%s", side[0], side[1], what)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What astcenc 4.3 makes of random blocks, 64 of each size, some of them illegal. It
// calculates with floats of 16 bits, so that the last bit may differ.
func TestAstcLikeAnotherDecoder(t *testing.T) {
	for _, side := range sides {
		blocks, want := astcRead(t, side, "blocks"), astcRead(t, side, "pixels")
		exact := 0
		for k := range len(blocks) / 16 {
			n := side[0] * side[1] * astcPixelSize
			got := make([]byte, n)
			if err := astcDecode(got, blocks[16*k:], side[0], side[1], side[0], side[1]); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				d := int(got[i]) - int(want[k*n+i])
				if max(d, -d) > 1 {
					t.Errorf("%v: block %d, byte %d: %d, want %d", side, k, i, got[i], want[k*n+i])
					break
				}
				if d == 0 {
					exact++
				}
			}
		}
		if share := float64(exact) / float64(len(want)); share < 0.9 {
			t.Errorf("%v: only %.3f of the bytes are the same", side, share)
		}
	}
}

// A picture of several blocks that ends within some has the same pixels as the blocks.
func TestAstcEdges(t *testing.T) {
	for _, side := range sides {
		blocks := astcRead(t, side, "blocks")[:6*16]
		width, height := 3*side[0]-2, 2*side[1]-1
		got := make([]byte, width*height*astcPixelSize)
		if err := astcDecode(got, blocks, width, height, side[0], side[1]); err != nil {
			t.Fatal(err)
		}
		for y := range height {
			for x := range width {
				one := make([]byte, side[0]*side[1]*astcPixelSize)
				if err := astcDecode(one, blocks[16*(y/side[1]*3+x/side[0]):], side[0], side[1], side[0], side[1]); err != nil {
					t.Fatal(err)
				}
				at := (y%side[1]*side[0] + x%side[0]) * astcPixelSize
				if !bytes.Equal(got[(y*width+x)*4:][:4], one[at:at+4]) {
					t.Fatalf("%v: pixel %d, %d differs", side, x, y)
				}
			}
		}
	}
}

func TestHDR(t *testing.T) {
	hdr := append([]byte{0xfc, 0xff}, bytes.Repeat([]byte{0xff}, 14)...) // one colour, of floats
	if err := astcDecode(make([]byte, 64), hdr, 4, 4, 4, 4); !errors.Is(err, errASTCHDR) {
		t.Error(err)
	}
}

func FuzzAstcDecode(f *testing.F) {
	for _, side := range sides {
		f.Add(uint8(side[0]), uint8(side[1]), astcRead(f, side, "blocks")[:64])
	}
	f.Fuzz(func(t *testing.T, bw, bh uint8, src []byte) {
		width, height := 2*int(bw)-1, 2*int(bh)-1
		if !slices.Contains(sides, [2]int{int(bw), int(bh)}) || len(src) < 4*blockSize {
			return
		}
		_ = astcDecode(make([]byte, width*height*astcPixelSize), src, width, height, int(bw), int(bh))
	})
}

// TestRandomBlocks: nothing panics, of 20,000 random blocks of each size.
func TestRandomBlocks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 9))
	src, dst := make([]byte, 16), make([]byte, 12*12*astcPixelSize)
	for _, side := range sides {
		for range 20_000 {
			for i := range src {
				src[i] = byte(rnd.Uint32())
			}
			_ = astcDecode(dst, src, side[0], side[1], side[0], side[1])
		}
	}
}

func BenchmarkAstcDecode(b *testing.B) {
	for _, side := range sides {
		b.Run(fmt.Sprintf("%dx%d", side[0], side[1]), func(b *testing.B) {
			src := astcRead(b, side, "blocks")
			width, height := 8*side[0], 8*side[1]
			dst := make([]byte, width*height*astcPixelSize)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := astcDecode(dst, src, width, height, side[0], side[1]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
