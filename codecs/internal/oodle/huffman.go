package oodle

import "math/bits"

const (
	huffSize = 1 << maxCodeLen
	huffMask = huffSize - 1
)

// huffTable is looked up with the next 11 bits of an LSB-first stream. An entry is symbol<<8 | length, so that the sum
// of a few entries has the sum of their lengths in its low byte, and an entry is its own shift count (mod 64).
type huffTable struct {
	entry [huffSize]uint16
	codes codeLengths
}

// build fills the table from t.codes, which must make an exactly full code.
//
// Codes go up with the length and, inside a length, in list order. The table begins with the one entry of length 0 and
// is doubled for each further length: shorter codes repeat by that in all their places, and each symbol is written once.
func (t *huffTable) build() bool {
	c := &t.codes
	var start [maxCodeLen + 2]int
	sum := 0
	for _, l := range c.lens[:c.n] {
		start[l+1]++
		sum += huffSize >> l
	}
	if sum != huffSize {
		return false
	}
	for l := 1; l < len(start); l++ {
		start[l] += start[l-1]
	}
	var sorted [256]uint8
	at := start
	for i, l := range c.lens[:c.n] {
		sorted[at[l]&255] = c.syms[i]
		at[l]++
	}
	code := 0 // bit-reversed: the first bit of the stream is bit 0
	for l := 1; l <= maxCodeLen; l++ {
		size := 1 << l
		copy(t.entry[size/2:size], t.entry[:size/2])
		for _, sym := range sorted[start[l]:start[l+1]] {
			t.entry[code&huffMask] = uint16(sym)<<8 | uint16(l)
			bit := 1 << bits.Len(uint(^code&(size-1))) >> 1
			code = code&(bit-1) | bit
		}
	}
	return true
}

// huffman decodes a Huffman array of either kind.
func (d arrayDecoder) huffman(h arrayHeader, out []byte) error {
	if err := d.charge(h.pos, tableWork); err != nil {
		return err
	}
	t := &d.huff
	r := forward{buf: d.src[h.pos:h.end()]}
	if !t.codes.read(&r) || r.used() > h.stored {
		return d.corrupt(h.pos, "huffman.lengths")
	}
	if t.codes.n == 1 {
		fillBytes(out, t.codes.syms[0])
		return nil
	}
	if !t.build() {
		return d.corrupt(h.pos, "huffman.code")
	}
	pos, end := h.pos+r.used(), h.end()
	if h.kind == arrayHuffman {
		return d.huffStreams(pos, end, out)
	}
	if end-pos < 6 {
		return d.corrupt(pos, "huffman.split")
	}
	m := le24(d.src[pos:])
	pos += 3
	if m > end-pos {
		return d.corrupt(pos-3, "huffman.split")
	}
	half := (len(out) + 1) / 2
	if err := d.huffStreams(pos, pos+m, out[:half]); err != nil {
		return err
	}
	return d.huffStreams(pos+m, end, out[half:])
}

// huffStreams decodes out from three interleaved streams in src[pos:end].
func (d arrayDecoder) huffStreams(pos, end int, out []byte) error {
	if end-pos < 3 {
		return d.corrupt(pos, "huffman.streams")
	}
	w := le16(d.src[pos:])
	start := pos + 2
	if w > end-start {
		return d.corrupt(pos, "huffman.streams")
	}
	s := threeStreams{buf: d.src[start:end], b: w * 8}
	if !s.decode(&d.huff.entry, out) || s.a != w || s.b+s.c != end-start {
		return d.corrupt(pos, "huffman.end")
	}
	return nil
}

const maxCodeLen = 11

// codeLengths is the ordered list of symbols with their code lengths, as a Huffman header gives it.
type codeLengths struct {
	n    int
	syms [256]uint8
	lens [256]uint8
	set  symbolSet
}

// read reads the header of a Huffman array. It reports whether the header is sound; the lengths then are 1..11 each,
// but need not make a full code. n = 1 is a fill with syms[0].
func (c *codeLengths) read(r *forward) bool {
	c.n = 0
	if r.read(1) == 1 {
		return r.read(1) == 0 && c.newLengths(r)
	}
	if r.read(1) == 1 {
		return c.dense(r)
	}
	return c.sparse(r)
}

func (c *codeLengths) add(sym, length int) bool {
	if length < 1 || length > maxCodeLen || c.n == len(c.syms) {
		return false
	}
	c.syms[c.n], c.lens[c.n] = uint8(sym), uint8(length)
	c.n++
	return true
}

// sparse reads the old form for few symbols: the order of the codes is that of the list.
func (c *codeLengths) sparse(r *forward) bool {
	n := r.read(8)
	if n <= 1 {
		return n == 1 && c.add(r.read(8), 1)
	}
	k := r.read(3)
	if k > 4 {
		return false
	}
	for range n {
		sym := r.read(8)
		if !c.add(sym, r.read(k)+1) {
			return false
		}
	}
	return true
}

// dense reads the old form for many symbols: runs of used and unused symbols in turn.
func (c *codeLengths) dense(r *forward) bool {
	g := r.read(2)
	avg, sym := 32, 0
	for skip := r.read(1) == 1; ; skip = false {
		if !skip {
			n, ok := gammaH(r)
			if !ok {
				return false
			}
			if sym += n; sym >= 256 {
				break
			}
		}
		n, ok := gammaH(r)
		if !ok || sym+n > 256 {
			return false
		}
		for ; n > 0; n-- {
			z := r.zeros(20 >> g)
			if z > 20>>g {
				return false
			}
			length := zigzag(z<<g+r.read(g)) + (avg+2)>>2
			if !c.add(sym, length) {
				return false
			}
			avg = length + (3*avg+2)>>2
			sym++
		}
		if sym == 256 {
			break
		}
	}
	return sym == 256 && c.n >= 2
}

// gammaH reads a run length >= 1 of dense.
func gammaH(r *forward) (int, bool) {
	z := r.zeros(7)
	if z > 7 {
		return 0, false
	}
	return 1<<(z+1) + r.read(z+1) - 1, true
}

// newLengths reads the form that current encoders write.
func (c *codeLengths) newLengths(r *forward) bool {
	g := r.read(2)
	n := r.read(8) + 1
	if !c.set.values(r, n) {
		return false
	}
	u := c.set.unary[:n]
	if g > 0 {
		for i := range u {
			u[i] = u[i]<<g + uint16(r.read(g))
		}
	}
	if !c.set.ranges(r) {
		return false
	}
	run := 30
	for i, v := range u {
		delta := zigzag(int(v))
		if !c.add(int(c.set.bytes[i]), delta+run>>2+1) {
			return false
		}
		run += delta
	}
	return true
}
