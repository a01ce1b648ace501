// Package progress counts the progress of long work. A caller puts a [Counter] into a
// context by [Watch]; the functions that get the context begin a step by [Step] and
// add the bytes they have done.
package progress

import (
	"context"
	"sync"
)

// Counter holds the step at hand and its bytes. It is safe for concurrent use; a
// nil one counts nothing.
type Counter struct {
	mu          sync.Mutex
	step        string
	done, total int64
}

type key struct{}

// Watch returns a context in which work is counted in c. With nil nothing is
// counted, also of a counter that ctx has.
func Watch(ctx context.Context, c *Counter) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// Of returns the Counter of a context, or nil.
func Of(ctx context.Context) *Counter {
	c, _ := ctx.Value(key{}).(*Counter)
	return c
}

// Step begins a step of total bytes in the Counter of a context, and returns that
// Counter, or nil.
func Step(ctx context.Context, step string, total int64) *Counter {
	c := Of(ctx)
	c.Begin(step, total)
	return c
}

// Now returns the name of the step, "" before the first one, and how many of its
// bytes are done.
func (c *Counter) Now() (step string, done, total int64) {
	if c == nil {
		return "", 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.step, c.done, c.total
}

// Begin starts a step of total bytes.
func (c *Counter) Begin(step string, total int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step, c.done, c.total = step, 0, total
}

// Add counts n more bytes of the step.
func (c *Counter) Add(n int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
}
