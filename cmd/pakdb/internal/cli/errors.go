package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/indexer"
	"pakdb/internal/process"
	"pakdb/internal/safename"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// WithHint adds advice to err, which may have several lines; "" adds nothing.
func WithHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return query.Hinted(nil, err, hint)
}

// Hint says what to do about err, where there is something to do.
func Hint(err error) string {
	if errors.Is(err, process.ErrPanic) {
		return `that is a fault of pakdb, whatever is wrong with the files; please report this line, the command and "pakdb --version" to the project`
	}
	var own interface{ Hint() string }
	if errors.As(err, &own) && own.Hint() != "" {
		return own.Hint()
	}
	if h := damageHint(err); h != "" {
		return h
	}
	for _, h := range []struct {
		class error
		text  string
	}{
		{ErrNoCatalog, `make one with "pakdb index PATH...", or name it with --catalog`},
		{query.ErrNoIndex, `run "pakdb index" for one of its builds again, without "--without search": archives that have not changed are not read`},
		{codecs.ErrEncrypted, KeyHint},
		{codecs.ErrWrongKey, "check the key that --aes-key, --keys or " + keyVariable + " gives; other paks of the game may have other keys"},
		{safename.ErrExists, "extract into an empty folder, or pass --overwrite"},
		{show.ErrNoNode, "pakdb query @search finds paths; --build names another build"},
		{schema.ErrNoBuild, "pakdb query @builds lists them"},
		{syscall.ENOSPC, "make room on that disk and run this again; files that were complete stay as they are"},
		{syscall.EDQUOT, "make room within your quota and run this again; files that were complete stay as they are"},
		{syscall.EMFILE, "let the process open more files: ulimit -n 256"},
		{syscall.EIO, "the disk, or the way to it, is failing: look into the system's log before you run this again"},
		{indexer.ErrNoFiles, "a folder is searched with all that is below it"},
		{delta.ErrNoFiles, "a folder is searched with all that is below it"},
	} {
		if errors.Is(err, h.class) {
			return h.text
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "" // any file
	}
	return query.CatalogHint(err)
}

// OfFile names the file, and the entry if it is not "", in an error about a format
// that knows less of them.
func OfFile(err error, file, entry string) error {
	var format *codecs.FormatError
	if !errors.As(err, &format) {
		return err
	}
	named := *format
	named.File, named.Entry = file, cmp.Or(entry, format.Entry)
	return &named
}

// ofCatalog gives an error of SQLite that nobody classified its class. Those of paks
// that are databases are not of the catalog.
func ofCatalog(err error) error {
	var format *codecs.FormatError
	if err == nil || errors.As(err, &format) {
		return err
	}
	return schema.Classify(err)
}

// Complaints are what was wrong while a command went on: one line each on
// stderr, and an exit code at the end: 4 if the machine failed in one of them, for
// then the others need not be all there is to find, else 1.
type Complaints struct {
	a      *App
	Count  int64
	failed bool

	keyless keyless
}

// NewComplaints returns complaints that are written to stderr as they come.
func NewComplaints(a *App) *Complaints { return &Complaints{a: a} }

// Add reports err, and what it says of the exit code.
func (c *Complaints) Add(err error) {
	c.Count++
	c.failed = c.failed || Code(err) == ExitFailed
	if c.keyless.repeats(err) {
		return
	}
	c.a.ClearLine()
	_, _ = fmt.Fprintln(c.a.Stderr, "pakdb: "+terminal.PrintableLines(err.Error()))
}

// Result is ErrFailures or ErrProblems if there were any, and nil otherwise.
func (c *Complaints) Result() error {
	_, _ = fmt.Fprint(c.a.Stderr, c.keyless.summary())
	switch {
	case c.failed:
		return ErrFailures
	case c.Count > 0:
		return ErrProblems
	}
	return nil
}
