// Package picture makes small pictures of large ones, and draws them on terminals.
//
//	picture.go   pixels of any picture; small ones
//	terminal.go  which terminals show pictures, and how they want them
package picture

import (
	"image"
	"image/color"
)

// Pixels returns the pixels of a picture by their distance from its corner.
func Pixels(i image.Image) func(x, y int) color.NRGBA {
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

// Small returns a picture whose sides are at most side; see [Resized].
func Small(i image.Image, side int) *image.NRGBA {
	size := i.Bounds().Size()
	w, h := size.X, size.Y
	if longest := max(w, h); longest > side {
		w, h = max(1, w*side/longest), max(1, h*side/longest)
	}
	return Resized(i, w, h)
}

// Resized returns a picture of other sides, none below 1: each pixel is the mean of those
// that it stands for, by their opacity.
func Resized(i image.Image, w, h int) *image.NRGBA {
	size := i.Bounds().Size()
	pixel := Pixels(i)
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
