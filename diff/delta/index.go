package delta

import (
	"encoding/binary"
	"math/bits"
)

const (
	window    = 16      // bytes that a hash of far places covers
	maxSlots  = 1 << 23 // of the table of far places: 32 MiB
	nearLimit = 4 << 20 // contents up to here are indexed by 4 bytes as well
	hashPrime = 0x9e3779b97f4a7c15
)

// Index finds bytes in one old content. It is immutable and may be used by
// several encoders at once. It takes up to 12 bytes of memory a byte of a
// content up to 4 MiB, and 32 MiB for a larger one.
type Index struct {
	old    []byte
	far    []uint32 // by the hash of a window: its position + 1; 0 is none
	shift  int
	stride int
	near   chains // of small contents
}

// NewIndex prepares old, which it keeps and which must not change. Of what lies
// beyond 4 GiB only the places that stay in step are found.
func NewIndex(old []byte) *Index {
	x := &Index{old: old, stride: 1}
	for x.stride < 4 && len(old) > 1<<20*x.stride || len(old)/x.stride > maxSlots {
		x.stride *= 2
	}
	if len(old) >= window {
		x.indexFar()
	}
	if len(old) >= 4 && len(old) <= nearLimit {
		x.near = newChains(len(old), len(old))
		for i := 0; i+4 <= len(old); i++ {
			x.near.add(old[i:], i)
		}
	}
	return x
}

func (x *Index) indexFar() {
	width := min(bits.Len(uint(len(x.old)/x.stride)), bits.Len(uint(maxSlots-1)))
	x.far, x.shift = make([]uint32, 1<<width), 64-width
	last := min(len(x.old)-window, 1<<32-2)
	for i := 0; i <= last; i += x.stride {
		// The first of equal windows stays: a run of zeros fills one slot, and
		// what stands at the front of a content is the more likely origin.
		if h := hash(x.old[i:]) >> x.shift; x.far[h] == 0 {
			x.far[h] = uint32(i) + 1
		}
	}
}

// hash needs 16 bytes of p.
func hash(p []byte) uint64 {
	a, b := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
	a *= hashPrime
	return (a ^ a>>32 ^ b) * hashPrime
}

// findFar returns where in the old content the window at the front of p may
// stand, and -1 when nothing is known.
func (x *Index) findFar(p []byte) int {
	if len(p) < window || x.far == nil {
		return -1
	}
	return int(x.far[hash(p)>>x.shift]) - 1
}

// chains link positions whose next 4 bytes have the same hash, the last first.
type chains struct {
	heads []int32 // position + 1
	links []int32 // by position, modulo their number: the one before it + 1
	shift int
}

func newChains(n, ring int) chains {
	width := min(max(bits.Len(uint(n)), 10), 21)
	return chains{make([]int32, 1<<width), make([]int32, max(ring, 1)), 32 - width}
}

// add needs 4 bytes of p, which stand at position at.
func (c *chains) add(p []byte, at int) {
	h := binary.LittleEndian.Uint32(p) * 2654435761 >> c.shift
	c.links[at%len(c.links)] = c.heads[h]
	c.heads[h] = int32(at) + 1
}

// first returns the last position + 1 that was added with the 4 bytes of p.
func (c *chains) first(p []byte) int32 {
	if c.heads == nil || len(p) < 4 {
		return 0
	}
	return c.heads[binary.LittleEndian.Uint32(p)*2654435761>>c.shift]
}

// common is the length of the common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	k := 0
	for ; k+8 <= n; k += 8 {
		if x := binary.LittleEndian.Uint64(a[k:]) ^ binary.LittleEndian.Uint64(b[k:]); x != 0 {
			return k + bits.TrailingZeros64(x)/8
		}
	}
	for k < n && a[k] == b[k] {
		k++
	}
	return k
}

// longer is the length of the common prefix if it exceeds n, and else anything
// up to n.
func longer(a, b []byte, n int) int {
	if len(a) <= n || len(b) <= n || a[n] != b[n] {
		return 0
	}
	return common(a, b)
}
