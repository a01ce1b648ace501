package process

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// ErrPanic is the class of [Panic].
var ErrPanic = errors.New("internal error")

// Panic is a panic as an error: a fault of the program, whatever its input. It is
// an [ErrPanic].
type Panic struct {
	Value any      // what was passed to panic
	At    []string // the innermost calls as "folder/file.go:line", where it struck first
}

// Error is the value and the place on one line.
func (p *Panic) Error() string {
	text := strings.Join(strings.Fields(fmt.Sprint(p.Value)), " ")
	return fmt.Sprintf("%v: %s (at %s)", ErrPanic, text, strings.Join(p.At, " < "))
}

func (p *Panic) Unwrap() []error {
	if err, ok := p.Value.(error); ok {
		return []error{ErrPanic, err}
	}
	return []error{ErrPanic}
}

// Rescue sets *err to a [Panic] if the function that defers it panics. Deferred
// functions that clean up by *err must be deferred before it, as they run after it:
//
//	defer func() { if err != nil { remove() } }()
//	defer process.Rescue(&err)
func Rescue(err *error) {
	if v := recover(); v != nil {
		*err = &Panic{v, places()}
	}
}

// RescueCall returns the error of f, or its panic.
func RescueCall(f func() error) (err error) {
	defer Rescue(&err)
	return f()
}

// RescueFunc returns f such that a panic of it is its error, for an errgroup's Go.
func RescueFunc(f func() error) func() error {
	return func() error { return RescueCall(f) }
}

// deepest is how many calls a Panic lists.
const deepest = 4

// places returns the calls of this program that led to the panic, innermost first.
func places() (at []string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for more := true; more && len(at) < deepest; {
		var f runtime.Frame
		f, more = frames.Next()
		if f.Function == "" || strings.HasPrefix(f.Function, "runtime.") {
			continue
		}
		dir, file := path.Split(f.File)
		at = append(at, fmt.Sprintf("%s/%s:%d", path.Base(dir), file, f.Line))
	}
	return at
}

// InOrder applies work to every item in parallel and hands the results to
// collect in the order of the items, one at a time. At most ahead items are in
// flight beyond the one that collect is waiting for, so memory stays flat.
//
// The first error stops everything and is returned once all goroutines have
// ended; a panic is an error, see package rescue; drop is then called for every item that was not collected. When ctx is
// done its cause is returned, also if items ended early because of it: nil means
// that every item was collected.
func InOrder[T any](ctx context.Context, items iter.Seq2[T, error], workers, ahead int,
	work func(context.Context, T), collect func(T) error, drop func(T)) error {
	type slot struct {
		item T
		done chan struct{}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	g, ctx := errgroup.WithContext(ctx)
	queue := make(chan *slot, ahead) // in order, for collect
	jobs := make(chan *slot)         // for the workers
	g.Go(RescueFunc(func() error {
		defer close(jobs)
		defer close(queue)
		for item, err := range items {
			if err != nil {
				return err
			}
			s := &slot{item, make(chan struct{})}
			select {
			case queue <- s:
			case <-ctx.Done():
				drop(item)
				return context.Cause(ctx)
			}
			select {
			case jobs <- s:
			case <-ctx.Done():
				close(s.done) // it is in the queue: nobody must wait for it
				return context.Cause(ctx)
			}
		}
		return context.Cause(ctx)
	}))
	for range workers {
		g.Go(func() (err error) {
			for s := range jobs {
				if ctx.Err() == nil {
					if err = RescueCall(func() error { work(ctx, s.item); return nil }); err != nil {
						stop(err)
					}
				}
				close(s.done)
			}
			return err
		})
	}
	g.Go(func() error {
		var err error
		for s := range queue {
			<-s.done
			if err == nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				drop(s.item)
				continue
			}
			if err = RescueCall(func() error { return collect(s.item) }); err != nil {
				stop(err)
			}
		}
		return err
	})
	return g.Wait()
}
