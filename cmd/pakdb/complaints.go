package main

import "fmt"

// complaints are what was wrong while a command went on: one line each on
// stderr, and the exit code 1 at the end.
type complaints struct {
	a *app
	n int64
}

func (c *complaints) add(err error) {
	c.n++
	c.a.clearLine()
	_, _ = fmt.Fprintln(c.a.stderr, "pakdb: "+err.Error())
}

// result is errProblems if there were any.
func (c *complaints) result() error {
	if c.n > 0 {
		return errProblems
	}
	return nil
}
