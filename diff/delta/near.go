package delta

import (
	"encoding/binary"
	"math/bits"
)

// near finds the positions of a content that have the same 4 bytes, the last first. They
// are chained, which is quickly done; a content that is often asked for is sorted into rows.
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
}

const (
	rowBits  = 24      // of a position
	rowLimit = 4 << 20 // bytes of a content that is sorted into rows: they take 32 MiB
	rowAsked = 64      // it is when it was asked as often as for every 64th byte of it
)

// reset makes the positions of old findable, of which there are at most nearLimit.
func (x *near) reset(old []byte) {
	x.asked, x.rows.places = 0, x.rows.places[:0]
	x.chains.reset(widthOf(old), len(old))
	for i := 0; i+4 <= len(old); i++ {
		x.chains.add(old[i:], i)
	}
}

// widthOf is how many bits of a hash positions are told apart by.
func widthOf(old []byte) int { return min(max(bits.Len(uint(len(old))), 10), 21) }

// find returns the positions in old whose 4 bytes have the hash of those of p, at most so
// many, as rows have them. It is valid until the next call.
func (x *near) find(old, p []byte, most int) []uint64 {
	if x.asked++; x.asked > len(old)/rowAsked && len(old) <= rowLimit {
		if len(x.rows.places) == 0 {
			x.rows.fill(old)
		}
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
	return x.row
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
		x.places[*at] = uint64(i) | rest(old[i:])<<rowBits
	}
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
// at most so many.
func (x *rows) find(p []byte, most int) []uint64 {
	h := hash4(p) >> x.shift
	from, to := x.starts[h], x.starts[h+1]
	return x.places[from:min(to, from+uint32(most))]
}

// differing returns the bits by which places of a row differ that have n bytes or fewer in
// common, as far as the row tells: of the bytes 4 to n.
func differing(n int) uint64 { return (1<<(8*min(max(n-3, 0), 5)) - 1) << rowBits }
