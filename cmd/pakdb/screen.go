package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/internal/pager"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// screen is the terminal that results are for, and how much of it they may use.
type screen struct {
	noPager, wide bool // --no-pager, --wide
	width         int  // cells of a line; 0: stdout is no terminal

	pager *pager.Pager // nil: none is wanted
	shown bool         // there was a pager: it has told of an interrupt
}

// paged are the commands whose results go through the pager: those that print what is
// to be read, and ask for nothing.
func paged() []string {
	return []string{"pakdb query", "pakdb show", "pakdb ls", "pakdb info", "pakdb diff", "pakdb log", "pakdb deps",
		"pakdb refs", "pakdb pkg", "pakdb formats", "pakdb mount-plan"}
}

func addScreen(cmd *cobra.Command, s *screen) {
	flags := cmd.PersistentFlags()
	flags.BoolVar(&s.noPager, "no-pager", false, "never start the pager (environment: PAGER)")
	flags.BoolVar(&s.wide, "wide", false, "show values in full, however narrow the terminal is")
}

// withScreen runs a command such that its results may be paged.
func withScreen(ctx context.Context, a *app, run func(context.Context) error) (err error) {
	ctx, a.screen.pager = pager.New(ctx, a.stdout)
	defer func() { a.screen.shown, err = a.screen.pager.Close(err) }()
	return run(ctx)
}

// beginPaging looks at the terminal and puts the pager in front of it, if the command
// is one of those whose results go there.
func beginPaging(a *app, cmd *cobra.Command) {
	a.screen.width, _, _ = terminal.Size(a.stdout)
	if p := a.screen.pager; p != nil && !a.screen.noPager && slices.Contains(paged(), cmd.CommandPath()) {
		a.stdout, a.stderr = p.Stdout(), p.Beside(a.stderr)
	}
}

// outputOf returns how results are written to stdout.
func outputOf(a *app, format string) query.Output {
	o := query.Output{W: a.stdout, Format: format, Escape: isTerminal(a.stdout), Width: a.screen.width, Colours: terminal.Colours(a.stdout)}
	if a.screen.wide {
		o.Width = 0
	}
	return o
}

// waiting shows on a terminal for how long work goes on, until the first write to the
// writer that is returned, or until stop.
func waiting(a *app, o query.Output, text, hint string) (shown query.Output, stop func()) {
	if !a.showsProgress() {
		return o, func() {}
	}
	wait := terminal.StartWait(a.stderr, text, hint)
	o.W = wait.Before(o.W)
	return o, wait.Stop
}
