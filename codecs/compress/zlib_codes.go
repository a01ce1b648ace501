package compress

import (
	"math"
	"math/bits"
)

const (
	litCodes  = 286 // literals, the end of the block, lengths
	distCodes = 30
	lenCodes  = 19 // of the code lengths

	endOfBlock = 256
	maxBits    = 15
	maxLenBits = 7

	repeat3to6     = 16
	zeroes3to10    = 17
	zeroes11to138  = 18
	heapSize       = 2*litCodes + 1
	guard          = 0xffff
	firstLengthSym = 257
)

// node is a symbol or an inner node of a Huffman tree. Its two numbers mean, one
// after the other, what is needed next.
type node struct {
	fc uint16 // frequency, then code
	dl uint16 // parent, then length of the code in bits
}

// alphabet is what is fixed about one of the three trees of a block.
type alphabet struct {
	fixed   []node  // the codes of fixed blocks; none for code lengths
	extra   []uint8 // extra bits of the symbols from base on
	base    int
	symbols int
	maxBits int
}

// codes holds the trees of the current block and what building them needs.
type codes struct {
	lit  [heapSize]node
	dist [2*distCodes + 1]node
	lens [2*lenCodes + 1]node

	maxLit, maxDist int

	heap     [litCodes + 2]uint64 // of build_tree, from index 1 on: key<<16 | node; after it a larger one
	heapLen  int
	sorted   [heapSize]uint16 // nodes, from heapMax on those of larger frequency first
	heapMax  int
	bitCount [maxBits + 1]uint16

	best  int // bits of the block with the built codes
	fixed int // bits of the block with the fixed codes
}

// reset prepares for counting the symbols of a block.
func (c *codes) reset() {
	for i := range c.lit[:litCodes] {
		c.lit[i].fc = 0
	}
	for i := range c.dist[:distCodes] {
		c.dist[i].fc = 0
	}
	for i := range c.lens[:lenCodes] {
		c.lens[i].fc = 0
	}
	c.lit[endOfBlock].fc = 1
	c.best, c.fixed = 0, 0
}

// count counts the symbols of a block.
func (c *codes) count(syms []uint32) {
	for _, s := range syms {
		if s < 256 {
			c.lit[s].fc++
			continue
		}
		c.lit[firstLengthSym+int(lengthCode[s&255])].fc++
		c.dist[distCode(s>>8-1)].fc++
	}
}

// build makes all three trees and returns how many code lengths of the third
// are sent.
func (c *codes) build() int {
	c.maxLit = c.buildTree(c.lit[:], &litAlphabet)
	c.maxDist = c.buildTree(c.dist[:], &distAlphabet)
	c.scan(c.lit[:], c.maxLit)
	c.scan(c.dist[:], c.maxDist)
	c.buildTree(c.lens[:], &lenAlphabet)
	n := lenCodes
	for n > 4 && c.lens[lenOrder[n-1]].dl == 0 {
		n--
	}
	c.best += 3*n + 5 + 5 + 4
	return n
}

// buildTree is build_tree. It returns the largest symbol that has a code.
func (c *codes) buildTree(t []node, a *alphabet) int {
	top := c.startHeap(t, a)
	for i := c.heapLen / 2; i >= 1; i-- {
		c.siftDown(i, c.heap[i])
	}
	for node := a.symbols; ; node++ {
		n := c.heap[1]
		v := c.heap[c.heapLen]
		c.heap[c.heapLen] = math.MaxUint64
		c.heapLen--
		c.siftDown(1, v)
		m := c.heap[1]
		c.heapMax -= 2
		c.sorted[c.heapMax+1], c.sorted[c.heapMax] = uint16(n), uint16(m)
		freq := t[uint16(n)].fc + t[uint16(m)].fc
		t[node].fc = freq
		t[uint16(n)].dl, t[uint16(m)].dl = uint16(node), uint16(node)
		c.siftDown(1, heapEntry(freq, max(uint8(n>>16), uint8(m>>16))+1, node))
		if c.heapLen < 2 {
			break
		}
	}
	c.heapMax--
	c.sorted[c.heapMax] = uint16(c.heap[1])
	c.lengths(t, a, top)
	assign(t[:top+1], &c.bitCount)
	return top
}

// startHeap puts the symbols that occur into the heap. A tree has at least two:
// where fewer occur, symbols 0 and 1 join them.
func (c *codes) startHeap(t []node, a *alphabet) (top int) {
	c.heapLen, c.heapMax, top = 0, heapSize, -1
	for n := range a.symbols {
		if t[n].fc == 0 {
			t[n].dl = 0
			continue
		}
		c.heapLen++
		c.heap[c.heapLen], top = heapEntry(t[n].fc, 0, n), n
	}
	for c.heapLen < 2 {
		n := 0
		if top < 2 {
			top++
			n = top
		}
		c.heapLen++
		c.heap[c.heapLen] = heapEntry(1, 0, n)
		t[n].fc = 1
		c.best--
		if a.fixed != nil {
			c.fixed -= int(a.fixed[n].dl)
		}
	}
	c.heap[c.heapLen+1] = math.MaxUint64
	return top
}

// heapEntry is a node with its key: among nodes of one frequency the shallower
// goes first.
func heapEntry(freq uint16, depth uint8, node int) uint64 {
	return uint64(freq)<<24<<16 | uint64(depth)<<16 | uint64(node)
}

// siftDown is pqdownheap: it puts v at k or below.
func (c *codes) siftDown(k int, v uint64) {
	heap, n := &c.heap, c.heapLen
	for j := 2 * k; j <= n; j *= 2 {
		// Which son goes first is not foreseeable: no branch.
		j += int((heap[j+1]>>16 - heap[j]>>16 - 1) >> 63)
		son := heap[j]
		if v>>16 <= son>>16 {
			break
		}
		heap[k] = son
		k = j
	}
	heap[k] = v
}

// lengths is gen_bitlen: from parents to lengths of codes, and their sum.
func (c *codes) lengths(t []node, a *alphabet, top int) {
	clear(c.bitCount[:])
	t[c.sorted[c.heapMax]].dl = 0 // the root
	over := 0
	for _, n := range c.sorted[c.heapMax+1:] {
		length := int(t[t[n].dl].dl) + 1
		if length > a.maxBits {
			length = a.maxBits
			over++
		}
		t[n].dl = uint16(length)
		if int(n) > top {
			continue // not a symbol
		}
		c.bitCount[length]++
		extra := 0
		if int(n) >= a.base {
			extra = int(a.extra[int(n)-a.base])
		}
		freq := int(t[n].fc)
		c.best += freq * (length + extra)
		if a.fixed != nil {
			c.fixed += freq * (int(a.fixed[n].dl) + extra)
		}
	}
	if over > 0 {
		c.shorten(t, a, top, over)
	}
}

// shorten repairs a tree in which over codes are too long: zlib's way, which is
// not the optimal one.
func (c *codes) shorten(t []node, a *alphabet, top, over int) {
	for ; over > 0; over -= 2 {
		length := a.maxBits - 1
		for c.bitCount[length] == 0 {
			length--
		}
		c.bitCount[length]--
		c.bitCount[length+1] += 2
		c.bitCount[a.maxBits]--
	}
	h := heapSize
	for length := a.maxBits; length > 0; length-- {
		for n := c.bitCount[length]; n > 0; {
			h--
			m := c.sorted[h]
			if int(m) > top {
				continue
			}
			c.best += (length - int(t[m].dl)) * int(t[m].fc)
			t[m].dl = uint16(length)
			n--
		}
	}
}

// assign gives codes to symbols by their lengths, as RFC 1951, 3.2.2 says, with
// their bits in the order in which they are written.
func assign(t []node, count *[maxBits + 1]uint16) {
	var next [maxBits + 1]uint16
	code := uint16(0)
	for n := 1; n <= maxBits; n++ {
		code = (code + count[n-1]) << 1
		next[n] = code
	}
	for i := range t {
		if n := t[i].dl; n > 0 {
			t[i].fc = bits.Reverse16(next[n]) >> (16 - n)
			next[n]++
		}
	}
}

// scan counts the symbols that the lengths of a tree's codes are written with.
func (c *codes) scan(t []node, top int) {
	t[top+1].dl = guard
	lengthRuns(t[:top+2], func(sym uint16, n int, _ uint32, _ uint) {
		c.lens[sym].fc += uint16(n)
	})
}

// lengthRuns cuts the lengths of codes into what is written for them, and calls
// emit: a symbol, how many times, and the extra bits of it. The last node of t
// is a guard.
func lengthRuns(t []node, emit func(sym uint16, n int, extra uint32, bits uint)) {
	before, length, run := uint16(guard), t[0].dl, 0
	most, least := runLimits(length, guard)
	for i := range len(t) - 1 {
		next := t[i+1].dl
		if run++; run < most && length == next {
			continue
		}
		switch {
		case run < least:
			emit(length, run, 0, 0)
		case length != 0:
			if length != before {
				emit(length, 1, 0, 0)
				run--
			}
			emit(repeat3to6, 1, uint32(run-3), 2)
		case run <= 10:
			emit(zeroes3to10, 1, uint32(run-3), 3)
		default:
			emit(zeroes11to138, 1, uint32(run-11), 7)
		}
		run, before, length = 0, length, next
		most, least = runLimits(next, before)
	}
}

// runLimits returns how many equal lengths are written as one at most, and from
// how many on.
func runLimits(length, before uint16) (most, least int) {
	switch {
	case length == 0:
		return 138, 3
	case length == before:
		return 6, 3
	}
	return 7, 4
}
