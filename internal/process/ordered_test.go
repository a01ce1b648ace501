package process_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/internal/process"
)

func count(n int, end error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if end != nil {
			yield(0, end)
		}
	}
}

func TestResultsComeInOrder(t *testing.T) {
	var got []int
	slowOdd := func(_ context.Context, i int) {
		if i%2 == 1 {
			time.Sleep(time.Millisecond)
		}
	}
	err := process.InOrder(context.Background(), count(100, nil), 8, 16, slowOdd,
		func(i int) error { got = append(got, i); return nil }, func(int) { t.Error("dropped") })
	if err != nil || len(got) != 100 || !slices.IsSorted(got) {
		t.Fatalf("%v, %v", got, err)
	}
}

// However it ends, every item is either collected or dropped, once.
func TestEveryItemIsAccountedFor(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		items   error
		collect int // fails at this item
		cancel  int // is cancelled at this item
		want    error
	}{
		"items fail":    {items: broken, collect: -1, cancel: -1, want: broken},
		"collect fails": {collect: 30, cancel: -1, want: broken},
		"cancelled":     {collect: -1, cancel: 30, want: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			var made, seen atomic.Int64
			items := func(yield func(int, error) bool) {
				for i, err := range count(100, tt.items) {
					if err == nil {
						made.Add(1)
					}
					if !yield(i, err) {
						return
					}
				}
			}
			err := process.InOrder(ctx, items, 4, 8, func(context.Context, int) {}, func(i int) error {
				seen.Add(1)
				if i == tt.cancel {
					stop()
				}
				if i == tt.collect {
					return broken
				}
				return nil
			}, func(int) { seen.Add(1) })
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if made.Load() != seen.Load() {
				t.Errorf("%d items, %d accounted for", made.Load(), seen.Load())
			}
		})
	}
}

// Items that end because the context does are not all items.
func TestItemsThatEndWithTheContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	items := func(yield func(int, error) bool) {
		if yield(1, nil) {
			time.Sleep(5 * time.Millisecond) // until it is collected
			stop()
		}
	}
	nothing := func(int) error { return nil }
	err := process.InOrder(ctx, items, 2, 4, func(context.Context, int) {}, nothing, func(int) {})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// A panic of any of the functions ends the run as an error does, with every item
// accounted for.
func TestPanics(t *testing.T) {
	none := []int{}
	strike := func(at bool, i int) {
		if at && i == 20 {
			none[i]++
		}
	}
	for _, where := range []string{"items", "work", "collect"} {
		t.Run(where, func(t *testing.T) {
			var made, seen atomic.Int64
			items := func(yield func(int, error) bool) {
				for i := range 100 {
					strike(where == "items", i)
					made.Add(1)
					if !yield(i, nil) {
						return
					}
				}
			}
			err := process.InOrder(context.Background(), items, 4, 8, func(_ context.Context, i int) { strike(where == "work", i) },
				func(i int) error { seen.Add(1); strike(where == "collect", i); return nil }, func(int) { seen.Add(1) })
			if !errors.Is(err, process.ErrPanic) {
				t.Errorf("error %v", err)
			}
			if made.Load() != seen.Load() {
				t.Errorf("%d items, %d accounted for", made.Load(), seen.Load())
			}
		})
	}
}
