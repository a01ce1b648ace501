package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"pakdb/internal/process"
	"pakdb/internal/terminal"
	"pakdb/query"

	"github.com/peterh/liner"
)

const (
	firstPrompt = "pakdb> "
	nextPrompt  = "  ...> "
)

// prompt asks until the user leaves. An interrupt is this function's business:
// ctx may end with the first one, so it is not heeded; SIGTERM and SIGHUP are.
func (s *shell) prompt(ctx context.Context) error {
	ctx, stop := process.WithTermination(context.WithoutCancel(ctx))
	defer stop()
	editor := liner.NewLiner()
	defer func() { _ = editor.Close() }()
	editor.SetCtrlCAborts(true)
	editor.SetMultiLineMode(true)
	editor.SetTabCompletionStyle(liner.TabPrints)
	editor.SetWordCompleter((&completer{shell: s, ctx: ctx}).complete)
	for _, statement := range s.pastInput(ctx) {
		editor.AppendHistory(statement)
	}
	s.note("%s. SQL ends at a semicolon; .help helps, .views shows what there is, Ctrl-D leaves.", s.DB.Catalog)
	for {
		err := s.ask(ctx, editor)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errQuit), errors.Is(err, io.EOF):
			return s.closeFile(true)
		default:
			s.show(err)
		}
	}
}

// ask reads one line and runs what it completes.
func (s *shell) ask(ctx context.Context, editor *liner.State) error {
	line, err := readLine(ctx, editor, s.text.Len() > 0)
	if errors.Is(err, liner.ErrPromptAborted) {
		s.text.Reset() // gives up the statement, not the shell
		return nil
	}
	if err != nil {
		return io.EOF
	}
	input := s.text.String() + line
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err = s.line(ctx, line)
	if s.text.Len() == 0 {
		s.remember(editor, input)
	}
	return err
}

// readLine asks for a line, the first of a statement or a next one. The editor
// cannot be interrupted from outside: when ctx ends, it is left waiting for
// input, and the caller, which is about to leave, restores the terminal.
func readLine(ctx context.Context, editor *liner.State, next bool) (line string, err error) {
	text := firstPrompt
	if next {
		text = nextPrompt
	}
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := editor.Prompt(text)
		got <- answer{line, err}
	}()
	select {
	case a := <-got:
		return a.line, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (s *shell) show(err error) {
	if errors.Is(err, context.Canceled) {
		s.note("interrupted")
		if errors.Is(err, query.ErrLeft) {
			s.note("(%v)", query.ErrLeft)
		}
		return
	}
	_, _ = fmt.Fprintf(s.Err, "%s %s\n", coloured(s.Err, "31", "error:"), terminal.PrintableLines(err.Error()))
	for line := range strings.SplitSeq(query.Hint(err), "\n") {
		if line != "" {
			_, _ = fmt.Fprintf(s.Err, "%s %s\n", coloured(s.Err, "36", "hint:"), terminal.PrintableLines(line))
		}
	}
}
