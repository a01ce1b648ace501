package mediadiff

import (
	"fmt"
	"image"
	"image/color"
	"math"
)

// distance is how much two pictures of one size differ.
type distance struct {
	pixels, differ int
	error          float64 // sum of the squares, of red, green, blue and opacity, 255 at most each
}

// String tells it as people read it.
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
	pa, pb := pixelsOf(a), pixelsOf(b)
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

// pixelsOf returns the pixels of a picture by their distance from its corner.
func pixelsOf(i image.Image) func(x, y int) color.NRGBA {
	origin := i.Bounds().Min
	switch i := i.(type) {
	case *image.NRGBA:
		return func(x, y int) color.NRGBA {
			at := i.PixOffset(origin.X+x, origin.Y+y)
			p := i.Pix[at : at+4 : at+4]
			return color.NRGBA{p[0], p[1], p[2], p[3]}
		}
	case *image.Gray:
		return func(x, y int) color.NRGBA {
			v := i.Pix[i.PixOffset(origin.X+x, origin.Y+y)]
			return color.NRGBA{v, v, v, 255}
		}
	}
	return func(x, y int) color.NRGBA {
		return color.NRGBAModel.Convert(i.At(origin.X+x, origin.Y+y)).(color.NRGBA)
	}
}

// difference shows how much each pixel differs, four times as bright.
func difference(a, b image.Image) image.Image {
	size := a.Bounds().Size()
	out := image.NewNRGBA(image.Rectangle{Max: size})
	pa, pb := pixelsOf(a), pixelsOf(b)
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

// small returns a picture whose sides are at most maxSide: each pixel is the mean of those
// that it stands for.
func small(i image.Image) image.Image {
	size := i.Bounds().Size()
	w, h := size.X, size.Y
	if longest := max(w, h); longest > maxSide {
		w, h = max(1, w*maxSide/longest), max(1, h*maxSide/longest)
	}
	pixel := pixelsOf(i)
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			var r, g, b, alpha, n int
			for sy := y * size.Y / h; sy < max((y+1)*size.Y/h, y*size.Y/h+1); sy++ {
				for sx := x * size.X / w; sx < max((x+1)*size.X/w, x*size.X/w+1); sx++ {
					p := pixel(sx, sy)
					a := int(p.A)
					r, g, b, alpha, n = r+int(p.R)*a, g+int(p.G)*a, b+int(p.B)*a, alpha+a, n+1
				}
			}
			if alpha > 0 {
				out.SetNRGBA(x, y, color.NRGBA{uint8(r / alpha), uint8(g / alpha), uint8(b / alpha), uint8(alpha / n)})
			}
		}
	}
	return out
}
