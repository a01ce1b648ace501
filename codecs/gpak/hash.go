package gpak

import (
	"hash/adler32"
	"hash/crc32"
)

// Hash returns the path hash that names an entry in every kind of pak:
// CRC-32 and Adler-32 of the lower-cased path, joined, minus one. Hash("") is
// 0, the game's invalid reference.
//
// Only A to Z are lowered. The real names are ASCII without exception, and
// beyond ASCII the game's peers (.NET, Python, Go) disagree on letters such as
// U+0130, so that any promise there would be invented.
func Hash(path string) uint64 {
	var room [256]byte
	b := append(room[:0], path...)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return (uint64(crc32.ChecksumIEEE(b))<<32 | uint64(adler32.Checksum(b))) - 1
}
