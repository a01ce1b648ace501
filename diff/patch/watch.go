package patch

import (
	"context"
	"sync"
)

// Progress tells how far a call is that was given it by [Watch]. It is safe for
// concurrent use; a nil one counts nothing.
type Progress struct {
	mu          sync.Mutex
	step        string
	done, total int64
}

// Watch returns a context by which the functions of this package count, in p,
// what they have done.
func Watch(ctx context.Context, p *Progress) context.Context {
	return context.WithValue(ctx, watchKey{}, p)
}

type watchKey struct{}

func watcher(ctx context.Context) *Progress {
	p, _ := ctx.Value(watchKey{}).(*Progress)
	return p
}

// Now returns what is being done ("" before anything is), and how many bytes of
// how many are.
func (p *Progress) Now() (step string, done, total int64) {
	if p == nil {
		return "", 0, 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.step, p.done, p.total
}

// begin starts a step over so many bytes.
func (p *Progress) begin(step string, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.done, p.total = step, 0, total
}

// add counts bytes of the step.
func (p *Progress) add(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
}

// What is being done, in the words that people see.
const (
	stepReading  = "reading"
	stepMaking   = "making the patch"
	stepApplying = "applying the patch" // which is the proof of one that was made
	stepChecking = "checking the files"
	stepVerify   = "checking the patch"
	stepChunks   = "looking for chunks"
)

func sizeOf(inputs []Input) (n int64) {
	for _, in := range inputs {
		n += in.Size
	}
	return n
}

func sizeOfFiles(files []File) (n int64) {
	for _, f := range files {
		n += f.Size
	}
	return n
}
