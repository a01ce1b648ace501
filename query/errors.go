package query

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"pakdb/internal/terminal"
	"pakdb/schema"
)

// The classes of errors, for callers that turn them into exit codes. An
// interrupted statement is the context's error.
var (
	ErrUsage   = errors.New("usage")   // bad SQL, unknown name, missing parameter
	ErrCatalog = errors.New("catalog") // missing, damaged, of another version, or not a catalog
	ErrFailed  = errors.New("failed")  // the machine did: reading the catalog, or no memory
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
	return &classed{class: ErrCatalog, err: err, hint: CatalogHint(err)}
}

const indexAgain = "index its builds again into a new catalog: pakdb index --catalog NEW.db --build LABEL ARCHIVE..."

// CatalogHint returns what to do about an error of a catalog's file, or "".
func CatalogHint(err error) string {
	for _, h := range []struct {
		class error
		text  string
	}{
		{schema.ErrNotCatalog, "name a catalog that pakdb index has written with --catalog"},
		{schema.ErrUnfinished, "run any pakdb command on it where its folder can be written to; or copy it there, with the files " +
			"beside it that end in -journal, -wal and -shm"},
		{schema.ErrEmpty, "run pakdb index first, or name the catalog with --catalog"},
		{schema.ErrTooNew, "use the pakdb that wrote it, or " + indexAgain},
		{schema.ErrTooOld, indexAgain},
		{schema.ErrForeign, "remove the change with sqlite3, or " + indexAgain},
		{schema.ErrDamaged, "pakdb verify lists the damage, the builds that can still be read, and the remedy"},
		{schema.ErrNoRoom, "make room and run it again; complete builds are still there"},
		{schema.ErrDisk, "pakdb verify checks the catalog"},
		{schema.ErrBusy, `wait for the other "pakdb index", or use another --catalog`},
		{fs.ErrNotExist, "run pakdb index first, or name the catalog with --catalog"},
	} {
		if errors.Is(err, h.class) {
			return h.text
		}
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
// ErrCatalog when the catalog's file is to blame, or ErrFailed.
type SQLError struct {
	Message string
	Text    string // the whole SQL text
	Offset  int    // of the place in Text that Message is about, in bytes; -1: unknown
	Err     error

	class error
	hint  string
}

// maxShown is how many cells of a message and of a line an error shows: a name may be a megabyte.
const maxShown = 200

// Error shows the line and marks the place, where it is known.
func (e *SQLError) Error() string {
	message := terminal.ShortenEnd(e.Message, maxShown)
	if e.Offset < 0 {
		return message
	}
	line, column, text := e.place()
	at := ""
	if strings.Contains(strings.TrimSpace(e.Text), "\n") {
		at = fmt.Sprintf("line %d, column %d: ", line, column+1)
	}
	if skipped := column - maxShown/2; skipped > 0 {
		text, column = "..."+string([]rune(text)[skipped:]), maxShown/2+3
	}
	return fmt.Sprintf("%s%s\n  %s\n  %s^", at, message, terminal.ShortenEnd(text, maxShown), strings.Repeat(" ", column))
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
		return &classed{class: ctx.Err(), err: errors.New("the time for this statement is up")}
	}
	return ctx.Err()
}
