package unreal

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// PathHash is the FNV-1a hash that pak indexes store for a path: over the
// UTF-16LE of the lower-cased path relative to the mount point, without a
// leading slash, starting from the offset basis plus seed.
func PathHash(path string, seed uint64) uint64 {
	return hashPath(path, fnvBasis+seed, fnvPrime)
}

// PathHashSwapped is what version 10 of the pak format stores: basis and prime
// changed places until version 11 corrected them.
func PathHashSwapped(path string, seed uint64) uint64 {
	return hashPath(path, fnvPrime+seed, fnvBasis)
}

func hashPath(path string, h, prime uint64) uint64 {
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c >= utf8.RuneSelf {
			return hashWide(path[i:], h, prime)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * prime * prime // the high byte of the unit is 0
	}
	return h
}

func hashWide(path string, h, prime uint64) uint64 {
	for _, u := range utf16.Encode([]rune(path)) {
		u = lowerUnit(u)
		h = (h ^ uint64(u&0xff)) * prime
		h = (h ^ uint64(u>>8)) * prime
	}
	return h
}

// lowerUnit lower-cases one UTF-16 unit on its own, as the engine does.
func lowerUnit(u uint16) uint16 {
	if l := unicode.ToLower(rune(u)); l <= 0xffff {
		return uint16(l)
	}
	return u
}
