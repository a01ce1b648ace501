package explore_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"pakdb/web/internal/explore"
)

func TestRecentKeepsTheLast(t *testing.T) {
	c := explore.NewRecent[string, int](10)
	made := 0
	for _, step := range []struct {
		key    string
		weight int
		made   int
	}{{"a", 4, 1}, {"b", 4, 2}, {"a", 4, 2}, {"c", 4, 3}, {"a", 4, 3}, {"b", 4, 4}, {"large", 100, 5}, {"large", 100, 5}, {"a", 4, 6}, {"a", 4, 6}} {
		_, err := c.Get(t.Context(), step.key, func(context.Context) (int, int, error) { made++; return made, step.weight, nil })
		if err != nil || made != step.made {
			t.Fatalf("%s: %d were made, want %d (%v)", step.key, made, step.made, err)
		}
	}
}

// TestRecentMakesOne: one of many makes a value for all; where it fails, another does.
func TestRecentMakesOne(t *testing.T) {
	c := explore.NewRecent[int, int](1)
	made := 0
	var failed, all sync.WaitGroup
	failed.Add(1)
	for range 20 {
		all.Go(func() {
			v, err := c.Get(t.Context(), 1, func(context.Context) (int, int, error) {
				if made++; made == 1 {
					return 0, 0, context.Canceled
				}
				return made, 1, nil
			})
			if errors.Is(err, context.Canceled) {
				failed.Done()
			} else if v != 2 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
		})
	}
	failed.Wait()
	all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, 2, func(ctx context.Context) (int, int, error) { return 0, 0, ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that has ended: %v", err)
	}
}

// TestRecentMakesOneAfterFailure: after a failure the next one makes the value, and those who
// ask meanwhile wait for it, too.
func TestRecentMakesOneAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := explore.NewRecent[int, int](1)
		var all sync.WaitGroup
		first, second, later := make(chan error), make(chan error), make(chan error)
		close(later)
		made := 0
		get := func(until chan error) {
			all.Go(func() {
				v, err := c.Get(t.Context(), 1, func(context.Context) (int, int, error) { made++; return made, 1, <-until })
				if until != first && (v != 2 || err != nil) {
					t.Errorf("got %d, %v", v, err)
				}
			})
			synctest.Wait()
		}
		get(first)
		get(second)
		first <- errors.New("it fails")
		synctest.Wait()
		get(later)
		second <- nil
		synctest.Wait()
		get(later)
		all.Wait()
	})
}
