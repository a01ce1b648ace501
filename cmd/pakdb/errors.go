package main

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"pakdb/codecs"
	"pakdb/indexer"
	"pakdb/internal/extract"
	"pakdb/internal/rescue"
	"pakdb/query"
	"pakdb/query/graph"
	"pakdb/schema"
)

// hintedError is an error that knows what to do about it.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// Hint returns the advice, which may have several lines.
func (e *hintedError) Hint() string { return e.hint }

// hinted adds advice to err; "" adds nothing.
func hinted(err error, hint string) error {
	if hint == "" {
		return err
	}
	return &hintedError{err, hint}
}

// hint says what to do about err, where there is something to do.
func hint(err error) string {
	if errors.Is(err, rescue.ErrPanic) {
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
		{errNoCatalog, `make one with "pakdb index PATH...", or name it with --catalog`},
		{codecs.ErrEncrypted, keyHint},
		{codecs.ErrWrongKey, "check the key that --aes-key, --keys or " + keyVariable + " gives; other paks of the game may have other keys"},
		{extract.ErrExists, "extract into an empty folder, or pass --overwrite"},
		{graph.ErrNoNode, "pakdb query @search finds paths; --build names another build"},
		{schema.ErrNoBuild, "pakdb query @builds lists them"},
		{syscall.ENOSPC, "make room on that disk and run this again; files that were complete stay as they are"},
		{syscall.EDQUOT, "make room within your quota and run this again; files that were complete stay as they are"},
		{syscall.EIO, "the disk, or the way to it, is failing: look into the system's log before you run this again"},
		{indexer.ErrNoFiles, "a folder is searched with all that is below it"},
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

// ofCatalog gives an error of SQLite that nobody classified its class. Those of paks
// that are databases are not of the catalog.
func ofCatalog(err error) error {
	var format *codecs.FormatError
	if err == nil || errors.As(err, &format) {
		return err
	}
	return schema.Classify(err)
}

// complaints are what was wrong while a command went on: one line each on
// stderr, and an exit code at the end: 4 if the machine failed in one of them, for
// then the others need not be all there is to find, else 1.
type complaints struct {
	a      *app
	n      int64
	failed bool

	keyless keyless
}

func (c *complaints) add(err error) {
	c.n++
	c.failed = c.failed || exitCode(err) == exitFailed
	if c.keyless.repeats(err) {
		return
	}
	c.a.clearLine()
	_, _ = fmt.Fprintln(c.a.stderr, "pakdb: "+printableLines(err.Error()))
}

// result is errFailures or errProblems if there were any.
func (c *complaints) result() error {
	_, _ = fmt.Fprint(c.a.stderr, c.keyless.summary())
	switch {
	case c.failed:
		return errFailures
	case c.n > 0:
		return errProblems
	}
	return nil
}
