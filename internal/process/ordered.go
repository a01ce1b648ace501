package process

import (
	"context"
	"iter"

	"golang.org/x/sync/errgroup"
)

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
				close(s.done) // it stands in the queue: nobody must wait for it
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
