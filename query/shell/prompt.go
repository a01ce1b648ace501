package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/chzyer/readline"
	"golang.org/x/term"
	"pakdb/internal/process"
	"pakdb/query"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

const (
	firstPrompt = "pakdb> "
	nextPrompt  = "  ...> "
)

// prompt asks until the user leaves. An interrupt is this function's business:
// ctx may end with the first one, so it is not heeded; SIGTERM and SIGHUP are.
func (s *shell) prompt(ctx context.Context, in *os.File) error {
	ctx, stop := process.WithTermination(context.WithoutCancel(ctx))
	defer stop()
	editor, err := s.editor(ctx, in)
	if err != nil {
		return err
	}
	defer func() { _ = editor.Close() }()
	defer context.AfterFunc(ctx, func() { _ = editor.Close() })()
	s.note("%s. SQL ends at a semicolon; .help helps, Ctrl-D leaves.", s.DB.Catalog())
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

func (s *shell) editor(ctx context.Context, in *os.File) (*readline.Instance, error) {
	history := s.History
	if history != "" && os.MkdirAll(filepath.Dir(history), 0o700) != nil {
		history = "" // a prompt without memory is better than none
	}
	return readline.NewEx(&readline.Config{
		Prompt: firstPrompt, Stdin: in, Stdout: s.Out, Stderr: s.Err,
		HistoryFile: history, HistoryLimit: 2000, HistorySearchFold: true, DisableAutoSaveHistory: true,
		AutoComplete: &completer{shell: s, ctx: ctx},
	})
}

// ask reads one line and runs what it completes.
func (s *shell) ask(ctx context.Context, editor *readline.Instance) error {
	editor.SetPrompt(firstPrompt)
	if s.text.Len() > 0 {
		editor.SetPrompt(nextPrompt)
	}
	line, err := editor.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
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
		remember(editor, input)
	}
	return err
}

// remember keeps a statement as one line, so that it is recalled as a whole;
// not so one with a comment or a text that ends at its line.
func remember(editor *readline.Instance, input string) {
	input = strings.TrimSpace(input)
	if strings.ContainsAny(input, "\n") && (strings.Contains(input, "--") || strings.ContainsAny(input, "'\"")) {
		for line := range strings.SplitSeq(input, "\n") {
			_ = editor.SaveHistory(line)
		}
		return
	}
	if input != "" {
		_ = editor.SaveHistory(strings.ReplaceAll(input, "\n", " "))
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
	s.note("error: %v", err)
	for line := range strings.SplitSeq(query.Hint(err), "\n") {
		if line != "" {
			_, _ = fmt.Fprintf(s.Err, "hint: %s\n", line)
		}
	}
}
