package update_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pakdb/diff/ship/store/update"
)

// The clock of a bubble stands still but for those who wait on it, so that times are exact.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := update.NewLimiter(0)
		wait := func(times, bytes int) time.Duration {
			began := time.Now()
			for range times {
				if err := l.Wait(t.Context(), bytes); err != nil {
					t.Fatal(err)
				}
			}
			return time.Since(began)
		}
		if took := wait(1000, 1<<20); took != 0 {
			t.Errorf("without a limit it took %v", took)
		}
		l.SetRate(10_000)
		if took := wait(4, 500); took < 150*time.Millisecond || took > 200*time.Millisecond {
			t.Errorf("2000 bytes at 10000 a second took %v", took)
		}
	})
}

func TestLimiterPause(t *testing.T) {
	l := update.NewLimiter(0)
	l.Pause()
	l.Pause() // twice is once
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := l.Wait(short, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("in a pause: %v", err)
	}
	done := make(chan error)
	go func() { done <- l.Wait(t.Context(), 1) }()
	l.Resume()
	l.Resume()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
