package update

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"pakdb/internal/regular"
)

// ErrHeld means that another program holds a file open, so that it cannot be replaced:
// most often the game runs.
var ErrHeld = errors.New("another program holds the file open")

// System has the rules of a system about files that are open. Windows lets nobody
// rename or remove these; elsewhere there are none.
type System interface {
	// IsHeld reports whether an error is for that reason.
	IsHeld(err error) bool
	// Open opens a file as if it were to be written, and closes it, or fails.
	Open(root *os.Root, name string) error
	// Pause waits before another try.
	Pause(time.Duration)
}

// This returns the system that the program runs on.
func This() System { return system{} }

type system struct{}

// Open implements [System].
func (system) Open(root *os.Root, name string) error {
	f, err := regular.OpenIn(root, name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil // read-only: renaming tells
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// Pause implements [System].
func (system) Pause(d time.Duration) { time.Sleep(d) }

const (
	heldTries = 8                     // scanners of viruses let go after a moment
	heldPause = 50 * time.Millisecond // doubled after each: 6 s in all
)

// Insist does to a file what another program may keep from being done, again and again
// for some seconds. The error then wraps [ErrHeld].
func Insist(s System, name string, do func() error) error {
	for try, pause := 1, heldPause; ; try, pause = try+1, pause*2 {
		err := do()
		if err == nil || !s.IsHeld(err) {
			return err
		}
		if try == heldTries {
			return &heldError{name, err}
		}
		s.Pause(pause)
	}
}

// Free fails with [ErrHeld] if another program holds one of the files.
func Free(s System, root *os.Root, names []string) error {
	for _, name := range names {
		err := Insist(s, name, func() error { return s.Open(root, name) })
		if errors.Is(err, ErrHeld) {
			return err
		} // whatever else there is, renaming tells
	}
	return nil
}

// heldError names the file.
type heldError struct {
	name string
	err  error
}

func (e *heldError) Error() string   { return fmt.Sprintf("%s: %v: %v", e.name, ErrHeld, e.err) }
func (e *heldError) Unwrap() []error { return []error{e.err, ErrHeld} }

// Hint says what to do.
func (e *heldError) Hint() string {
	return "close the game and what else uses its files, then update again"
}
