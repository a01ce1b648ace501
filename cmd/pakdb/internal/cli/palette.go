package cli

import "pakdb/internal/terminal"

// Palette colours lines for people; without a terminal, or with NO_COLOR, it
// does nothing.
type Palette struct{ on bool }

// NewPalette returns the palette for standard output.
func NewPalette(a *App) Palette {
	return Palette{terminal.Colours(a.Stdout)}
}

// The colours of changes, results and remarks.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Faint  = "2"
)

// Paint returns s in a colour, a parameter of the escape sequence SGR; "" is none.
func (p Palette) Paint(colour, s string) string {
	if !p.on || s == "" || colour == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
