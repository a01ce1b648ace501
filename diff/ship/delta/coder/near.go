package coder

import (
	"encoding/binary"
	"math/bits"
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
// stand side by side, each with the 5 bytes behind its 4: most that match no further than
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

// widthOf is how many bits of a hash positions are told apart by.
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
		for i := range n { // each row from its end on: its last position stands first
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
// common, as far as the row tells: of the bytes 4 to n.
func differing(n int) uint64 { return (1<<(8*min(max(n-3, 0), 5)) - 1) << rowBits }
