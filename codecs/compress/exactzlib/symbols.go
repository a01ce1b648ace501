package exactzlib

// firstBlock decodes the symbols of the first block of a deflate stream, but no
// more than most, as [Encoder.tally] keeps them, into syms, and reports whether
// it is the last block. ok is false for a damaged stream, for a stored block,
// which has no symbols, and for a block of more symbols.
func firstBlock(stream []byte, syms []uint32, most int) (_ []uint32, last, ok bool) {
	r := bitReader{b: stream}
	last = r.take(1) == 1
	var lit, dist decoding
	switch r.take(2) {
	case fixedBlock:
		lit, dist = decodingOf(lengthsOf(fixedLit[:])), decodingOf(lengthsOf(fixedDist[:]))
	case dynamicBlock:
		if lit, dist, ok = r.codes(); !ok {
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
	b    []byte
	at   int
	acc  uint32
	n    uint
	past bool
}

// take returns the next n bits, at most 16.
func (r *bitReader) take(n uint) uint32 {
	for r.n < n {
		if r.at < len(r.b) {
			r.acc |= uint32(r.b[r.at]) << r.n
			r.at++
		} else {
			r.past = true
		}
		r.n += 8
	}
	v := r.acc & (1<<n - 1)
	r.acc >>= n
	r.n -= n
	return v
}

// decoding is a Huffman code for decoding: how many codes there are of each
// length, and the symbols in the order of their codes.
type decoding struct {
	count [maxBits + 1]uint16
	syms  [litCodes + 2]uint16
}

func lengthsOf(t []node) []uint8 {
	lengths := make([]uint8, len(t))
	for i := range t {
		lengths[i] = uint8(t[i].dl)
	}
	return lengths
}

func decodingOf(lengths []uint8) (d decoding) {
	var at [maxBits + 2]uint16
	for _, n := range lengths {
		d.count[n]++
	}
	for n := 1; n <= maxBits; n++ {
		at[n+1] = at[n] + d.count[n]
	}
	for sym, n := range lengths {
		if n > 0 {
			d.syms[at[n]] = uint16(sym)
			at[n]++
		}
	}
	d.count[0] = 0
	return d
}

// next decodes a symbol bit by bit.
func (r *bitReader) next(d *decoding) (sym int, ok bool) {
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

// codes reads the codes of a dynamic block.
func (r *bitReader) codes() (lit, dist decoding, ok bool) {
	lits, dists, lens := int(r.take(5))+257, int(r.take(5))+1, int(r.take(4))+4
	if lits > litCodes || dists > distCodes {
		return lit, dist, false
	}
	var ofLens [lenCodes]uint8
	for _, sym := range lenOrder[:lens] {
		ofLens[sym] = uint8(r.take(3))
	}
	d := decodingOf(ofLens[:])
	var lengths [litCodes + distCodes]uint8
	for n := 0; n < lits+dists; {
		sym, ok := r.next(&d)
		if !ok {
			return lit, dist, false
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
			return lit, dist, false
		}
		if times > lits+dists-n {
			return lit, dist, false
		}
		for ; times > 0; times-- {
			lengths[n] = value
			n++
		}
	}
	return decodingOf(lengths[:lits]), decodingOf(lengths[lits : lits+dists]), true
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
