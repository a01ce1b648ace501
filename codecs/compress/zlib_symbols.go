package compress

import (
	"encoding/binary"
	"math/bits"
)

// firstBlock decodes the symbols of the first block of a deflate stream, but no
// more than most, as [ZlibEncoder.tally] keeps them, into syms, and reports whether
// it is the last block. ok is false for a damaged stream, for a stored block,
// which has no symbols, and for a block of more symbols.
func firstBlock(stream []byte, syms []uint32, most int) (_ []uint32, last, ok bool) {
	r := bitReader{b: stream}
	last = r.take(1) == 1
	var lit, dist decoding
	switch r.take(2) {
	case fixedBlock:
		lit.from(lengthsOf(fixedLit[:]))
		dist.from(lengthsOf(fixedDist[:]))
	case dynamicBlock:
		if !r.codes(&lit, &dist) {
			return syms, false, false
		}
	default:
		return syms, false, false
	}
	syms, ok = r.symbols(&lit, &dist, syms, most)
	return syms, last, ok
}

// bitReader reads the bits of a stream. Beyond the end it reads zeroes and sets
// past.
type bitReader struct {
	b      []byte
	at     int
	acc    uint64
	n      uint // bits in acc
	beyond uint // of these, the last ones are not of the stream
	past   bool
}

// fill has at least 32 bits in acc.
func (r *bitReader) fill() {
	if r.n >= 32 {
		return
	}
	if r.at+4 <= len(r.b) {
		r.acc |= uint64(binary.LittleEndian.Uint32(r.b[r.at:])) << r.n
		r.at += 4
		r.n += 32
		return
	}
	for r.n < 32 {
		if r.at < len(r.b) {
			r.acc |= uint64(r.b[r.at]) << r.n
			r.at++
		} else {
			r.beyond += 8
		}
		r.n += 8
	}
}

// drop passes over n bits that are in acc.
func (r *bitReader) drop(n uint) {
	r.acc >>= n
	if r.n -= n; r.n < r.beyond {
		r.beyond, r.past = r.n, true
	}
}

// take returns the next n bits, at most 16.
func (r *bitReader) take(n uint) uint32 {
	r.fill()
	v := uint32(r.acc) & (1<<n - 1)
	r.drop(n)
	return v
}

// quickBits is the length of the codes that are looked up.
const quickBits = 9

// decoding is a Huffman code for decoding: how many codes there are of each
// length, and the symbols in the order of their codes. Of short codes quick has
// the symbol times 16 and the length, by the bits that come next.
type decoding struct {
	count [maxBits + 1]uint16
	syms  [litCodes + 2]uint16
	quick [1 << quickBits]uint16
}

func lengthsOf(t []node) []uint8 {
	lengths := make([]uint8, len(t))
	for i := range t {
		lengths[i] = uint8(t[i].dl)
	}
	return lengths
}

// from makes the code whose lengths these are, by symbol.
func (d *decoding) from(lengths []uint8) {
	*d = decoding{}
	var at [maxBits + 2]uint16
	for _, n := range lengths {
		d.count[n]++
	}
	d.count[0] = 0
	for n := 1; n <= maxBits; n++ {
		at[n+1] = at[n] + d.count[n]
	}
	for sym, n := range lengths {
		if n > 0 {
			d.syms[at[n]] = uint16(sym)
			at[n]++
		}
	}
	code, index := 0, 0
	for n := 1; n <= quickBits; n++ {
		for range int(d.count[n]) {
			if code < 1<<n { // a damaged code has more than fit
				reversed := int(bits.Reverse16(uint16(code)) >> (16 - n))
				for i := reversed; i < len(d.quick); i += 1 << n {
					if d.quick[i] == 0 {
						d.quick[i] = d.syms[index]<<4 | uint16(n)
					}
				}
			}
			code++
			index++
		}
		code <<= 1
	}
}

// next decodes a symbol.
func (r *bitReader) next(d *decoding) (sym int, ok bool) {
	r.fill()
	if q := d.quick[r.acc&(1<<quickBits-1)]; q != 0 {
		r.drop(uint(q & 15))
		return int(q >> 4), !r.past
	}
	return r.slowly(d)
}

// slowly decodes a symbol bit by bit.
func (r *bitReader) slowly(d *decoding) (sym int, ok bool) {
	code, first, index := 0, 0, 0
	for n := 1; n <= maxBits; n++ {
		code |= int(r.take(1))
		count := int(d.count[n])
		if code-count < first {
			return int(d.syms[index+code-first]), !r.past
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, false
}

// codes reads the codes of a dynamic block, and reports whether they are ones.
func (r *bitReader) codes(lit, dist *decoding) bool {
	lits, dists, lens := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if lits > litCodes || dists > distCodes {
		return false
	}
	var ofLens [lenCodes]uint8
	for _, sym := range lenOrder[:lens] {
		ofLens[sym] = uint8(r.take(3))
	}
	var d decoding
	d.from(ofLens[:])
	var lengths [litCodes + distCodes]uint8
	for n := 0; n < lits+dists; {
		sym, ok := r.next(&d)
		if !ok {
			return false
		}
		value, times := uint8(0), 1
		switch {
		case sym < repeat3to6:
			value = uint8(sym)
		case sym == repeat3to6 && n > 0:
			value, times = lengths[n-1], 3+int(r.take(2))
		case sym == zeroes3to10:
			times = 3 + int(r.take(3))
		case sym == zeroes11to138:
			times = 11 + int(r.take(7))
		default:
			return false
		}
		if times > lits+dists-n {
			return false
		}
		for ; times > 0; times-- {
			lengths[n] = value
			n++
		}
	}
	lit.from(lengths[:lits])
	dist.from(lengths[lits : lits+dists])
	return true
}

// mostSymbols is what a block has with the largest memory level.
const mostSymbols = 1<<(9+6) - 1

func (r *bitReader) symbols(lit, dist *decoding, syms []uint32, most int) ([]uint32, bool) {
	for {
		sym, ok := r.next(lit)
		switch {
		case !ok:
			return syms, false
		case sym == endOfBlock:
			return syms, true
		case len(syms) == most:
			return syms, false
		case sym < endOfBlock:
			syms = append(syms, uint32(sym))
			continue
		case sym >= litCodes:
			return syms, false
		}
		code := sym - firstLengthSym
		length := uint32(lengthBase[code]) + r.take(uint(lengthExtra[code]))
		d, ok := r.next(dist)
		if !ok || d >= distCodes || length > 255 {
			return syms, false
		}
		distance := 1 + uint32(distBase[d]) + r.take(uint(distExtra[d]))
		syms = append(syms, distance<<8|length)
	}
}
