package compress

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	lz4MaxInput  = 0x7E000000
	smallInput   = 64<<10 + 11 // below it, the table holds 16-bit positions, and twice as many
	lz4MinMatch  = 4
	matchMargin  = 12 // no match begins closer to the end
	lastLiterals = 5  // nor ends
	maxDistance  = 65535
	skipTrigger  = 6 // misses, as a power of two, after which the step grows

	prime4 = 2654435761
	prime5 = 889523592379
)

// LZ4Encoder makes LZ4 blocks. The zero value is ready, takes 32 KiB, and 384 KiB
// more from its first high compression on; else it allocates nothing but what
// dst lacks. It is not safe for concurrent use; what it makes
// depends on source and parameters alone.
type LZ4Encoder struct {
	table [1 << 13]uint32 // by hash: the latest position; 0 where there was none, as in the reference
	high  *high           // nil until it is needed

	src   []byte
	out   []byte
	want  []byte // what out must become, when it is being tried
	spare []byte // for out of such trials

	hashShift, hashDown uint // what of 8 bytes goes into the hash, how many bits remain
	prime               uint64
	attempts            int // misses counted before the first
	end                 int // the last position that the search may look at next
}

// Encode appends the block that the reference makes of src to dst and returns
// the extended slice. An empty src becomes one byte, as in the C library.
// Errors wrap [ErrLZ4Params], [ErrLZ4TooLarge] or [ErrWork]; dst is then returned as it was. src
// and the spare capacity of dst must not overlap.
func (e *LZ4Encoder) Encode(dst, src []byte, p LZ4Params) ([]byte, error) {
	if !p.valid() {
		return dst, fmt.Errorf("%v: %w", p, ErrLZ4Params)
	}
	if len(src) > lz4MaxInput {
		return dst, ErrLZ4TooLarge
	}
	e.src, e.out, e.want = src, slices.Grow(dst, len(src)+len(src)/255+16), nil
	ok := e.encode(p)
	out := e.out
	e.src, e.out = nil, nil
	if !ok {
		return dst, ErrWork
	}
	return out, nil
}

// Recognize finds parameters with which the reference makes stored from decoded,
// and reports whether there are any: those in first, then all dialects with
// acceleration 1, as blocks and as streams, then high compression, the usual
// levels first. A guess is given up at the first sequence that differs.
func (e *LZ4Encoder) Recognize(stored, decoded []byte, first ...LZ4Params) (LZ4Params, bool) {
	for _, p := range first {
		if e.Makes(stored, decoded, p) {
			return p, true
		}
	}
	for _, d := range LZ4Dialects() {
		for _, stream := range []bool{false, true} {
			if p := (LZ4Params{Dialect: d, Stream: stream}); e.Makes(stored, decoded, p) {
				return p, true
			}
		}
	}
	for _, p := range LZ4HighLevels() {
		if e.Makes(stored, decoded, p) {
			return p, true
		}
	}
	return LZ4Params{}, false
}

// Makes reports whether the reference makes stored from decoded with p.
func (e *LZ4Encoder) Makes(stored, decoded []byte, p LZ4Params) bool {
	if !p.valid() || len(decoded) > lz4MaxInput || len(stored) == 0 {
		return false
	}
	e.src, e.out, e.want = decoded, e.spare[:0], stored
	ok := e.encode(p) && len(e.want) == 0
	e.spare = e.out[:0]
	e.src, e.out, e.want = nil, nil, nil
	return ok
}

// encode reports false when a trial has gone another way, or high compression
// takes too long.
func (e *LZ4Encoder) encode(p LZ4Params) bool {
	if p.Level > 0 {
		return e.encodeHigh(p)
	}
	e.begin(p)
	return e.encodeFast()
}

func (e *LZ4Encoder) begin(p LZ4Params) {
	f := p.Dialect.facts()
	five, bits := f.five32, uint(12)
	if len(e.src) < smallInput && !p.Stream {
		five, bits = f.five16, 13
	}
	e.hashShift, e.prime, e.hashDown = 32, prime4, 64-bits
	if five {
		e.hashShift, e.prime = 24, prime5
	}
	e.attempts = int(max(p.Acceleration, 1))<<skipTrigger + f.sooner
	e.end = len(e.src) - matchMargin + f.further
	clear(e.table[:1<<bits])
}

func (e *LZ4Encoder) hash(pos int) uint64 {
	return binary.LittleEndian.Uint64(e.src[pos:]) << e.hashShift * e.prime >> e.hashDown & (1<<13 - 1)
}

func (e *LZ4Encoder) encodeFast() bool {
	anchor := 0
	if len(e.src) > matchMargin {
		e.table[e.hash(0)] = 0
		for pos := 1; ; pos++ {
			at, match, found := e.find(pos)
			if !found {
				break
			}
			for at > anchor && match > 0 && e.src[at-1] == e.src[match-1] {
				at--
				match--
			}
			literals := e.src[anchor:at]
			for {
				length := e.common(at+lz4MinMatch, match+lz4MinMatch)
				if !e.sequence(literals, at-match, length) {
					return false
				}
				pos = at + lz4MinMatch + length
				anchor, literals = pos, nil
				if pos > len(e.src)-matchMargin {
					return e.tail(anchor)
				}
				e.table[e.hash(pos-2)] = uint32(pos - 2)
				h := e.hash(pos)
				at, match = pos, int(e.table[h])
				e.table[h] = uint32(pos)
				if at-match > maxDistance || lz4Load32(e.src, match) != lz4Load32(e.src, at) {
					break
				}
			}
		}
	}
	return e.tail(anchor)
}

// find looks for four bytes that the table knows, from pos on, with steps that
// grow the longer nothing is found.
func (e *LZ4Encoder) find(pos int) (at, match int, found bool) {
	src, table := e.src, &e.table
	step, attempts := 1, e.attempts
	for h, next := e.hash(pos), pos; ; {
		at = next
		next += step
		step = attempts >> skipTrigger
		attempts++
		if next > e.end {
			return 0, 0, false
		}
		match = int(table[h])
		table[h] = uint32(at)
		h = binary.LittleEndian.Uint64(src[next:]) << e.hashShift * e.prime >> e.hashDown & (1<<13 - 1)
		if at-match <= maxDistance && lz4Load32(src, match) == lz4Load32(src, at) {
			return at, match, true
		}
	}
}

func lz4Load32(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

// common returns how many bytes from a and from b on are equal; b lies before a,
// and the last bytes of the block do not count.
func (e *LZ4Encoder) common(a, b int) int { return equal(e.src[a:len(e.src)-lastLiterals], e.src[b:]) }

// sequence writes literals and a match of length+4 bytes. It reports false when
// a trial has gone another way.
func (e *LZ4Encoder) sequence(literals []byte, distance, length int) bool {
	token := byte(min(len(literals), 15)<<4 | min(length, 15))
	e.out = append(e.out, token)
	e.extend(len(literals) - 15)
	e.out = append(e.out, literals...)
	e.out = append(e.out, byte(distance), byte(distance>>8))
	e.extend(length - 15)
	return e.agrees()
}

// extend writes what of a length did not fit into the token, if that is not
// negative.
func (e *LZ4Encoder) extend(n int) {
	for ; n >= 255; n -= 255 {
		e.out = append(e.out, 255)
	}
	if n >= 0 {
		e.out = append(e.out, byte(n))
	}
}

// tail writes the literals that end a block.
func (e *LZ4Encoder) tail(anchor int) bool {
	literals := e.src[anchor:]
	e.out = append(e.out, byte(min(len(literals), 15)<<4))
	e.extend(len(literals) - 15)
	e.out = append(e.out, literals...)
	return e.agrees()
}

// agrees takes what was written off what is wanted, in a trial.
func (e *LZ4Encoder) agrees() bool {
	if e.want == nil {
		return true
	}
	if !bytes.HasPrefix(e.want, e.out) {
		return false
	}
	e.want, e.out = e.want[len(e.out):], e.out[:0]
	return true
}
