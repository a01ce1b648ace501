// Package inflate decodes deflate streams (RFC 1951), bare or in the wrapping of
// zlib (RFC 1950) or gzip (RFC 1952), where all of the stream is at hand and the
// size of what it decodes to is known. That is what the blocks of archives are.
//
// It is pakdb's own, by the design of Eric Biggers' libdeflate: 64 bits are
// buffered and filled up 8 bytes at a time, symbols of up to 11 bits are found
// by one look into a table and longer ones by two, and matches are copied in
// wide steps, while both slices have room for the longest that can come. The
// rest of a block is decoded with a check at each step. It is bounded by the two
// slices it is given, and allocates nothing. docs/benchmarks.md has figures.
//
// # What is accepted
//
// What zlib's inflate accepts, and nothing else. Codes whose lengths leave
// patterns of bits unused are refused, but for a code of one symbol of one bit,
// and one of no distances. So are blocks without a code for their end, the
// symbols 286 and 287, distances 30 and 31, more than 286 or 30 codes, and
// distances to before the first byte. The window that a zlib header declares
// must be one that exists; distances may be larger, as zlib has it. A preset
// dictionary is refused unless it is the empty one.
//
// Bytes after a stream are not read: the number of those that it takes is
// returned.
package inflate

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Decoder decodes streams into slices of known size. Its zero value is ready.
// It keeps its tables, about 20 KiB, and nothing of a stream, so that one can
// be used again and again, but not by two goroutines at once.
type Decoder struct {
	stream
	lit   [litSize]uint32
	dist  [distSize]uint32
	order code
	fixed bool // the tables are those of the fixed code
	lens  [litCodes + distCodes]uint8
	meta  [lensSize]uint32
}

// Raw decodes a bare deflate stream (RFC 1951) and returns how many bytes of src
// it takes; what follows is not looked at. It fills dst exactly, or fails with
// an [*Error]. What dst holds then is undefined. dst and src must not overlap.
func (d *Decoder) Raw(dst, src []byte) (read int, err error) {
	d.reset(dst, src)
	err = d.blocks()
	return d.end(err)
}

// end forgets the slices.
func (d *Decoder) end(err error) (int, error) {
	read := d.ip
	d.reset(nil, nil)
	if err != nil {
		return 0, err
	}
	return read, nil
}

// blocks decodes up to the last block, and leaves the stream at the byte that
// follows.
func (d *Decoder) blocks() error {
	for last := false; !last; {
		head, ok := d.take(3)
		if !ok {
			return d.fail(ErrTruncated, "block header")
		}
		last = head&1 != 0
		if err := d.block(head >> 1); err != nil {
			return err
		}
	}
	d.align()
	if d.op < len(d.dst) {
		return d.fail(ErrTooShort, "stream")
	}
	return nil
}

func (d *Decoder) block(kind uint) error {
	switch kind {
	case 0:
		return d.stored()
	case 1:
		d.fixedCodes()
	case 2:
		if err := d.dynamicCodes(); err != nil {
			return err
		}
	default:
		return d.fail(ErrCorrupt, "block type")
	}
	if done, err := d.fast(); done || err != nil {
		return err
	}
	return d.slow()
}

func (d *Decoder) stored() error {
	d.align()
	rest := d.src[d.ip:]
	if len(rest) < 4 {
		return d.fail(ErrTruncated, "length of a stored block")
	}
	n := binary.LittleEndian.Uint16(rest)
	if n != ^binary.LittleEndian.Uint16(rest[2:]) {
		return d.fail(ErrCorrupt, "length of a stored block")
	}
	d.ip += 4
	switch rest = rest[4:]; {
	case int(n) > len(rest):
		return d.fail(ErrTruncated, "stored block")
	case int(n) > len(d.dst)-d.op:
		return d.fail(ErrTooLong, "stored block")
	}
	copy(d.dst[d.op:], rest[:n])
	d.ip, d.op = d.ip+int(n), d.op+int(n)
	return nil
}

// slow decodes to the end of the block, one symbol at a time. It needs no bytes
// of src and dst beyond those that the block uses.
func (d *Decoder) slow() error {
	for {
		e, before, ok := d.lookup(d.lit[:], litBits)
		switch {
		case !ok:
			return d.fail(ErrTruncated, "block")
		case e&literal != 0:
			if d.op == len(d.dst) {
				return d.fail(ErrTooLong, "block")
			}
			d.dst[d.op] = byte(e >> 16)
			d.op++
		case e&special == 0:
			if err := d.match(value(e, before)); err != nil {
				return err
			}
		case e&blockEnd == blockEnd:
			return nil
		default:
			return d.fail(ErrCorrupt, "code of a literal or length")
		}
	}
}

// match reads a distance and copies length bytes from there.
func (d *Decoder) match(length int) error {
	e, before, ok := d.lookup(d.dist[:], distBits)
	if !ok {
		return d.fail(ErrTruncated, "distance")
	}
	if e&special != 0 {
		return d.fail(ErrCorrupt, "code of a distance")
	}
	dist := value(e, before)
	switch {
	case dist > d.op:
		return d.fail(ErrCorrupt, "distance")
	case length > len(d.dst)-d.op:
		return d.fail(ErrTooLong, "block")
	}
	for to := d.dst[d.op : d.op+length]; len(to) > 0; {
		n := copy(to, d.dst[d.op-dist:d.op])
		d.op, to = d.op+n, to[n:]
	}
	return nil
}

// The ways in which a stream can fail. A decoder returns each wrapped in an
// [*Error].
var (
	// ErrCorrupt means bits that no encoder writes.
	ErrCorrupt = errors.New("corrupt")
	// ErrTruncated means that src ends before the stream does.
	ErrTruncated = errors.New("truncated")
	// ErrTooLong means that the stream holds more than dst can take.
	ErrTooLong = errors.New("too long")
	// ErrTooShort means that the stream ends before dst is full.
	ErrTooShort = errors.New("too short")
	// ErrChecksum means that what was decoded is not what was encoded.
	ErrChecksum = errors.New("wrong checksum")
)

// Error reports where a stream failed. It unwraps to one of the package's
// sentinels.
type Error struct {
	Off  int    // the byte of src with the first bit that had not been used
	Out  int    // how many bytes had been decoded
	What string // the part of the stream that is wrong
	Err  error  // the sentinel
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v: %s at %#x, after %d decoded bytes", e.Err, e.What, e.Off, e.Out)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// stream is the position of decoding. Bits wait in a buffer of 64: count of them,
// the first lowest. Those above are zero, or what follows in src.
type stream struct {
	dst, src []byte
	op, ip   int
	bits     uint64
	count    uint // at most 63
}

func (s *stream) reset(dst, src []byte) {
	*s = stream{dst: dst[:len(dst):len(dst)], src: src[:len(src):len(src)]}
}

// fail returns an error at the first bit that is not used.
func (s *stream) fail(err error, what string) error {
	return &Error{Off: s.ip - int(s.count+7)/8, Out: s.op, What: what, Err: err}
}

// refill leaves at least 56 bits in the buffer, or all there are.
func (s *stream) refill() {
	if s.ip <= len(s.src)-8 {
		s.bits |= binary.LittleEndian.Uint64(s.src[s.ip:]) << (s.count & 63)
		s.ip += int(63-s.count) >> 3
		s.count |= 56
		return
	}
	for ; s.count < 56 && s.ip < len(s.src); s.ip++ {
		s.bits |= uint64(s.src[s.ip]) << (s.count & 63)
		s.count += 8
	}
}

// drop takes n bits from the buffer, which has them.
func (s *stream) drop(n uint) {
	s.bits >>= n & 63
	s.count -= n
}

// take returns the next n bits, of which there can be 32.
func (s *stream) take(n uint) (v uint, ok bool) {
	if s.count < n {
		if s.refill(); s.count < n {
			return 0, false
		}
	}
	v = uint(s.bits) & (1<<n - 1)
	s.drop(n)
	return v, true
}

// align drops bits up to the next byte of src, and gives back what the buffer
// has of it.
func (s *stream) align() {
	s.ip -= int(s.count / 8)
	s.bits, s.count = 0, 0
}

// lookup finds the entry of the next symbol, and drops its bits. Bits that are
// missing count as zero, and the symbol is ok only if it needs none of them.
func (s *stream) lookup(table []uint32, index uint) (e uint32, before uint64, ok bool) {
	s.refill()
	e = table[s.bits&(1<<index-1)]
	if e&notCode == special { // a subtable; all of them lie in the table
		if s.count < index {
			return e, 0, false
		}
		s.drop(index)
		e = table[e>>16+uint32(s.bits)&(1<<(e>>8&15)-1)]
	}
	before = s.bits
	if s.count < uint(e&0xff) {
		return e, 0, false
	}
	s.drop(uint(e & 0xff))
	return e, before, true
}

// value is the length or distance of an entry, by the bits that
// were there before it was dropped.
func value(e uint32, before uint64) int {
	return int(e>>16) + int(before&(1<<(e&0x3f)-1)>>(e>>8&15))
}

const (
	adlerMod  = 65521
	lanes     = 0x00ff00ff00ff00ff // every other byte of a word
	adlerStep = 8 * 256            // bytes whose sums in lanes of 16 bits do not overflow
)

// Adler32 returns the Adler-32 of p, as hash/adler32 does in twice the time. It adds words of 8
// bytes. After a word of bytes b0 to b7 the second sum has grown
// by 8 times the first, less b1 + 2*b2 + ... + 7*b7, and those products are
// formed once a step, from the sums over all words.
func Adler32(p []byte) uint32 {
	s1, s2 := uint64(1), uint64(0)
	for len(p) >= 8 {
		step := p[:min(len(p)&^7, adlerStep)]
		p = p[len(step):]
		var even, odd, sums uint64
		for ; len(step) >= 16; step = step[16:] {
			w := binary.LittleEndian.Uint64(step)
			v := binary.LittleEndian.Uint64(step[8:])
			e, o, f, q := w&lanes, w>>8&lanes, v&lanes, v>>8&lanes
			even += e + f
			odd += o + q
			s1 += (e + o) * 0x0001000100010001 >> 48
			sums += s1
			s1 += (f + q) * 0x0001000100010001 >> 48
			sums += s1
		}
		for ; len(step) >= 8; step = step[8:] {
			w := binary.LittleEndian.Uint64(step)
			e, o := w&lanes, w>>8&lanes
			even += e
			odd += o
			s1 += (e + o) * 0x0001000100010001 >> 48
			sums += s1
		}
		less := odd&0xffff + 2*(even>>16&0xffff) + 3*(odd>>16&0xffff) + 4*(even>>32&0xffff) +
			5*(odd>>32&0xffff) + 6*(even>>48) + 7*(odd>>48)
		s1, s2 = s1%adlerMod, (s2+8*sums-less)%adlerMod
	}
	for _, b := range p {
		s1 += uint64(b)
		s2 += s1
	}
	return uint32(s2%adlerMod<<16 | s1%adlerMod)
}
