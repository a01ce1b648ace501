package oodle

import "encoding/binary"

// minWide is the distance from which on a match can be copied 8 bytes at a time.
const minWide = 8

// copyMatch makes n bytes at out[o:] from those at a distance dist, one after another: an overlap repeats. It reports
// whether the match lies inside out and begins at or behind its start.
func copyMatch(out []byte, o, n, dist int) bool {
	if n > len(out)-o || uint(dist-1) >= uint(o) {
		return false
	}
	// A copy doubles what there is to copy from: dist bytes at first.
	s := o - dist
	for n > 0 {
		c := copy(out[o:o+n], out[s:o])
		o += c
		n -= c
	}
	return true
}

// copyDelta makes len(lit) bytes at out[o:], each the sum of one of lit and the byte at a distance dist, which may be
// one of those just made. The caller has checked the room and the distance.
func copyDelta(out []byte, o int, lit []byte, dist int) {
	if dist >= minWide {
		for ; len(lit) >= 8; lit = lit[8:] {
			a := binary.LittleEndian.Uint64(lit)
			b := binary.LittleEndian.Uint64(out[o-dist:])
			binary.LittleEndian.PutUint64(out[o:], addBytes(a, b))
			o += 8
		}
	}
	for i, v := range lit {
		out[o+i] = v + out[o+i-dist]
	}
}

// addBytes adds the 8 bytes of a and b, each mod 256.
func addBytes(a, b uint64) uint64 {
	const low = 0x7F7F7F7F7F7F7F7F
	return (a&low + b&low) ^ (a^b)&^low
}
