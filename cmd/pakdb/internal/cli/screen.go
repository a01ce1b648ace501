package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/internal/pager"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// screen is the terminal that results are for, and how much of it they may use.
type screen struct {
	wide  bool // --wide
	width int  // cells of a line; 0: stdout is no terminal

	stdout, stderr io.Writer // without the pager; nil: there is none

	pager *pager.Pager // nil: none is wanted
	shown bool         // there was a pager: it has reported an interrupt
}

// paged are the commands whose results go through the pager: those that print what is
// to be read, and ask for nothing.
func paged() []string {
	return []string{"pakdb query", "pakdb show", "pakdb ls", "pakdb diff", "pakdb log", "pakdb refs", "pakdb formats"}
}

func addScreen(cmd *cobra.Command, s *screen) {
	cmd.PersistentFlags().BoolVar(&s.wide, "wide", false, "show values in full, wider than the terminal")
}

// withScreen runs a command such that its results may be paged.
func withScreen(ctx context.Context, a *App, run func(context.Context) error) (err error) {
	ctx, a.screen.pager = pager.New(ctx, a.Stdout)
	defer func() { a.screen.shown, err = a.screen.pager.Close(err) }()
	return run(ctx)
}

// beginPaging looks at the terminal and puts the pager in front of it, if the command
// is one of those whose results go there.
func beginPaging(a *App, cmd *cobra.Command) {
	a.screen.width, _, _ = terminal.Size(a.Stdout)
	if p := a.screen.pager; p != nil && slices.Contains(paged(), cmd.CommandPath()) {
		a.screen.stdout, a.screen.stderr = a.Stdout, a.Stderr
		a.Stdout, a.Stderr = p.Stdout(), p.Beside(a.Stderr)
	}
}

// Unpage takes the pager away from a command that asks for something. It may not have
// written yet.
func Unpage(a *App) {
	if a.screen.stdout != nil {
		a.Stdout, a.Stderr = a.screen.stdout, a.screen.stderr
	}
}

// OutputOf returns how results are written to stdout.
func OutputOf(a *App, format string) query.Output {
	o := query.Output{W: a.Stdout, Format: format, Escape: terminal.Is(a.Stdout), Width: a.screen.width, Colours: terminal.Colours(a.Stdout)}
	if a.screen.wide {
		o.Width = 0
	}
	return o
}

// Waiting shows on a terminal for how long work goes on, until the first write to the
// writer that is returned, or until stop.
func Waiting(a *App, o query.Output, text, hint string) (shown query.Output, stop func()) {
	if !a.ShowsProgress() {
		return o, func() {}
	}
	wait := terminal.StartWait(a.Stderr, text, hint)
	o.W = wait.Before(o.W)
	return o, wait.Stop
}

// Working shows on a terminal for how long work goes on, until stop.
func Working(a *App, text string) (stop func()) {
	if !a.ShowsProgress() {
		return func() {}
	}
	return terminal.StartWait(a.Stderr, text, "").Stop
}

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
