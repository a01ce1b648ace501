package semantic

import (
	"fmt"
	"image"
	"image/color"
	"math"

	"pakdb/internal/picture"
)

// distance is how much two pictures of one size differ.
type distance struct {
	pixels, differ int
	error          float64 // sum of the squares, of red, green, blue and opacity, 255 at most each
}

// String returns it as people read it.
func (d *distance) String() string {
	if d.differ == 0 {
		return "the same pixels"
	}
	percent := fmt.Sprintf("%.1f", 100*float64(d.differ)/float64(d.pixels))
	if percent == "0.0" {
		percent = "less than 0.1"
	}
	return fmt.Sprintf("%s %% differ, PSNR %.1f dB", percent, d.psnr())
}

// psnr is the peak signal-to-noise ratio in dB over all four channels.
func (d *distance) psnr() float64 {
	return 10 * math.Log10(255*255*4*float64(d.pixels)/d.error)
}

// compare compares pictures of one size.
func compare(a, b image.Image) distance {
	size := a.Bounds().Size()
	d := distance{pixels: size.X * size.Y}
	pa, pb := picture.Pixels(a), picture.Pixels(b)
	for y := range size.Y {
		for x := range size.X {
			p, q := pa(x, y), pb(x, y)
			if p == q {
				continue
			}
			d.differ++
			d.error += square(p.R, q.R) + square(p.G, q.G) + square(p.B, q.B) + square(p.A, q.A)
		}
	}
	return d
}

func square(a, b uint8) float64 {
	d := float64(int(a) - int(b))
	return d * d
}

// difference shows how much each pixel differs, four times as bright.
func difference(a, b image.Image) image.Image {
	size := a.Bounds().Size()
	out := image.NewNRGBA(image.Rectangle{Max: size})
	pa, pb := picture.Pixels(a), picture.Pixels(b)
	for y := range size.Y {
		for x := range size.X {
			p, q := pa(x, y), pb(x, y)
			alpha := int(p.A) - int(q.A)
			out.SetNRGBA(x, y, color.NRGBA{bright(p.R, q.R, alpha), bright(p.G, q.G, alpha), bright(p.B, q.B, alpha), 255})
		}
	}
	return out
}

func bright(a, b uint8, alpha int) uint8 {
	d := max(int(a)-int(b), int(b)-int(a), alpha, -alpha)
	return uint8(min(4*d, 255))
}

// maxSide bounds the sides of small pictures.
const maxSide = 256

// small returns a picture for a page.
func small(i image.Image) image.Image { return picture.Small(i, maxSide) }
