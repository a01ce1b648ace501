package process

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
)

// ErrPanic is the class of [Panic].
var ErrPanic = errors.New("internal error")

// Panic is a panic as an error: a fault of the program, whatever its input. It is
// an [ErrPanic].
type Panic struct {
	Value any      // what was passed to panic
	At    []string // the innermost calls as "folder/file.go:line", where it struck first
}

// Error tells the value and the place on one line.
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

// deepest is how many calls a Panic tells of.
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
