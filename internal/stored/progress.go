package stored

import (
	"context"
	"sync"
)

// Progress holds the step at hand and its bytes. It is safe for concurrent use; a
// nil one counts nothing.
type Progress struct {
	mu          sync.Mutex
	step        string
	done, total int64
}

type key struct{}

// WatchProgress returns a context in which work is counted in c. With nil nothing is
// counted, also of a counter that ctx has.
func WatchProgress(ctx context.Context, c *Progress) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// ProgressOf returns the Counter of a context, or nil.
func ProgressOf(ctx context.Context) *Progress {
	c, _ := ctx.Value(key{}).(*Progress)
	return c
}

// Step begins a step of total bytes in the Counter of a context, and returns that
// Counter, or nil.
func Step(ctx context.Context, step string, total int64) *Progress {
	c := ProgressOf(ctx)
	c.Begin(step, total)
	return c
}

// Now returns the name of the step, "" before the first one, and how many of its
// bytes are done.
func (c *Progress) Now() (step string, done, total int64) {
	if c == nil {
		return "", 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.step, c.done, c.total
}

// Begin starts a step of total bytes.
func (c *Progress) Begin(step string, total int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step, c.done, c.total = step, 0, total
}

// Add counts n more bytes of the step.
func (c *Progress) Add(n int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
}
