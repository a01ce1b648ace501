package deflate

import (
	"math/bits"
	"slices"
)

const (
	litSyms     = 286
	distSyms    = 30
	lenSyms     = 19
	maxSyms     = 288
	maxBits     = 15
	maxLenBits  = 7
	endOfBlock  = 256
	firstLength = 257
)

var (
	lengthExtra = [32]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distExtra   = [32]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	lenOrder    = [lenSyms]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

	lengthBase, lengthCode = lengthTables()
	distBase, distCodeOf   = distTables()
	symbolOf, kindOf       = lengthSymbols()
	fixedLit, fixedDist    = fixedCodes()
)

// lengthTables returns the first length of each code and the code of each length, both
// less 3. Length 258 has a code of its own.
func lengthTables() (base [32]uint8, code [256]uint8) {
	n := 0
	for c := range 28 {
		base[c] = uint8(n)
		for range 1 << lengthExtra[c] {
			code[n] = uint8(c)
			n++
		}
	}
	base[28], code[255] = 255, 28
	return base, code
}

// distTables returns the first distance of each code, and the code of each distance less
// 1: below 256 as it is, above that divided by 128.
func distTables() (base [32]uint16, code [512]uint8) {
	n := 0
	for c := range distSyms {
		base[c] = uint16(n + 1)
		for end := n + 1<<distExtra[c]; n < end; {
			if n < 256 {
				code[n] = uint8(c)
				n++
			} else {
				code[256+n>>7] = uint8(c)
				n += 128
			}
		}
	}
	return base, code
}

// distCode returns the code of a distance, less 1.
func distCode(d uint32) uint8 {
	if d >= 256 {
		d = 256 + d>>7
	}
	return distCodeOf[d&511] & 31
}

// lengthSymbols returns the symbol of each length less 3, and its kind in the eyes of
// whoever ends a block.
func lengthSymbols() (symbol [256]uint16, kind [256]uint8) {
	for i := range 256 {
		symbol[i], kind[i] = firstLength+uint16(lengthCode[i]), 8
		if i >= 9-minMatch {
			kind[i] = 9
		}
	}
	return symbol, kind
}

// fill sets the words of lengths with their extra bits.
func (c *code) fill(words *[256]uint32) {
	for i := range 256 {
		l := lengthCode[i]
		s := firstLength + int(l)
		extra := uint32(uint8(i)-lengthBase[l]) << c.size[s]
		words[i] = (extra|uint32(c.word[s]))<<8 | uint32(c.size[s]+lengthExtra[l])
	}
}

func fixedCodes() (lit, dist code) {
	for i := range maxSyms {
		switch {
		case i < 144:
			lit.size[i] = 8
		case i < 256:
			lit.size[i] = 9
		case i < 280:
			lit.size[i] = 7
		default:
			lit.size[i] = 8
		}
	}
	for i := range distSyms {
		dist.size[i] = 5
	}
	lit.words(maxSyms)
	dist.words(distSyms)
	return lit, dist
}

// code is a Huffman code.
type code struct {
	freq [maxSyms]uint32
	size [maxSyms]uint8  // bits of each symbol; 0: does not occur
	word [maxSyms]uint16 // as it is written, its first bit lowest

	nodes  [maxSyms]uint32
	counts [maxSyms]uint16
}

const symBits = 10 // of a node: below its frequency, its parent or its depth

// build makes the code of n symbols with at most limit bits each. At least two symbols
// get a word, since decoders may refuse a code of one.
func (c *code) build(n, limit int) {
	nodes := c.sorted(n)
	if len(nodes) < 2 {
		only := 0
		if len(nodes) == 1 {
			only = int(nodes[0] & (1<<symBits - 1))
		}
		c.size[only], c.size[max(1-only, 0)] = 1, 1
		c.words(n)
		return
	}
	tree(nodes)
	var sizes [maxBits + 2]uint16 // symbols of each size
	c.spread(nodes, limit, &sizes)
	i := 0
	for size := limit; size > 0; size-- {
		for range sizes[size] {
			c.size[nodes[i]&(1<<symBits-1)] = uint8(size)
			i++
		}
	}
	c.words(n)
}

// sorted returns the symbols that occur by frequency, as frequency<<symBits | symbol,
// and clears the sizes.
func (c *code) sorted(n int) []uint32 {
	clear(c.size[:n])
	clear(c.counts[:n])
	for _, f := range c.freq[:n] {
		c.counts[min(int(f), n-1)]++
	}
	used := 0
	for f := 1; f < n; f++ {
		c.counts[f], used = uint16(used), used+int(c.counts[f])
	}
	rest := int(c.counts[n-1])
	for s, f := range c.freq[:n] {
		if f != 0 {
			at := &c.counts[min(int(f), n-1)]
			c.nodes[*at] = f<<symBits | uint32(s)
			*at++
		}
	}
	slices.Sort(c.nodes[rest:used]) // frequent ones have one place together
	return c.nodes[:used]
}

// tree replaces frequencies by the indices of parents in place (Moffat and Katajainen):
// inner nodes are made from the begin on, where leaves have been taken.
func tree(a []uint32) {
	const sym, freq = uint32(1<<symBits - 1), ^uint32(1<<symBits - 1)
	last := len(a) - 1
	leaf, inner := 0, 0
	for e := range last {
		var f uint32
		switch {
		case leaf+1 <= last && (inner == e || a[leaf+1]&freq <= a[inner]&freq):
			f = a[leaf]&freq + a[leaf+1]&freq
			leaf += 2
		case inner+2 <= e && (leaf > last || a[inner+1]&freq < a[leaf]&freq):
			f = a[inner]&freq + a[inner+1]&freq
			a[inner] = uint32(e)<<symBits | a[inner]&sym
			a[inner+1] = uint32(e)<<symBits | a[inner+1]&sym
			inner += 2
		default:
			f = a[leaf]&freq + a[inner]&freq
			a[inner] = uint32(e)<<symBits | a[inner]&sym
			leaf, inner = leaf+1, inner+1
		}
		a[e] = f | a[e]&sym
	}
}

// spread counts the leaves of each depth. Those below the limit are put where another
// one makes room by going down.
func (c *code) spread(a []uint32, limit int, sizes *[maxBits + 2]uint16) {
	const sym = uint32(1<<symBits - 1)
	root := len(a) - 2
	sizes[1] = 2
	a[root] &= sym
	for i := root - 1; i >= 0; i-- {
		depth := a[a[i]>>symBits]>>symBits + 1
		a[i] = depth<<symBits | a[i]&sym
		d := int(depth)
		if d >= limit {
			for d = limit - 1; sizes[d] == 0; d-- {
			}
		}
		sizes[d]--
		sizes[d+1] += 2
	}
}

// words assigns words by sizes.
func (c *code) words(n int) {
	var next, count [maxBits + 2]uint16
	for _, s := range c.size[:n] {
		count[s]++
	}
	count[0] = 0
	for i := 1; i <= maxBits; i++ {
		next[i] = (next[i-1] + count[i-1]) << 1
	}
	for s, size := range c.size[:n] {
		c.word[s] = bits.Reverse16(next[size&15]) >> (16 - size&15)
		next[size&15]++
	}
}
