package parquet

import (
	"encoding/binary"
	"encoding/hex"

	"github.com/klauspost/compress/huff0"
)

// Digits of hashes are noise that has 4 bits in 8. A search for repetitions costs seven times
// what entropy coding does, and what it finds by chance makes them 4 bytes of 32 longer. A code
// that gives each digit 4 bits is what entropy coding comes to, and is known before.

// digits are hex digits, two in a byte, the first of them in the high half.
type digits struct {
	b   []byte
	odd bool // the last byte has one
}

func (d *digits) reset() { d.b, d.odd = d.b[:0], false }

func (d *digits) count() int {
	if d.odd {
		return 2*len(d.b) - 1
	}
	return 2 * len(d.b)
}

// add appends the digits of bytes, without the first ones.
func (d *digits) add(v []byte, without int) {
	v = v[without/2:]
	if without%2 == 1 {
		if d.odd = !d.odd; d.odd {
			d.b = append(d.b, v[0]<<4)
		} else {
			d.b[len(d.b)-1] |= v[0] & 15
		}
		v = v[1:]
	}
	if !d.odd {
		d.b = append(d.b, v...)
		return
	}
	for _, c := range v {
		d.b[len(d.b)-1] |= c >> 4
		d.b = append(d.b, c<<4)
	}
}

// text appends them as text.
func (d *digits) text(b []byte) []byte {
	b = hex.AppendEncode(b, d.b)
	if d.odd {
		b = b[:len(b)-1]
	}
	return b
}

// appendDigits appends the bytes that a text of lower-case hex digits says; ok is false if it
// is none.
func appendDigits(b, text []byte) (_ []byte, ok bool) {
	if len(text)%2 == 1 {
		return b, false
	}
	for i := 0; i < len(text); i += 2 {
		high, low := digitOf[text[i]], digitOf[text[i+1]]
		if high|low > 15 {
			return b, false
		}
		b = append(b, high<<4|low)
	}
	return b, true
}

// digitOf is the value of a lower-case digit, 255 of anything else.
var digitOf = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	return t
}()

// commonDigits is how many digits of two texts, of which these are the bytes, are alike at
// their beginning.
func commonDigits(a, b []byte) int {
	n := common(a, b)
	if n < len(a) && n < len(b) && a[n]>>4 == b[n]>>4 {
		return 2*n + 1
	}
	return 2 * n
}

// maxBlock is how many bytes a block of Zstandard has at most.
const maxBlock = 128 << 10

// entropy writes frames of Zstandard (RFC 8878) whose blocks are literals alone.
type entropy struct{ huffman huff0.Scratch }

// frame appends a frame of a body and of digits after it.
func (e *entropy) frame(b, body []byte, d *digits) []byte {
	n := d.count()
	b = binary.LittleEndian.AppendUint32(b, 0xfd2fb528)
	b = append(b, 2<<6|1<<5) // the size follows in four bytes, and is that of the window
	b = binary.LittleEndian.AppendUint32(b, uint32(len(body)+n))
	for at := 0; at < len(body); {
		end := min(at+maxBlock, len(body))
		b = e.block(b, body[at:end], end == len(body) && n == 0)
		at = end
	}
	whole := n / 8 * 4 // bytes that four streams of whole bytes can have
	for at := 0; at < whole; {
		end := min(at+maxBlock/2, whole)
		b = digitBlock(b, d.b[at:end], 2*end == n)
		at = end
	}
	if rest := (digits{d.b[whole:], d.odd}); rest.count() > 0 {
		b = plainBlock(b, rest.text(nil), true)
	}
	return b
}

// header is the beginning of a block.
func header(b []byte, kind, size int, isLast bool) []byte {
	v := uint32(kind)<<1 | uint32(size)<<3
	if isLast {
		v |= 1
	}
	return append(b, byte(v), byte(v>>8), byte(v>>16))
}

// The kinds of blocks.
const (
	plainKind      = 0
	compressedKind = 2
)

func plainBlock(b, body []byte, isLast bool) []byte {
	return append(header(b, plainKind, len(body), isLast), body...)
}

// literals appends a compressed block of literals in four streams, of which body is what
// follows their sizes, and of no sequence.
func literals(b []byte, size, packed int, isLast bool) []byte {
	const head, none = 5, 1
	b = header(b, compressedKind, head+packed+none, isLast)
	sizes := 2 | 3<<2 | uint64(size)<<4 | uint64(packed)<<22
	return append(b, byte(sizes), byte(sizes>>8), byte(sizes>>16), byte(sizes>>24), byte(sizes>>32))
}

// noSequences ends a block of literals.
const noSequences = 0

// block appends a block.
func (e *entropy) block(b, body []byte, isLast bool) []byte {
	e.huffman.Reuse = huff0.ReusePolicyNone
	packed, _, err := huff0.Compress4X(body, &e.huffman)
	if err != nil || len(packed) >= len(body) { // it has no such code
		return plainBlock(b, body, isLast)
	}
	b = literals(b, len(body), len(packed), isLast)
	return append(append(b, packed...), noSequences)
}

// digitCode says that each of 16 digits has a code of 4 bits, which is its value, for codes of
// one length go up with the characters: a weight of 4 bits for each character below 'f', whose
// own follows from the others.
var digitCode = func() []byte {
	code := make([]byte, 1, 1+'f'/2)
	code[0] = 127 + 'f'
	for c := 0; c < 'f'; c += 2 {
		code = append(code, weight(c)<<4|weight(c+1))
	}
	return code
}()

func weight(c int) byte {
	if digitOf[c] < 16 {
		return 1
	}
	return 0
}

// digitBlock appends a block of digits, four bytes of them or a multiple. Streams are read
// from their last bit on, the highest of the last byte, so that each is its bytes in reverse
// order and the bit that marks its end.
func digitBlock(b, v []byte, isLast bool) []byte {
	quarter := len(v) / 4
	packed := len(digitCode) + 6 + 4*(quarter+1)
	if packed >= 2*len(v) {
		d := digits{b: v}
		return plainBlock(b, d.text(nil), isLast)
	}
	b = literals(b, 2*len(v), packed, isLast)
	b = append(b, digitCode...)
	for range 3 {
		b = binary.LittleEndian.AppendUint16(b, uint16(quarter+1))
	}
	for at := 0; at < len(v); at += quarter {
		b = append(appendReversed(b, v[at:at+quarter]), 1)
	}
	return append(b, noSequences)
}

func appendReversed(b, v []byte) []byte {
	for ; len(v) >= 8; v = v[:len(v)-8] {
		b = binary.BigEndian.AppendUint64(b, binary.LittleEndian.Uint64(v[len(v)-8:]))
	}
	for i := len(v) - 1; i >= 0; i-- {
		b = append(b, v[i])
	}
	return b
}

// differ reports whether about nine of ten texts are met once. They are told apart by their
// last bytes.
func (c *chunk) differ(first, next int) bool {
	if next-first < 64 {
		return false
	}
	if c.met == nil {
		c.met = make([]uint64, 4*pageRows)
	}
	clear(c.met)
	again := 0
	for i := first; i < next; i++ {
		tail := uint64(1)
		if text := c.at(i); len(text) >= 8 {
			tail = binary.LittleEndian.Uint64(text[len(text)-8:])
		}
		place := tail * 0x9e3779b97f4a7c15 >> 32 % uint64(len(c.met))
		for c.met[place] != 0 && c.met[place] != tail {
			place = (place + 1) % uint64(len(c.met))
		}
		if c.met[place] == tail {
			again++
		}
		c.met[place] = tail
	}
	return again <= (next-first)/10
}
