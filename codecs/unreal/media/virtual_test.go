package media

import (
	"errors"
	"image"
	"image/color"
	"testing"

	"pakdb/codecs"
)

// TestLayers: each layer of a tile has its own pixels, in both ways in which tiles lie.
func TestLayers(t *testing.T) {
	const side = 16 + 2*2
	tile := func(v byte, pixel int) []byte {
		b := make([]byte, side*side*pixel)
		for i := range b {
			b[i] = v
		}
		return b
	}
	inside := append(tile(10, 1), tile(200, 4)...)
	base := virtual{layers: []string{"PF_G8", "PF_B8G8R8A8"}, tile: 16, border: 2, width: 16, height: 16,
		chunks: []chunk{{codecs: []uint8{tilesRaw, tilesRaw}, Bulk: Bulk{Stored: int64(len(inside)), Size: int64(len(inside))}}}}
	legacy, modern := base, base
	legacy.tileOfChunk, legacy.tileOfMip, legacy.offsets = []uint32{0}, []uint32{0}, []uint32{0, side * side}
	modern.starts = []uint32{side * side, 5 * side * side}
	modern.chunkOf, modern.base, modern.grids = []uint32{0}, []uint32{0}, []grid{{width: 1, height: 1, addresses: []uint32{0}, offsets: []uint32{0}}}
	for name, v := range map[string]*virtual{"4.27": &legacy, "5.0": &modern} {
		x := &Texture{Format: "PF_G8", Mips: []Mip{{Width: 16, Height: 16, Slices: 1}}, virtual: v, inside: inside}
		p := &Package{}
		for layer, want := range map[int][4]byte{-1: {10, 10, 10, 255}, 0: {10, 10, 10, 255}, 1: {200, 200, 200, 200}} {
			out, _, err := p.Picture(x, Which{Mip: -1, Slice: layer})
			if err != nil {
				t.Errorf("%s, layer %d: %v", name, layer, err)
				continue
			}
			c := color.NRGBAModel.Convert(out.At(8, 8)).(color.NRGBA)
			if got := [4]byte{c.R, c.G, c.B, c.A}; got != want || out.Bounds() != image.Rect(0, 0, 16, 16) {
				t.Errorf("%s, layer %d: %v, %v", name, layer, got, out.Bounds())
			}
		}
		if _, _, err := p.Picture(x, Which{Mip: -1, Slice: 2}); !errors.Is(err, codecs.ErrNotFound) {
			t.Errorf("%s, layer 2: %v", name, err)
		}
		if len(x.Layers()) != 2 {
			t.Errorf("%s: layers %q", name, x.Layers())
		}
	}
}
