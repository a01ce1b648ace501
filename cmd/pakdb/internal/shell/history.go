package shell

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"pakdb/internal/atomicfile"
	"pakdb/query"

	"github.com/peterh/liner"
)

// mostHistory is how many lines the file of past input may have before its
// older half is dropped. The editor holds liner.HistoryLimit of them.
const mostHistory = 2 * liner.HistoryLimit

// pastInput returns the lines of Config.History, the oldest first. What cannot
// be read is left out: a prompt without memory is better than none.
func (s *shell) pastInput(ctx context.Context) []string {
	b, err := os.ReadFile(s.History)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(lines) > mostHistory {
		lines = lines[len(lines)-liner.HistoryLimit:]
		_ = s.shortenHistory(ctx, lines)
	}
	return lines
}

// shortenHistory replaces the file of past input by fewer lines.
func (s *shell) shortenHistory(ctx context.Context, lines []string) (err error) {
	out, err := atomicfile.Create(ctx, s.History, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Discard()) }()
	if _, err := out.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		return err
	}
	return out.Commit()
}

// remember keeps a statement as one line, so that it is recalled as a whole and edited
// as such. A name with a line break in it cannot be written so; its statement is kept
// as lines.
func (s *shell) remember(editor *liner.State, input string) {
	input = strings.TrimSpace(input)
	if input == "" {
		return
	}
	lines := strings.Split(input, "\n")
	if one, ok := query.OneLine(input); ok && len(lines) > 1 {
		lines = []string{one}
	}
	for _, line := range lines {
		editor.AppendHistory(line)
	}
	_ = s.keepHistory(lines)
}

// keepHistory appends lines to the file of past input, one write for all, so
// that two shells do not mix theirs.
func (s *shell) keepHistory(lines []string) error {
	if s.History == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.History), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.History, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, f.Close())
}
