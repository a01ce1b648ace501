package process_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"pakdb/internal/process"
)

func strike(n int) int { return []int{}[n] }

func TestPanicIsAnError(t *testing.T) {
	err := process.RescueCall(func() error { strike(3); return nil })
	var p *process.Panic
	if !errors.Is(err, process.ErrPanic) || !errors.As(err, &p) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(err.Error(), "index out of range [3]") || !strings.HasPrefix(p.At[0], "process/rescue_test.go:") {
		t.Errorf("%v", err)
	}
}

func TestErrorsAndValuesPass(t *testing.T) {
	if err := process.RescueCall(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("%v", err)
	}
	if err := process.RescueCall(func() error { return nil }); err != nil {
		t.Errorf("%v", err)
	}
	if err := process.RescueCall(func() error { panic(io.ErrShortWrite) }); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("an error that was thrown is not found: %v", err)
	}
}

// What cleans up by the error sees the panic.
func TestCleanUp(t *testing.T) {
	removed := false
	err := func() (err error) {
		defer func() { removed = err != nil }()
		defer process.Rescue(&err)
		strike(0)
		return nil
	}()
	if err == nil || !removed {
		t.Errorf("%v, removed: %v", err, removed)
	}
}

func TestGroup(t *testing.T) {
	var g errgroup.Group
	g.Go(process.RescueFunc(func() error { strike(1); return nil }))
	if err := g.Wait(); !errors.Is(err, process.ErrPanic) {
		t.Errorf("%v", err)
	}
}
