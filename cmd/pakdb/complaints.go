package main

import "fmt"

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
