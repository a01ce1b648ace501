package patch

import "context"

// Step begins a step of other work than this package's in the Progress that ctx
// has, and returns it to be added to. It is nil, which counts nothing, if ctx has
// none.
func Step(ctx context.Context, step string, total int64) *Progress {
	p := watcher(ctx)
	p.begin(step, total)
	return p
}

// Watching returns the Progress that ctx has, or nil.
func Watching(ctx context.Context) *Progress { return watcher(ctx) }

// Add counts n more bytes of the step.
func (p *Progress) Add(n int64) { p.add(n) }
