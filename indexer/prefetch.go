package indexer

import (
	"context"
	"iter"
)

// prefetch yields fn of every item, in order, with up to ahead calls running in
// goroutines before their results are asked for. Each item first gets a place in places,
// in order as well, which whoever has the result takes out. When the consumer stops
// early, drop is called for each result it did not see.
func prefetch[T, R any](ctx context.Context, items []T, ahead int, places chan struct{}, fn func(context.Context, T) R, drop func(R)) iter.Seq[R] {
	return func(yield func(R) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		slots := make(chan chan R, ahead)
		go func() {
			defer close(slots)
			for _, item := range items {
				select {
				case places <- struct{}{}:
				case <-ctx.Done():
					return
				}
				slot := make(chan R, 1)
				select {
				case slots <- slot:
				case <-ctx.Done():
					return
				}
				go func() { slot <- fn(ctx, item) }()
			}
		}()
		stopped := false
		for slot := range slots {
			r := <-slot
			if !stopped && yield(r) {
				continue
			}
			if stopped {
				drop(r)
			}
			stopped = true
			stop()
		}
	}
}
