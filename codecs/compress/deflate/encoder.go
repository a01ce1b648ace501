package deflate

import (
	"encoding/binary"

	"pakdb/codecs/compress/inflate"
)

// The limits of RFC 1951.
const (
	minMatch = 3
	maxMatch = 258
	maxDist  = 1 << 15
)

const (
	spanSize  = 1 << 16 // bytes at hand: their positions have 16 bits
	lookahead = maxMatch + 16
)

// Encoder makes zlib streams. The zero value is ready and has 400 KiB; an Encoder
// allocates nothing but what dst lacks. It is not safe for concurrent use. What it
// makes depends on the source alone, never on what it made before.
type Encoder struct {
	text   [spanSize + lookahead]byte
	filled int // bytes of text
	w      bitWriter

	matcher
	block
}

// Encode appends a zlib stream of src to dst and returns the extended slice. src and the
// spare capacity of dst must not overlap.
func (e *Encoder) Encode(dst, src []byte) []byte {
	e.w.out, e.w.bits, e.w.nbits = append(dst, 0x78, 0x9c), 0, 0
	e.forget()
	e.begin(0)
	e.filled = 0
	for pos, rest := 0, src; ; {
		n := copy(e.text[e.filled:spanSize], rest)
		e.filled, rest = e.filled+n, rest[n:]
		pos = e.parse(pos, len(rest) == 0)
		if len(rest) == 0 {
			break
		}
		if e.start < spanSize/2 {
			e.flush(pos, false) // it may have to be stored
		}
		pos = e.slide(pos)
	}
	e.flush(e.filled, true)
	out := binary.BigEndian.AppendUint32(e.w.out, inflate.Adler32(src))
	e.w.out = nil
	return out
}

// slide drops the first half of the text, which no match reaches any more.
func (e *Encoder) slide(pos int) int {
	const half = spanSize / 2
	copy(e.text[:half], e.text[half:spanSize])
	e.filled -= half
	e.start -= half
	e.halve()
	return pos - half
}
