// Package shell is a prompt for questions about a catalog: SQL that ends at a
// semicolon, named queries (@name), and commands that start with a dot. Given
// anything but a terminal it reads the same from there, and ends at the first
// error.
package shell

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/terminal"
	"pakdb/query"
)

// Config of a shell. DB, Library, In, Out and Err are required.
type Config struct {
	DB      *query.DB
	Library query.Library
	In      io.Reader
	Out     io.Writer
	Err     io.Writer // of errors and notes
	Format  string    // one of query.Formats
	History string    // file of past input, made when absent; "" for none
}

// Run reads and runs until the input ends. At a terminal an error is shown and
// the shell goes on, and an interrupt ends the statement that runs, not the
// shell; so ctx is heeded only where In is no terminal.
func Run(ctx context.Context, c Config) error {
	if err := (query.Output{W: c.Out, Format: c.Format}).Check(); err != nil {
		return err
	}
	s := &shell{Config: c, out: c.Out}
	defer s.closeFile(false)
	if terminal.Is(c.In) && terminal.Is(c.Out) {
		s.interactive = true
		return s.prompt(ctx)
	}
	if err := s.script(ctx, c.In); err != nil && !errors.Is(err, errQuit) {
		return err
	}
	return s.closeFile(true)
}

// errQuit ends the shell.
var errQuit = errors.New("quit")

type shell struct {
	Config
	out   io.Writer
	file  *cli.File // what out writes to, when it is not Config.Out
	timer bool
	text  strings.Builder // SQL so far

	params      map[string]string // as .param has them: typed where they are used
	interactive bool              // a person sees Out
}

// script runs a text without asking anyone.
func (s *shell) script(ctx context.Context, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if err := s.line(ctx, lines.Text()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return s.flush(ctx)
}

// line takes a line of input and runs what it completes.
func (s *shell) line(ctx context.Context, line string) error {
	trimmed := strings.TrimSpace(line)
	switch {
	case s.text.Len() > 0:
	case trimmed == "":
		return nil
	case trimmed[0] == '.':
		return s.command(ctx, trimmed)
	case trimmed[0] == '@':
		return s.timed(func() error { return s.named(ctx, strings.TrimSuffix(trimmed, ";")) })
	}
	s.text.WriteString(line + "\n")
	if query.Complete(s.text.String()) {
		return s.flush(ctx)
	}
	return nil
}

// flush runs the SQL collected so far.
func (s *shell) flush(ctx context.Context) error {
	text := s.text.String()
	s.text.Reset()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return s.timed(func() error { return run(ctx, s, text, argsOf(s, text)) })
}

func (s *shell) note(format string, args ...any) {
	_, _ = io.WriteString(s.Err, terminal.PrintableLines(fmt.Sprintf(format, args...))+"\n")
}

func (s *shell) timed(f func() error) error {
	begun := time.Now()
	err := f()
	if s.timer {
		s.note("%.3f s", time.Since(begun).Seconds())
	}
	return err
}

// named runs "@name args": values in order, -p name=value, --build label,
// --help.
func (s *shell) named(ctx context.Context, line string) error {
	words, err := split(line)
	if err != nil {
		return err
	}
	q, err := s.Library.Get(words[0])
	if err != nil {
		return err
	}
	var positional []string
	given := map[string]string{}
	for i := 1; i < len(words); i++ {
		value := ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch words[i] {
		case "--help", "-h":
			_, err := io.WriteString(s.out, q.Help())
			return err
		case "-p", "--param":
			name, text, _ := strings.Cut(value, "=")
			given[name] = text
			i++
		case "--build":
			given["build"] = value
			i++
		default:
			positional = append(positional, words[i])
		}
	}
	for name, value := range s.params { // of .param, where the line says nothing
		if _, ok := given[name]; !ok && q.Takes(name) {
			given[name] = value
		}
	}
	if build, ok := given["build"]; ok && !q.Takes("build") {
		delete(given, "build")
		if _, err := s.DB.Build(ctx, build); err != nil {
			return err
		}
		s.note("warning: --build %s has no effect: @%s does not say :build", build, q.Name)
	}
	args, err := s.DB.Bind(ctx, q, given, positional)
	if err != nil {
		return err
	}
	return run(ctx, s, q.SQL, args, q.Bytes...)
}

// split cuts a line into words as a shell does: at spaces, but not in single or
// double quotes.
func split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	started := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, query.Usagef("", "a quote is open: %s", line)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// closeFile goes back to Config.Out; what was written to a file by then is kept
// or not.
func (s *shell) closeFile(keep bool) error {
	f := s.file
	s.file, s.out = nil, s.Out
	switch {
	case f == nil:
		return nil
	case keep:
		return f.Commit()
	}
	f.Abort()
	return nil
}
