package store

import (
	"fmt"
	"math"
)

// What a client holds of what a store says is counted, and bounded by what it has
// received: whoever wants much of its memory has to send much.
const (
	// heldAnyhow is what a client may hold whatever it received. The heap may be
	// twice as large before garbage is collected; with 16 MiB of lists that wait,
	// frames and encoders the process stays below 256 MB. It is enough for the plan
	// of an update that fetches some 10 GB.
	heldAnyhow = 64 << 20
	// heldPerByte is what it may hold for each byte of lists that came. Honest ones
	// take 7 to 30: a piece of a recipe is stored in 15 to 20 bytes and held, with
	// the content that is wanted, in 500; a chunk in 10, and held in 90.
	heldPerByte = 40

	HeldFile   = 400 // bytes that are held of a file of a build
	HeldSlot   = 128 // of a part of a tree that is to be read
	HeldPiece  = 128 // of a piece of a recipe
	HeldWanted = 400 // of a content that the folder has not
	HeldChunk  = 96  // of a chunk of one, with its share of a frame
)

// Budget counts what is held. Without received, nothing is refused: for those
// who read their own store.
type Budget struct {
	used     int64
	Own      int64 // what may be held because the client's own folder has it
	Received func() int64
}

// Take counts n bytes, or fails with a [MemoryError].
func (b *Budget) Take(n int64) error {
	b.used = SumSizes(b.used, n)
	if b.Received == nil {
		return nil
	}
	came := b.Received()
	most := SumSizes(heldAnyhow, b.Own)
	if came < math.MaxInt64/heldPerByte {
		most = SumSizes(most, came*heldPerByte)
	}
	if b.used > most {
		return &MemoryError{Held: b.used, Received: came}
	}
	return nil
}

// Give counts n bytes as free again.
func (b *Budget) Give(n int64) { b.used -= n }

// MemoryError means that a store says so much in so few bytes that no honest one
// does, or that its lists are damaged. It is [ErrCorrupt].
type MemoryError struct {
	Held, Received int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: to plan the update would take more than %d MiB of memory, by %d bytes of lists", ErrCorrupt, e.Held>>20, e.Received)
}

// Is reports that the error is [ErrCorrupt].
func (e *MemoryError) Is(target error) bool { return target == ErrCorrupt }

// Hint returns a line for the user: whom to ask about the store.
func (e *MemoryError) Hint() string {
	return "the store is damaged, or made to harm: ask who publishes it; nothing was changed"
}

// SumSizes adds sizes, which are not negative; what is too large is the largest.
func SumSizes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
