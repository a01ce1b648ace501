package semantic

import (
	"image"
	"testing"
)

// TestWaves: what is loud is tall, what is silent is a line, and the difference is drawn where
// it is.
func TestWaves(t *testing.T) {
	loud := make([]byte, 4*waveWidth) // two samples a column
	for i := 0; i < len(loud); i += 4 {
		loud[i+1], loud[i+3] = 0x7f, 0x80 // 32512, -32768
	}
	half := append([]byte{}, loud...)
	clear(half[len(half)/2:])
	p := drawWaves(loud, half)
	tall := func(i image.Image, x int) (n int) {
		for y := range waveHeight {
			if _, _, _, alpha := i.At(x, y).RGBA(); alpha > 0 {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		what            string
		of              image.Image
		begins, endsOff int
	}{{"before", p.Old, waveHeight, waveHeight}, {"after", p.New, waveHeight, 1}, {"difference", p.Difference, 1, waveHeight}} {
		if got := tall(c.of, 10); got != c.begins {
			t.Errorf("%s: %d pixels at the beginning, want %d", c.what, got, c.begins)
		}
		if got := tall(c.of, waveWidth-10); got != c.endsOff {
			t.Errorf("%s: %d pixels at the end, want %d", c.what, got, c.endsOff)
		}
	}
	if !p.Wave {
		t.Errorf("%+v", p)
	}
	// Of other lengths, and none.
	p = drawWaves(nil, loud[:6])
	if _, _, _, alpha := p.New.At(0, 0).RGBA(); alpha == 0 || tall(p.New, 0) != 1 || tall(p.Old, 5) != 1 {
		t.Errorf("short: %d, %d", tall(p.Old, 5), tall(p.New, 0))
	}
	drawWaves(nil, nil)
}
