package oodle

const maxCodeLen = 11

// codeLengths is the ordered list of symbols with their code lengths, as a Huffman header gives it.
type codeLengths struct {
	n    int
	syms [256]uint8
	lens [256]uint8
	set  symbolSet
}

// read reads the header of a Huffman array. It reports whether the header is sound; the lengths then are 1..11 each,
// but need not make a full code. n = 1 stands for a fill with syms[0].
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
