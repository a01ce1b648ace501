// Package gear cuts contents into chunks by a rolling hash: what is inserted or
// removed moves the ends of the chunks around it, and no others.
//
// The gear hash is h = h<<1 + table[b]. A byte has left it after 64 more, so that
// it depends on a window of 64 bytes. Where its uppermost bits are zero a chunk
// ends.
package gear

import (
	"encoding/binary"

	"github.com/zeebo/blake3"
)

// Window is how many bytes a hash depends on.
const Window = 64

// Table has a random number for each byte. Patches, stores and sketches depend on
// the numbers: each keeps the table that it began with.
type Table [256]uint64

// Mixed returns the table that SplitMix64 draws from a seed.
func Mixed(seed uint64) (t Table) {
	for i := range t {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t[i] = z ^ z>>31
	}
	return t
}

// Hashed returns the table of stores: the first eight bytes, little-endian, of the
// BLAKE3 of each byte.
func Hashed() (t Table) {
	for i := range t {
		sum := blake3.Sum256([]byte{byte(i)})
		t[i] = binary.LittleEndian.Uint64(sum[:])
	}
	return t
}

// Next returns the hash after one more byte.
func (t *Table) Next(h uint64, b byte) uint64 { return h<<1 + t[b] }

// Cut returns the length of the chunk at the begin of p: more than least bytes, of
// which the last hash has its uppermost bits zero, or all of p. least is at least
// [Window], bits 1 to 64.
//
// One hash needs the one before it, which takes two cycles a byte if they are computed
// one by one. Cut adds up the numbers of two bytes first, and then moves the hash by
// both at once: twice as fast.
func (t *Table) Cut(p []byte, least, bits int) int {
	if len(p) <= least {
		return len(p)
	}
	h, limit := t.window(p[least-Window:least]), uint64(1)<<(64-bits)
	q := p[least:]
	for len(q) >= 4 {
		at := len(p) - len(q)
		a := t[q[0]]
		b := a<<1 + t[q[1]]
		c := t[q[2]]
		first := h<<1 + a
		h = h<<2 + b
		d := c<<1 + t[q[3]]
		third := h<<1 + c
		if first < limit {
			return at + 1
		}
		if h < limit {
			return at + 2
		}
		h = h<<2 + d
		if third < limit {
			return at + 3
		}
		if h < limit {
			return at + 4
		}
		q = q[4:]
	}
	for i, b := range q {
		if h = h<<1 + t[b]; h < limit {
			return len(p) - len(q) + i + 1
		}
	}
	return len(p)
}

// window returns the hash after the bytes of p, which are a Window.
func (t *Table) window(p []byte) uint64 {
	h := uint64(0)
	for ; len(p) >= 4; p = p[4:] {
		a := t[p[0]]<<1 + t[p[1]]
		h = h<<4 + a<<2 + t[p[2]]<<1 + t[p[3]]
	}
	return h
}
