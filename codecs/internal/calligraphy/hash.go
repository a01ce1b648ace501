package calligraphy

import "hash/crc32"

// PathHash returns the 64-bit hash of a path: CRC-32 of the lower-cased bytes in
// the high half, Adler-32 in the low half, minus one, so that the empty path
// hashes to 0, which stands for "no reference".
//
// What is hashed differs by use: a pak's table hashes the entry's name as it is.
//
// Only A to Z are lower-cased. All names of the game are ASCII; beyond it the
// tools of the field disagree with each other.
//
// Source: the public readers, and every path of four client versions.
func PathHash(path string) uint64 {
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

// DJB2 returns the 32-bit hash that a resource file stores for its class name:
// h = h*33 + c from 5381, over the name's bytes as they are.
func DJB2(name string) uint32 {
	h := uint32(5381)
	for i := range len(name) {
		h = h*33 + uint32(name[i])
	}
	return h
}
