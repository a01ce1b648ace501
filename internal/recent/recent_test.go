package recent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pakdb/internal/recent"
)

func TestKeepsWhatWasAskedForLast(t *testing.T) {
	c := recent.New[string, int](10)
	made := 0
	get := func(key string, weight int64) {
		t.Helper()
		if _, err := c.Get(t.Context(), key, func(context.Context) (int, int64, error) { made++; return made, weight, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		key    string
		weight int64
		made   int
	}{{"a", 4, 1}, {"b", 4, 2}, {"a", 4, 2}, {"c", 4, 3}, {"a", 4, 3}, {"b", 4, 4}, {"large", 100, 5}, {"large", 100, 5}, {"a", 4, 6}, {"a", 4, 6}} {
		if get(step.key, step.weight); made != step.made {
			t.Fatalf("%s: %d were made, want %d", step.key, made, step.made)
		}
	}
}

func TestOneMakesItForAll(t *testing.T) {
	c := recent.New[int, int](1)
	var made atomic.Int32
	release := make(chan struct{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			v, err := c.Get(t.Context(), 1, func(context.Context) (int, int64, error) { <-release; return int(made.Add(1)), 0, nil })
			if v != 1 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	close(release)
	all.Wait()
}

func TestErrorsAreNotKept(t *testing.T) {
	c := recent.New[int, int](1)
	failed := errors.New("failed")
	if _, err := c.Get(t.Context(), 1, func(context.Context) (int, int64, error) { return 0, 0, failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if v, err := c.Get(t.Context(), 1, func(context.Context) (int, int64, error) { return 7, 0, nil }); v != 7 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
}

// TestEndsWhenNobodyWaits: the work goes on for the second who asked when the first leaves.
func TestEndsWhenNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := recent.New[int, int](1)
		begun, ended := 0, false
		create := func(ctx context.Context) (int, int64, error) {
			begun++
			<-ctx.Done()
			ended = true
			return 0, 0, ctx.Err()
		}
		var all sync.WaitGroup
		ask := func() (leave func()) {
			ctx, leave := context.WithCancel(t.Context())
			all.Go(func() {
				if _, err := c.Get(ctx, 1, create); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
			})
			synctest.Wait()
			return leave
		}
		leaveFirst, leaveSecond := ask(), ask()
		leaveFirst()
		synctest.Wait()
		if begun != 1 || ended {
			t.Errorf("begun %d times, ended: %v", begun, ended)
		}
		leaveSecond()
		all.Wait()
		synctest.Wait()
		if !ended {
			t.Error("it goes on for nobody")
		}
	})
}
