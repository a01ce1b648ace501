package pace_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pakdb/diff/store/update/pace"
)

func TestWait(t *testing.T) {
	ctx := t.Context()
	l := pace.New(0)
	began := time.Now()
	for range 1000 {
		if err := l.Wait(ctx, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("without a limit it took %v", took)
	}
	l.SetRate(10_000)
	began = time.Now()
	for range 4 {
		if err := l.Wait(ctx, 500); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 150*time.Millisecond {
		t.Errorf("2000 bytes at 10000 a second took %v", took)
	}
}

func TestPause(t *testing.T) {
	l := pace.New(0)
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
