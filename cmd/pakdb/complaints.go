package main

import "fmt"

// complaints are what was wrong while a command went on: one line each on
// stderr, and the exit code 1 at the end.
type complaints struct {
	a *app
	n int64

	keyless keyless
}

func (c *complaints) add(err error) {
	c.n++
	if c.keyless.repeats(err) {
		return
	}
	c.a.clearLine()
	_, _ = fmt.Fprintln(c.a.stderr, "pakdb: "+printableLines(err.Error()))
}

// result is errProblems if there were any.
func (c *complaints) result() error {
	_, _ = fmt.Fprint(c.a.stderr, c.keyless.summary())
	if c.n > 0 {
		return errProblems
	}
	return nil
}
