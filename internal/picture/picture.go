// Package picture makes small pictures of large ones, and draws them on terminals.
//
//	picture.go   pixels of any picture; small ones
//	terminal.go  which terminals show pictures, and how they want them
package picture

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/png"
	"io"
	"strings"
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
// that it covers, by their opacity.
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

// Protocol is how a terminal takes pictures.
type Protocol string

// The protocols.
const (
	None  Protocol = "none"
	Kitty Protocol = "kitty" // of kitty, Ghostty
	ITerm Protocol = "iterm" // of iTerm2, WezTerm
	Sixel Protocol = "sixel" // of foot, mlterm, xterm -ti vt340
)

// Variable is the one of the environment that says which protocol is taken.
const Variable = "PAKDB_PICTURES"

// Of returns the protocol of the terminal that the environment names: what cannot be known
// without asking the terminal is [None]. getenv is [os.Getenv].
func Of(getenv func(string) string) Protocol {
	switch p := Protocol(strings.ToLower(getenv(Variable))); p {
	case None, Kitty, ITerm, Sixel:
		return p
	}
	term, program := strings.ToLower(getenv("TERM")), strings.ToLower(getenv("TERM_PROGRAM"))
	switch {
	case term == "" || term == "dumb":
		return None
	case getenv("TMUX") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux"):
		return None // passes on none of them
	case strings.Contains(term, "kitty"), strings.Contains(term, "ghostty"), program == "ghostty":
		return Kitty
	case program == "iterm.app", program == "wezterm":
		return ITerm
	case strings.Contains(term, "sixel"), strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "mlterm"), strings.HasPrefix(term, "yaft"):
		return Sixel
	}
	return None
}

// Draw draws a picture, and ends the line.
func Draw(w io.Writer, i image.Image, p Protocol) error {
	out := bufio.NewWriter(w)
	switch p {
	case Kitty, ITerm:
		var b bytes.Buffer
		if err := png.Encode(&b, i); err != nil {
			return err
		}
		text := base64.StdEncoding.EncodeToString(b.Bytes())
		if p == ITerm {
			_, _ = fmt.Fprintf(out, "\x1b]1337;File=inline=1;size=%d:%s\a", b.Len(), text)
		} else {
			kitty(out, text)
		}
	case Sixel:
		sixel(out, i)
	default:
		return nil
	}
	_ = out.WriteByte('\n')
	return out.Flush()
}

// chunk is how many bytes kitty takes at a time.
const chunk = 4096

func kitty(w *bufio.Writer, text string) {
	head := "a=T,f=100,"
	for {
		part := text[:min(len(text), chunk)]
		text = text[len(part):]
		more := 0
		if text != "" {
			more = 1
		}
		_, _ = fmt.Fprintf(w, "\x1b_G%sm=%d;%s\x1b\\", head, more, part)
		if head = ""; text == "" {
			return
		}
	}
}

// sixel draws a picture in bands of six lines, colour by colour, in front of black.
func sixel(w *bufio.Writer, i image.Image) {
	size := i.Bounds().Size()
	flat := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(flat, flat.Rect, image.NewUniform(color.Black), image.Point{}, draw.Src)
	draw.Draw(flat, flat.Rect, i, i.Bounds().Min, draw.Over)
	few := image.NewPaletted(flat.Rect, palette.WebSafe)
	draw.FloydSteinberg.Draw(few, few.Rect, flat, image.Point{})
	_, _ = fmt.Fprintf(w, "\x1bPq\"1;1;%d;%d", size.X, size.Y)
	for k, c := range few.Palette {
		r, g, b, _ := c.RGBA()
		_, _ = fmt.Fprintf(w, "#%d;2;%d;%d;%d", k, r*100/0xFFFF, g*100/0xFFFF, b*100/0xFFFF)
	}
	for top := 0; top < size.Y; top += 6 {
		band(w, few, top)
		_ = w.WriteByte('-')
	}
	_, _ = w.WriteString("\x1b\\")
}

// band draws six lines.
func band(w *bufio.Writer, i *image.Paletted, top int) {
	width := i.Rect.Dx()
	bits := map[uint8][]byte{}
	for y := top; y < min(top+6, i.Rect.Dy()); y++ {
		for x := range width {
			c := i.ColorIndexAt(x, y)
			if bits[c] == nil {
				bits[c] = make([]byte, width)
			}
			bits[c][x] |= 1 << (y - top)
		}
	}
	for c := range len(i.Palette) {
		row := bits[uint8(c)]
		if row == nil {
			continue
		}
		_, _ = fmt.Fprintf(w, "#%d", c)
		for x := 0; x < width; {
			n := 1
			for x+n < width && row[x+n] == row[x] {
				n++
			}
			if n > 3 {
				_, _ = fmt.Fprintf(w, "!%d%c", n, '?'+row[x])
			} else {
				for range n {
					_ = w.WriteByte('?' + row[x])
				}
			}
			x += n
		}
		_ = w.WriteByte('$')
	}
}
