// Package gear cuts contents where their own bytes say so: what is inserted or
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
// [Window].
func (t *Table) Cut(p []byte, least, bits int) int {
	if len(p) <= least {
		return len(p)
	}
	h, shift := uint64(0), uint(64-bits)
	for _, b := range p[least-Window : least] {
		h = h<<1 + t[b]
	}
	for i, b := range p[least:] {
		if h = h<<1 + t[b]; h>>shift == 0 {
			return least + i + 1
		}
	}
	return len(p)
}
