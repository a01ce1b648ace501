package lzo

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// Encoder makes LZO1X streams. The zero value is ready, and takes 0.7 MiB from its
// first use on; after that it allocates nothing but what dst lacks. It is not safe for
// concurrent use; what it makes depends on source and level alone.
type Encoder struct {
	*searcher
	effort effort

	anchor int // what stands before it has been written
	at     int // what stands between is literals

	out     []byte
	base    int    // where in out the stream begins
	want    []byte // what the stream must become, when it is being tried
	checked int    // bytes of want that have come
	spare   []byte // for out of such trials
}

// An input may take so many steps for each byte: candidates that are looked at,
// and 16 bytes that are compared. Contents take 5 to 140 at level 8, and up to 200 at level 9.
const (
	workRatio = 512
	workFloor = 1 << 20
)

// Encode appends the stream that the reference makes of src to dst, its end
// marker included, and returns the extended slice. Errors wrap [ErrLevel],
// [ErrTooLarge] or [ErrWork]; dst is then returned as it was. src and the spare
// capacity of dst must not overlap.
func (e *Encoder) Encode(dst, src []byte, level int) ([]byte, error) {
	if level < MinLevel || level > MaxLevel {
		return dst, fmt.Errorf("%d: %w", level, ErrLevel)
	}
	if len(src) >= math.MaxInt32 {
		return dst, ErrTooLarge
	}
	e.out, e.want = slices.Grow(dst, len(src)/2+64), nil
	ok := e.encode(src, level)
	out := e.out
	e.out = nil
	if !ok {
		return dst, ErrWork
	}
	return out, nil
}

// Recognize finds a level at which the reference makes stored from decoded, and
// reports whether there is any: those in first are tried before all others, the
// likeliest first. A guess is given up at the first match that differs.
// What is found makes stored, but need not be what its author used: short inputs
// come out the same at many levels.
func (e *Encoder) Recognize(stored, decoded []byte, first ...int) (level int, ok bool) {
	for _, level := range first {
		if e.Makes(stored, decoded, level) {
			return level, true
		}
	}
	for _, level := range Levels() {
		if !slices.Contains(first, level) && e.Makes(stored, decoded, level) {
			return level, true
		}
	}
	return 0, false
}

// Makes reports whether the reference makes stored from decoded at that level.
func (e *Encoder) Makes(stored, decoded []byte, level int) bool {
	if level < MinLevel || level > MaxLevel || len(decoded) >= math.MaxInt32 || !bytes.HasSuffix(stored, endMarker) {
		return false
	}
	e.out, e.want = e.spare[:0], stored
	ok := e.encode(decoded, level) && bytes.Equal(e.out, stored)
	e.spare, e.out, e.want = e.out[:0], nil, nil
	return ok
}

// encode reports false when a trial has gone another way, or it takes too long.
func (e *Encoder) encode(src []byte, level int) bool {
	if e.searcher == nil {
		e.searcher = new(searcher)
	}
	e.effort = effortOf(level)
	e.begin(src, workRatio*len(src)+workFloor)
	e.anchor, e.at, e.base, e.checked = 0, 0, len(e.out), 0
	ok := e.parse()
	e.out = append(e.out, endMarker...)
	e.src = nil
	return ok
}

// goesOn reports false when a trial has gone another way, or it takes too long.
// The last two bytes may still change.
func (e *Encoder) goesOn() bool {
	if e.work < 0 || e.want == nil {
		return e.work >= 0
	}
	from, to := e.checked, max(len(e.out)-2, e.checked)
	e.checked = to
	return to <= len(e.want) && bytes.Equal(e.out[from:to], e.want[from:to])
}
