package atomicfile

import (
	"context"
	"errors"
)

// Kind says what an operation does. It is the word that errors have for it.
type Kind string

// The operations that change what is on the disk.
const (
	OpCreate   Kind = "create" // also where there may be one
	OpOpen     Kind = "open"   // of an existing file, for writing
	OpWrite    Kind = "write"
	OpTruncate Kind = "truncate"
	OpChmod    Kind = "chmod"
	OpSync     Kind = "sync"
	OpRename   Kind = "rename"
	OpRemove   Kind = "remove"
	OpMkdir    Kind = "mkdir"
	OpSyncDir  Kind = "sync folder"
)

// Op is one operation, before it is done.
type Op struct {
	Kind Kind
	Path string // of the file or folder
	To   string // of a rename
	Size int    // of a write, in bytes
}

// Guard is asked before each operation. An error of its own makes the operation
// fail with that error, and keeps it from being done; see [Torn] and [ErrDone].
// Tests stop a program at any operation by it. It may be called by several
// goroutines at once.
type Guard func(Op) error

// Torn is what a Guard returns for a write that ends early: the first N bytes are
// written, then the write fails with Err.
type Torn struct {
	N   int
	Err error
}

func (e *Torn) Error() string { return e.Err.Error() }
func (e *Torn) Unwrap() error { return e.Err }

// ErrDone is what a Guard returns for an operation that is to be left out and
// counts as done. Tests leave out syncing, which takes most of their time.
var ErrDone = errors.New("left out")

type guardKey struct{}

// WithGuard returns a context whose files have a guard. Programs need none.
func WithGuard(ctx context.Context, g Guard) context.Context {
	return context.WithValue(ctx, guardKey{}, g)
}

func guardOf(ctx context.Context) Guard {
	g, _ := ctx.Value(guardKey{}).(Guard)
	return g
}

// ask reports whether an operation is to be done.
func (g Guard) ask(op Op) (do bool, err error) {
	if g == nil {
		return true, nil
	}
	err = g(op)
	if errors.Is(err, ErrDone) {
		return false, nil
	}
	return err == nil, err
}
