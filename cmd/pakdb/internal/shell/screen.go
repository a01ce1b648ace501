package shell

import (
	"context"
	"io"

	"pakdb/internal/pager"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// run runs SQL and writes its results to where they belong: a file, or the screen,
// with the pager of the user if they do not fit. bytes are columns of sizes.
func run(ctx context.Context, s *shell, text string, args query.Args, bytes ...string) error {
	out := outputOf(s)
	out.Bytes = bytes
	var p *pager.Pager
	if s.interactive && s.file == nil {
		if ctx, p = pager.New(ctx, s.Out); p != nil {
			out.W = p.Stdout()
		}
	}
	var wait *terminal.Wait
	if s.interactive && terminal.Is(s.Err) {
		wait = terminal.StartWait(s.Err, "running", query.Advice(text))
		out.W = wait.Before(out.W)
	}
	out.Empty = func() { wait.Stop(); s.note("(no rows)") }
	out.Hidden = func(columns []string) { wait.Stop(); s.note("%s", query.HiddenNote(columns)) }
	err := s.DB.Run(ctx, text, args, out)
	wait.Stop()
	_, err = p.Close(err)
	return err
}

// printText writes a text for people to the screen, with the pager if it does not fit.
func printText(ctx context.Context, s *shell, text string) error {
	out, p := s.Out, (*pager.Pager)(nil)
	if s.interactive {
		if _, p = pager.New(ctx, s.Out); p != nil {
			out = p.Stdout()
		}
	}
	_, err := io.WriteString(out, text)
	_, err = p.Close(err)
	return err
}

// outputOf returns how results are written.
func outputOf(s *shell) query.Output {
	o := query.Output{W: s.out, Format: s.Format}
	if s.file == nil {
		o.Escape, o.Colours, o.Width = terminal.Is(s.Out), terminal.Colours(s.Out), width(s)
	}
	return o
}

// width returns how many cells a line has, 0 if Out is no terminal.
func width(s *shell) int {
	width, _, _ := terminal.Size(s.Out)
	return width
}

// coloured returns text in a colour, if w is a terminal that shows some.
func coloured(w io.Writer, colour, text string) string {
	if !terminal.Colours(w) {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
