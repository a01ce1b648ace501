// Package lzo decodes and encodes LZO1X, the byte-aligned LZ77 method that
// Retro Studios' paks, Unreal packages and the Linux kernel use.
//
// The decoder is pakdb's own, written from the public description of the
// bitstream (the Linux kernel's Documentation/staging/lzo.rst) and from
// streams that other encoders made. It is bounded by the two slices it is
// given: it never reads beyond src, never writes beyond dst, allocates nothing
// and does work in proportion to len(src)+len(dst). [Encoder] encodes.
//
// # Bitstream
//
// A stream is a row of instructions. Each begins with one byte T. Multi-byte
// numbers are little-endian; distances count back from the end of the output.
//
//	T         bytes       length         distance                    literals after it
//	128..255  T H         T>>5 + 1       H<<3 + (T>>2 & 7) + 1       T & 3    M2, 5..8 bytes
//	64..127   T H         T>>5 + 1       H<<3 + (T>>2 & 7) + 1       T & 3    M2, 3..4 bytes
//	32..63    T [n] V V   (T & 31) + 2   V>>2 + 1                    V & 3    M3
//	16..31    T [n] V V   (T & 7) + 2    V>>2 + (T & 8)<<11 + 16384  V & 3    M4
//	0..15     depends on the state, the number of literals that the
//	          instruction before it copied:
//	  none    T [n] ...   T + 3 literals follow; state becomes "run"
//	  1 to 3  T H         2              H<<2 + T>>2 + 1             T & 3    M1
//	  run     T H         3              H<<2 + T>>2 + 2049          T & 3    M1
//
// Where the bits of T that hold a length are all zero (M3, M4, a literal run),
// [n] follows: zero or more bytes 0x00, each worth 255, and one other byte,
// worth itself. Their sum and the largest value of the bits (31, 7, 15)
// take the place of the bits.
//
// A match may reach into its own output: distance 1 repeats one byte.
//
// The first byte alone has a second meaning: 18..20 are 1 to 3 literals (state
// 1 to 3), 21..255 are T-17 literals (state "run"). The kernel's text says "18
// to 21: 0 to 3 literals" here; encoders and decoders agree on T-17.
//
// An M4 of distance 16384 ends the stream. Encoders write it as 11 00 00, the
// only form accepted here. The kernel's LZO-RLE variant, which begins with
// 11 01, is not LZO1X and is refused.
//
// # Segments
//
// Retro Studios cut a file into pieces of 16 KiB and store each by itself: see
// [DecodeSegmented].
//
// # Encoding as liblzo2
//
// [Encoder] encodes LZO1X as liblzo2 does at its levels of LZO1X-999, byte
// for byte: lzo1x_999_compress and lzo1x_999_compress_level, levels 1 to 9.
//
// Retro Studios' paks are made of segments of 16 KiB that LZO1X-999 made at
// level 8, as are those that Prime World Editor writes. Who rebuilds such a pak from
// its content, for example after a patch between decoded contents, needs the very
// bytes. Of 51 segments of samples, go-lzo re-creates 4; this package re-creates all.
//
// # The parse
//
// At each position the longest of the matches that a search sees is asked for, among
// 4 to 4,096 candidates whose three bytes have the same hash, up to 49,151 bytes
// back. A search ends early after a candidate that had found less itself. From
// level 4 on, one or two positions after a match are searched as well, and the
// better match counts: longer by what waiting for it takes, in bytes of code. At
// levels 8 and 9 a match that is one or two bytes shorter is taken where a shorter
// distance saves a byte of code.
//
// Levels 1 to 3 have a length at which a search was to end; liblzo2 2.10 goes on
// regardless, and so does this package.
//
// # How it is known
//
// It was written from what is known of the algorithm, its bounds and its limits by
// level, and from experiments with liblzo2 2.10 on 64 bits, whose output decided
// each question; no source of an LZO library was opened. All levels were compared with that library
// on some 40,000 streams of drawn inputs, which aim at the borders of lengths, distances
// and window, on pieces of programs and texts, and on all rows of up to 14 of two
// bytes. Digests of what it made of 400 inputs are kept. Other versions
// of the library were not at hand. The one-pass compressors, LZO1X-1 and its kin,
// are not here, nor are dictionaries.
package lzo

import (
	"errors"
	"fmt"
	"math"
)

// Decode decodes the LZO1X stream at the start of src into dst. It returns how
// many bytes it wrote to dst and how many of src it consumed, the end marker
// included. A stream may yield less than dst holds, and bytes may follow it in
// src: whether either is wrong is for the caller to say.
//
// On failure the error is an [*Error], n is what had been decoded and read
// where the failed instruction begins. Bytes of dst from n on hold nothing of
// meaning, after success too: matches are copied in words. dst and src must
// not overlap. Decode allocates nothing unless it fails and is safe for
// concurrent use.
func Decode(dst, src []byte) (n, read int, err error) {
	d := decoder{dst: dst, src: src}
	err = d.first()
	for !d.done && err == nil {
		d.fast()
		err = d.step()
	}
	return d.op, d.ip, err
}

// decoder is the position between two instructions.
type decoder struct {
	dst, src []byte
	ip, op   int // next byte of src, of dst
	state    int // literals copied by the instruction before; see stateRun
	done     bool
}

func (d *decoder) fail(err error) error { return &Error{Off: d.ip, Out: d.op, Err: err} }

// first handles the second meaning of a stream's first byte.
func (d *decoder) first() error {
	const bias = 17
	if len(d.src) == 0 || d.src[0] <= bias {
		return nil
	}
	n := int(d.src[0]) - bias
	d.state = min(n, stateRun)
	return d.literals(1, n)
}

// step decodes one instruction and checks each byte. It is the whole decoder:
// fast only skips ahead through what is common and far from both ends.
func (d *decoder) step() error {
	if d.ip == len(d.src) {
		return d.fail(ErrInputOverrun)
	}
	t := uint32(d.src[d.ip])
	if t >= minM4 {
		return d.match(t, &opcodes[t])
	}
	if d.state > 0 {
		return d.match(t, &opcodes[m1Row+16*d.state+int(t)])
	}
	n, ip := int(t), d.ip+1
	if n == 0 {
		n, ip = d.extended(ip, 15)
	}
	d.state = stateRun
	return d.literals(ip, n+3)
}

// literals ends an instruction: n bytes at ip are copied to the output, and
// the next instruction follows them.
func (d *decoder) literals(ip, n int) error {
	if n > len(d.src)-ip {
		return d.fail(ErrInputOverrun)
	}
	if n > len(d.dst)-d.op {
		return d.fail(ErrOutputOverrun)
	}
	copy(d.dst[d.op:], d.src[ip:ip+n])
	d.ip, d.op = ip+n, d.op+n
	return nil
}

func (d *decoder) match(t uint32, o *opcode) error {
	length, ip := int(o.length), d.ip+1
	if length == 0 {
		length, ip = d.extended(ip, maxLength(t))
	}
	end := ip + int(o.size) - 1
	if end > len(d.src) {
		return d.fail(ErrInputOverrun)
	}
	dist, lits := o.split(t | operand(d.src[ip:end])<<8)
	if t < minM3 && dist == m4Base {
		return d.end(t, lits, end)
	}
	if dist > d.op {
		return d.fail(ErrLookbehindOverrun)
	}
	if length > len(d.dst)-d.op {
		return d.fail(ErrOutputOverrun)
	}
	repeat(d.dst[d.op-dist:d.op+length], dist)
	d.op += length
	d.state = lits
	return d.literals(end, lits)
}

// end handles the M4 that ends a stream. Encoders give it length 3 and no
// literals; other forms would carry data that is never looked at.
func (d *decoder) end(t uint32, lits, ip int) error {
	if t != endByte || lits != 0 {
		return d.fail(ErrCorrupt)
	}
	d.ip, d.done = ip, true
	return nil
}

// extended reads [n] at ip and adds it to base. The sum stops growing before
// it overflows, at a length that no slice has.
func (d *decoder) extended(ip, base int) (n, end int) {
	for n = base; ip < len(d.src) && d.src[ip] == 0; ip++ {
		if n < math.MaxInt-1024 {
			n += 255
		}
	}
	if ip < len(d.src) {
		n += int(d.src[ip])
		ip++
	}
	return n, ip
}

// operand returns b as a little-endian number.
func operand(b []byte) (v uint32) {
	for i, c := range b {
		v |= uint32(c) << (8 * i)
	}
	return v
}

// repeat fills buf after its first period bytes with copies of them.
func repeat(buf []byte, period int) {
	for done := period; done < len(buf); {
		done += copy(buf[done:], buf[:done])
	}
}

// The ways in which a stream can fail. A decoder returns each wrapped in an
// [*Error].
var (
	// ErrCorrupt means an instruction or segment that no encoder writes.
	ErrCorrupt = errors.New("corrupt")
	// ErrInputOverrun means that src ends before the stream does.
	ErrInputOverrun = errors.New("input overrun")
	// ErrOutputOverrun means that the stream holds more than dst can take.
	ErrOutputOverrun = errors.New("output overrun")
	// ErrLookbehindOverrun means a match that begins before the output.
	ErrLookbehindOverrun = errors.New("lookbehind overrun")
)

// Error reports where a stream failed. It unwraps to one of the package's
// sentinels.
type Error struct {
	Off int   // where in src the failed instruction or segment begins
	Out int   // how many bytes had been decoded
	Err error // the sentinel
}

func (e *Error) Error() string {
	return fmt.Sprintf("%v at %#x, after %d decoded bytes", e.Err, e.Off, e.Out)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// Bounds of the match classes, as doc.go describes them.
const (
	minM2, minM3, minM4 = 64, 32, 16 // first instruction byte of each class

	maxM3Length = 33 // longest match before [n] is needed
	maxM4Length = 9

	m1RunBase = 2049  // smallest distance of an M1 after a literal run
	m4Base    = 16384 // M4 distances are larger: this one ends the stream

	endByte = 0x11 // first byte of the end marker: an M4 of length 3
)

// A decoder's state is the number of literals that the instruction before
// copied: 0 to 3, or stateRun for a run of 4 and more.
const stateRun = 4

// opcode says how to read a match, so that the decoder has no branch for each
// class: which class comes next is what a processor guesses worst.
type opcode struct {
	length uint8  // 0: larger than the byte can say, [n] follows
	size   uint8  // bytes of the instruction without [n]
	shift  uint8  // distance = operand<<3>>shift + base
	lits   uint8  // bit of the literal count, from the byte before the operand
	mask   uint16 // of the operand: one byte or two
	base   uint16
}

// m1Row is the first row of M1 in the table: its meaning depends on the state.
const m1Row = 256

// opcodes is a constant table: by the instruction byte, then for bytes below
// minM4 a row of 16 for each state. Nothing writes to it once it is made.
var opcodes = makeOpcodes()

func makeOpcodes() (ops [m1Row + 16*(stateRun+1)]opcode) {
	for t := range minM4 {
		for state := 1; state < stateRun; state++ {
			ops[m1Row+16*state+t] = opcode{length: 2, size: 2, shift: 1, mask: 0xff, base: uint16(t>>2 + 1)}
		}
		ops[m1Row+16*stateRun+t] = opcode{length: 3, size: 2, shift: 1, mask: 0xff, base: uint16(t>>2 + m1RunBase)}
	}
	for t := minM4; t < minM3; t++ {
		base := uint16(m4Base + t&8<<11)
		ops[t] = opcode{length: uint8(t&7 + 2), size: 3, shift: 5, lits: 8, mask: 0xffff, base: base}
	}
	for t := minM3; t < minM2; t++ {
		ops[t] = opcode{length: uint8(t&31 + 2), size: 3, shift: 5, lits: 8, mask: 0xffff, base: 1}
	}
	for t := minM2; t < m1Row; t++ {
		ops[t] = opcode{length: uint8(t>>5 + 1), size: 2, mask: 0xff, base: uint16(t>>2&7 + 1)}
	}
	ops[0x10].length, ops[0x18].length, ops[0x20].length = 0, 0, 0
	return ops
}

// split reads the operand: word holds, from its lowest byte, the byte before
// the operand and the operand.
func (o *opcode) split(word uint32) (dist, lits int) {
	operand := word >> 8 & uint32(o.mask)
	return int(operand<<3>>(o.shift&31)) + int(o.base), int(word >> (o.lits & 31) & 3)
}

// maxLength is the longest match of t's class that needs no [n].
func maxLength(t uint32) int {
	if t < minM3 {
		return maxM4Length
	}
	return maxM3Length
}
