package semantic

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pakdb/internal/picture"
)

// waves is a picture that differs with its seed.
func waves(w, h, seed int) *image.NRGBA {
	i := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := 6.3*float64(x)/float64(w), 6.3*float64(y)/float64(h)
			at := func(k int) uint8 {
				return uint8(128 + 60*math.Sin(float64(1+seed%3)*u+float64(seed)) + 60*math.Sin(float64(1+seed/3)*v+float64(seed*k)+u))
			}
			i.SetNRGBA(x, y, color.NRGBA{at(1), at(2), at(3), 255})
		}
	}
	return i
}

func looked(t *testing.T, i image.Image) *Look {
	t.Helper()
	l, ok := lookOf(i)
	if !ok {
		t.Fatal("a picture of one colour")
	}
	l.Width, l.Height = i.Bounds().Dx(), i.Bounds().Dy()
	return &l
}

// TestLooks: a picture looks like itself at another size and with other rounding, and like
// no other.
func TestLooks(t *testing.T) {
	var all []*Look
	for seed := range 12 {
		all = append(all, looked(t, waves(200, 120, seed+1)))
	}
	for i, l := range all {
		rough := waves(200, 120, i+1)
		for k := range rough.Pix {
			if k%4 < 3 {
				rough.Pix[k] = rough.Pix[k]&^7 | 3
			}
		}
		for what, same := range map[string]image.Image{"itself": waves(200, 120, i+1), "small": picture.Resized(waves(200, 120, i+1), 100, 60), "rough": rough} {
			if psnr, ok := looked(t, same).alike(l); !ok {
				t.Errorf("%d, %s: PSNR %.1f", i, what, psnr)
			}
		}
		for k, other := range all {
			if psnr, ok := other.alike(l); ok && k != i {
				t.Errorf("%d looks like %d: PSNR %.1f", i, k, psnr)
			}
		}
		tall := *l
		tall.Width, tall.Height = 120, 200
		if _, ok := tall.alike(l); ok {
			t.Errorf("%d: of other proportions", i)
		}
	}
	for _, flat := range []*image.NRGBA{filled(64, 64, color.NRGBA{9, 9, 9, 255}), filled(64, 64, color.NRGBA{})} {
		if _, ok := lookOf(flat); ok {
			t.Error("one colour has a look")
		}
	}
}
