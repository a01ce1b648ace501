package query

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"pakdb/schema"
)

// The classes of errors, for those who turn them into exit codes. An
// interrupted statement is the context's error.
var (
	ErrUsage   = errors.New("usage")   // bad SQL, unknown name, missing parameter
	ErrCatalog = errors.New("catalog") // missing, damaged, of another version, or not a catalog
)

// classed puts an error into a class and gives it a hint.
type classed struct {
	class error
	err   error
	hint  string
}

func (e *classed) Error() string   { return e.err.Error() }
func (e *classed) Unwrap() []error { return []error{e.class, e.err} }
func (e *classed) Hint() string    { return e.hint }

// Usagef returns an error of class ErrUsage with a hint, which may be "".
func Usagef(hint, format string, args ...any) error {
	return &classed{class: ErrUsage, err: fmt.Errorf(format, args...), hint: hint}
}

func catalogError(err error) error {
	return &classed{class: ErrCatalog, err: err, hint: catalogHint(err)}
}

func catalogHint(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "run pakdb index first, or name the catalog with --catalog"
	case errors.Is(err, schema.ErrNotCatalog):
		return "name a catalog that pakdb index has written with --catalog"
	case errors.Is(err, schema.ErrTooNew):
		return "use the pakdb that wrote it, or a newer one"
	case errors.Is(err, schema.ErrTooOld):
		return "the next pakdb index brings it up to date"
	}
	return ""
}

// Hint returns advice that goes with an error of this package, or "".
func Hint(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// SQLError is what SQLite says against a statement. It is of class ErrUsage,
// or ErrCatalog when the catalog's file is to blame.
type SQLError struct {
	Message string
	Text    string // the whole SQL text
	Offset  int    // of the place in Text that Message is about, in bytes; -1: unknown
	Err     error

	class error
	hint  string
}

// Error shows the line and marks the place, where it is known.
func (e *SQLError) Error() string {
	if e.Offset < 0 {
		return e.Message
	}
	line, column, text := e.place()
	at := ""
	if strings.Contains(strings.TrimSpace(e.Text), "\n") {
		at = fmt.Sprintf("line %d, column %d: ", line, column+1)
	}
	return fmt.Sprintf("%s%s\n  %s\n  %s^", at, e.Message, text, strings.Repeat(" ", column))
}

// place returns the line from 1, the column in characters from 0, and the line.
func (e *SQLError) place() (line, column int, text string) {
	before := e.Text[:e.Offset]
	start := strings.LastIndexByte(before, '\n') + 1
	text, _, _ = strings.Cut(e.Text[start:], "\n")
	text = strings.ReplaceAll(strings.TrimSuffix(text, "\r"), "\t", " ")
	return 1 + strings.Count(before, "\n"), utf8.RuneCountInString(before[start:]), text
}

func (e *SQLError) Unwrap() []error { return []error{e.class, e.Err} }

// Hint returns what may have been meant.
func (e *SQLError) Hint() string { return e.hint }

// interrupted returns the context's error if it is done, for then whatever else
// failed did so because of it.
func interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the time is up: %w", ctx.Err())
	}
	return ctx.Err()
}
