package coder

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// near finds the positions of a content that have the same 4 bytes, the last first. They
// are chained, which is quickly done; a content that is often asked for is sorted into rows,
// and so is a large one at once.
type near struct {
	chains chains
	asked  int // lookups so far
	rows   rows
	row    []uint64 // of the chain at hand
}

// rows are the positions of a content by the hash of their 4 bytes. Those of one hash
// are side by side, each with the 5 bytes after its 4: most that match no further than
// another one are rejected without a cache miss for the link and one for the content. New
// text takes half the time so: of its 96 candidates at a position hardly any is longer.
type rows struct {
	starts []uint32 // by hash: where its row begins; it ends where the next one begins
	places []uint64 // a position below 1 << 24, and above it the bytes 4 to 8 from there on, the first lowest
	shift  int

	// Of a large content.
	ends [rowParts + 1]uint32 // where its parts begin and end in places
	lows []uint16             // by place: the lower bits of its hash
	part []uint64             // a copy of a part
}

const (
	rowBits  = 24      // of a position
	rowLimit = 4 << 20 // bytes of a content that is sorted into rows: they take 32 MiB
	rowAsked = 64      // it is when it was asked as often as for every 64th byte of it
)

// reset makes the positions of old findable, of which there are at most nearLimit.
func (x *near) reset(old []byte) {
	x.asked, x.rows.places = 0, x.rows.places[:0]
	if len(old) >= rowSplit && len(old) <= rowLimit {
		x.rows.fill(old)
		return
	}
	x.chains.reset(widthOf(old), len(old))
	for i := 0; i+4 <= len(old); i++ {
		x.chains.add(old[i:], i)
	}
}

// widthOf is how many bits of a hash distinguish positions.
func widthOf(old []byte) int { return min(max(bits.Len(uint(len(old))), 10), 21) }

// find returns the positions in old whose 4 bytes have the hash of those of p, at most so
// many, as rows have them, and whether these are all. It is valid until the next call.
func (x *near) find(old, p []byte, most int) (places []uint64, all bool) {
	x.asked++
	if len(x.rows.places) == 0 && x.asked > len(old)/rowAsked && len(old) <= rowLimit {
		x.rows.fill(old)
	}
	if len(x.rows.places) > 0 {
		return x.rows.find(p, most)
	}
	x.row = x.row[:0]
	q, tag := x.chains.first(p)
	for ; q > 0 && most > 0; most-- {
		at := int(q>>tagBits) - 1
		if q&(1<<tagBits-1) == tag {
			x.row = append(x.row, uint64(at)|rest(old[at:])<<rowBits)
		}
		q = x.chains.links[at]
	}
	return x.row, q == 0
}

// fill makes the positions of old findable, of which there are at most nearLimit.
func (x *rows) fill(old []byte) {
	n := max(len(old)-3, 0)
	width := widthOf(old)
	x.starts, x.shift = zeros(x.starts, 1<<width+1), 32-width
	if cap(x.places) < n {
		x.places = make([]uint64, n)
	}
	x.places = x.places[:n]
	if n < rowSplit {
		for i := range n {
			x.starts[hash4(old[i:])>>x.shift]++
		}
		sum := uint32(0)
		for i, k := range x.starts {
			sum += k
			x.starts[i] = sum
		}
		for i := range n { // each row from its end on: its last position is first
			at := &x.starts[hash4(old[i:])>>x.shift]
			*at--
			x.places[*at] = placeOf(old, i)
		}
		return
	}
	x.split(old, n)
	low := width - partBits
	for part := range rowParts {
		x.sort(x.ends[part], x.ends[part+1], uint32(part)<<low, uint32(part+1)<<low)
	}
	x.starts[1<<width] = uint32(n)
}

const (
	rowSplit = 1 << 19 // positions from which on they are split into parts first
	partBits = 6
	rowParts = 1 << partBits
)

// split puts places into the parts of a row of rows: those whose hashes have the same
// upper bits, in ascending order. All parts at once are more than a cache has.
func (x *rows) split(old []byte, n int) {
	if cap(x.lows) < n {
		x.lows = make([]uint16, n)
	}
	x.lows = x.lows[:n]
	x.ends = [rowParts + 1]uint32{}
	for i := range n {
		x.ends[hash4(old[i:])>>(32-partBits)+1]++
	}
	for i := range rowParts {
		x.ends[i+1] += x.ends[i]
	}
	next := x.ends
	for i := range n {
		h := hash4(old[i:])
		at := &next[h>>(32-partBits)]
		x.places[*at] = placeOf(old, i)
		x.lows[*at] = uint16(h << partBits >> (x.shift + partBits))
		*at++
	}
}

// sort sorts places from one to another, which are a part, into the rows of hashes from
// low on, up to high.
func (x *rows) sort(from, to, low, high uint32) {
	lows := x.lows[from:to]
	x.part = append(x.part[:0], x.places[from:to]...)
	starts := x.starts[low:high]
	for _, k := range lows {
		starts[k]++
	}
	sum := from
	for i, k := range starts {
		sum += k
		starts[i] = sum
	}
	for i, k := range lows {
		starts[k]--
		x.places[starts[k]] = x.part[i]
	}
}

// placeOf is what a row has of position i of old.
func placeOf(old []byte, i int) uint64 {
	if p := old[i:]; len(p) >= 12 {
		return uint64(i) | binary.LittleEndian.Uint64(p[4:])<<rowBits
	}
	return uint64(i) | rest(old[i:])<<rowBits
}

// rest returns the bytes 4 to 8 of p, the first lowest, and zeros where it has none.
func rest(p []byte) uint64 {
	if len(p) >= 12 {
		return binary.LittleEndian.Uint64(p[4:]) & (1<<40 - 1)
	}
	var v [8]byte
	copy(v[:5], p[min(4, len(p)):])
	return binary.LittleEndian.Uint64(v[:])
}

// find returns the positions whose 4 bytes have the hash of those of p, the last first,
// at most so many, and whether these are all.
func (x *rows) find(p []byte, most int) (places []uint64, all bool) {
	h := hash4(p) >> x.shift
	from, to := x.starts[h], x.starts[h+1]
	if n := from + uint32(most); n < to {
		return x.places[from:n], false
	}
	return x.places[from:to], true
}

// differing returns the bits by which places of a row differ that have n bytes or fewer in
// common, as far as the row shows: of the bytes 4 to n.
func differing(n int) uint64 { return (1<<(8*min(max(n-3, 0), 5)) - 1) << rowBits }

// tree finds the longest matches in the history, for the greatest effort. It is LZMA's
// match finder: the positions with the same first 4 bytes are a binary tree, sorted by
// the bytes that follow, with the last position as the root. Nodes get progressively
// closer to the key on the way down. Links are positions + 1, modulo 2^32; 0 is none.
type tree struct {
	heads []uint32    // by hash: the root
	sons  [][2]uint32 // by position modulo their number: below it what sorts before, and after

	planted bool // for the stream at hand
}

// treeDepth bounds the way down.
const treeDepth = 64

// treeWidth is by how many bits of a hash trees differ. With 18, most positions of noise walk
// down a tree of others, a cache miss a node: a stored archive took half as long again.
const treeWidth = 20

// meeting is a place that has n bytes, back bytes before a position.
type meeting struct{ back, n int }

// plant prepares the tree for positions before end of a stream; it takes 36 MiB at most.
func (t *tree) plant(end int) {
	t.sons = seenRoom(t.sons, end)
	if !t.planted {
		t.planted = true
		t.heads = zeros(t.heads, 1<<treeWidth)
	}
}

// add makes a position the root of its tree and appends the places that it
// met on its way, longer and longer ones above minFresh, up to maxNice. It needs
// 4 bytes of the history there.
func (t *tree) add(h *history, at int, met []meeting) []meeting {
	p := h.buf[at-h.start:]
	p = p[:min(len(p), maxNice)]
	head := &t.heads[hash4(p)>>(32-treeWidth)]
	next := *head
	*head = uint32(at + 1)
	own := &t.sons[at&(len(t.sons)-1)]
	before, behind, top := &own[0], &own[1], minFresh
	for d := treeDepth; next != 0 && d > 0; d-- {
		back := int(uint32(at+1) - next)
		if back == 0 || back >= maxWindow || at-back < h.start {
			break
		}
		// All of it is compared, not only what is beyond the runs met so far: where a
		// content ended, trees were sorted by fewer bytes than there are now.
		q := h.buf[at-back-h.start:]
		n := common(p, q)
		if n > top {
			top = n
			met = append(met, meeting{back, n})
		}
		sons := &t.sons[(at-back)&(len(t.sons)-1)]
		if n == len(p) {
			*before, *behind = sons[0], sons[1]
			return met
		}
		if q[n] < p[n] {
			*before, before, next = next, &sons[1], sons[1]
		} else {
			*behind, behind, next = next, &sons[0], sons[0]
		}
	}
	*before, *behind = 0, 0
	return met
}

// history is what a coder has seen last: the contents before, and the one at
// hand. Positions count from the last reset.
type history struct {
	buf   []byte
	start int // position of buf[0]
}

func (h *history) reset() { h.buf, h.start = h.buf[:0], 0 }

// end is the position of the byte that comes next.
func (h *history) end() int { return h.start + len(h.buf) }

// grow makes room for a content of n bytes and returns its place and its
// position. What lies further back than a reference reaches is forgotten.
func (h *history) grow(n int) (content []byte, at int) {
	if over := len(h.buf) - maxWindow; over > 0 && len(h.buf)+n > 2*maxWindow {
		h.buf = append(h.buf[:0], h.buf[over:]...)
		h.start += over
	}
	at = h.end()
	k := len(h.buf)
	h.buf = slices.Grow(h.buf, n)[:k+n]
	return h.buf[k:], at
}

// before returns the four bytes before a position, the last one lowest.
func (h *history) before(at int) (v uint32) {
	k := at - h.start
	if k >= 4 {
		return uint32(h.buf[k-4])<<24 | uint32(h.buf[k-3])<<16 | uint32(h.buf[k-2])<<8 | uint32(h.buf[k-1])
	}
	for i := range k {
		v = v<<8 | uint32(h.buf[i])
	}
	return v
}

// seen fills in what a reference back has from one byte before a position on, but
// for what is not there yet.
func (h *history) seen(p []byte, r ref, at int) {
	for i := range p {
		k := at - 1 + i + int(r.shift)
		if k < at && k >= h.start && r.shift < 0 && r.shift >= -maxWindow {
			p[i] = h.buf[k-h.start]
		}
	}
}
