package gpak

import "hash/crc32"

// Hash returns the path hash that names an entry in every kind of pak:
// CRC-32 and Adler-32 of the lower-cased path, joined, minus one. Hash("") is
// 0, the game's invalid reference.
//
// Only A to Z are lowered. The real names are ASCII without exception, and
// beyond ASCII the game's peers (.NET, Python, Go) disagree on letters such as
// U+0130, so that any promise there would be invented.
func Hash(path string) uint64 {
	// Byte by byte instead of with the library's functions, which would need
	// the lowered path in memory: twice as fast at the length of real paths,
	// without allocating.
	const adlerModulus = 65521
	crc, a, b := ^uint32(0), uint32(1), uint32(0)
	for i := range len(path) {
		c := path[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		crc = crc32.IEEETable[byte(crc)^c] ^ crc>>8
		if a += uint32(c); a >= adlerModulus {
			a -= adlerModulus
		}
		if b += a; b >= adlerModulus {
			b -= adlerModulus
		}
	}
	return (uint64(^crc)<<32 | uint64(b<<16|a)) - 1
}
