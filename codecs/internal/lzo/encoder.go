package lzo

import (
	"bytes"
	"errors"
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

	anchor int // bytes before it are written
	at     int // bytes between anchor and at are literals

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

// The levels of lzo1x_999_compress_level.
const (
	MinLevel     = 1
	DefaultLevel = 8 // that of lzo1x_999_compress
	MaxLevel     = 9
)

// effort is what a level consists of.
type effort struct {
	chain int  // candidates that a search looks at
	ahead int  // positions after a match at which a better one is looked for
	good  int  // from this length of the match on, these are searched a quarter as deep
	lazy  int  // from this length on, they are not searched
	trade bool // a shorter match is taken where its distance takes less to say
}

func effortOf(level int) effort {
	return [MaxLevel + 1]effort{
		1: {chain: 4},
		2: {chain: 8},
		3: {chain: 16},
		4: {chain: 16, ahead: 1, good: 4, lazy: 4},
		5: {chain: 32, ahead: 1, good: 8, lazy: 16},
		6: {chain: 128, ahead: 1, good: 8, lazy: 16},
		7: {chain: 256, ahead: 2, good: 8, lazy: 32},
		8: {chain: 2048, ahead: 2, good: 32, lazy: 128, trade: true},
		9: {chain: 4096, ahead: 2, good: lookAhead, lazy: lookAhead, trade: true},
	}[level]
}

// Levels returns all levels, the likeliest first.
func Levels() []int { return []int{DefaultLevel, 9, 7, 6, 5, 4, 3, 2, 1} }

// ErrLevel means a level that is none.
var ErrLevel = errors.New("level out of range")

// ErrTooLarge means an input of 2 GiB or more.
var ErrTooLarge = errors.New("input too large for LZO")

// ErrWork means an input that the reference itself takes very long for, at a high
// level: more than 512 steps a byte, as rows of random bits at level 9.
var ErrWork = errors.New("takes too long to encode")

// What LZO1X can say of a match: classes by length and distance, and by how many
// literals are before it. doc.go has the bits.
const (
	class1Distance = 0x400  // 2 bytes, after 1 to 3 literals
	class2Distance = 0x800  // 3 to 8 bytes
	class2Length   = 8      //
	runDistance    = 0xc00  // 3 bytes, after 4 literals and more
	class3Distance = 0x4000 // any length, up to 33 bytes in 5 bits
	class3Length   = 33     //
	class4Length   = 9      // any length, up to 9 bytes in 3 bits, as far as the dictionary goes
)

// size returns how many bytes a match takes after so many literals; 0: there is
// no way to say it.
func (m match) size(literals int) int {
	switch {
	case m.length == 2 && (m.distance > class1Distance || literals == 0 || literals > 3):
		return 0
	case m.length == 2, m.short(), m.behindRun(literals):
		return 2
	case m.distance <= class3Distance:
		return 3 + extra(m.length-class3Length)
	}
	return 3 + extra(m.length-class4Length)
}

func (m match) short() bool { return m.length <= class2Length && m.distance <= class2Distance }

func (m match) behindRun(literals int) bool {
	return m.length == 3 && m.distance <= runDistance && literals > 3
}

// extra returns how many bytes hold what of a length does not fit into the
// instruction.
func extra(n int) int {
	if n <= 0 {
		return 0
	}
	return (n + 254) / 255
}

// run writes literals: all those between two matches, or at an end. Up to three
// are announced by the match before them.
func (e *Encoder) run(literals []byte) {
	n := len(literals)
	switch {
	case n == 0:
		return
	case len(e.out) == e.base && n <= 238:
		e.out = append(e.out, byte(n+17))
	case n <= 3:
		e.out[len(e.out)-2] |= byte(n)
	case n <= 18:
		e.out = append(e.out, byte(n-3))
	default:
		e.out = append(e.out, 0)
		e.extend(n - 18)
	}
	e.out = append(e.out, literals...)
}

// extend writes what of a length does not fit into the instruction.
func (e *Encoder) extend(n int) {
	for ; n > 255; n -= 255 {
		e.out = append(e.out, 0)
	}
	e.out = append(e.out, byte(n))
}

// copy writes a match after so many literals.
func (e *Encoder) copy(m match, literals int) {
	d := m.distance - 1
	switch {
	case m.length == 2:
		e.out = append(e.out, byte(d&3<<2), byte(d>>2))
	case m.short():
		e.out = append(e.out, byte((m.length-1)<<5|d&7<<2), byte(d>>3))
	case m.behindRun(literals):
		d -= class2Distance
		e.out = append(e.out, byte(d&3<<2), byte(d>>2))
	case m.distance <= class3Distance:
		e.far(32, m.length, class3Length, d)
	default:
		d = m.distance - class3Distance
		e.far(16|d>>11&8, m.length, class4Length, d)
	}
}

func (e *Encoder) far(op, length, most, d int) {
	if length <= most {
		e.out = append(e.out, byte(op|(length-2)))
	} else {
		e.out = append(e.out, byte(op))
		e.extend(length - most)
	}
	e.out = append(e.out, byte(d<<2), byte(d>>6))
}
