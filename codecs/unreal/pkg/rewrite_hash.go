package pkg

import (
	"hash/crc32"
	"sync"

	"pakdb/codecs/unreal"
)

// appendName appends an entry of the name table. Names from 504 on have two hashes: of
// the upper-cased text and of the text as it is.
func (v versions) appendName(dst []byte, name string) []byte {
	dst = unreal.AppendFString(dst, name)
	if v.ue4 < ue4NameHashes {
		return dst
	}
	folded, exact := nameHashes(name)
	return append(dst, byte(folded), byte(folded>>8), byte(exact), byte(exact>>8))
}

// oldTable is the table of the engine's deprecated CRC: most significant bit first, in
// a loop that shifts the other way.
var oldTable = sync.OnceValue(func() (t [256]uint32) {
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			if c&(1<<31) != 0 {
				c = c<<1 ^ 0x04C11DB7
			} else {
				c <<= 1
			}
		}
		t[i] = c
	}
	return t
})

// nameHashes returns the two hashes of a name.
func nameHashes(name string) (folded, exact uint16) {
	table, wide := oldTable(), false
	for _, r := range name {
		wide = wide || r > 0x7F
	}
	var old, crc uint32 = 0, ^uint32(0)
	for _, r := range name {
		up := r
		if up >= 'a' && up <= 'z' {
			up -= 'a' - 'A'
		}
		old = old>>8 ^ table[byte(old)^byte(up)]
		if wide {
			old = old>>8 ^ table[byte(old)^byte(up>>8)]
		}
		for shift := 0; shift < 32; shift += 8 {
			crc = crc>>8 ^ crc32.IEEETable[byte(crc)^byte(r>>shift)]
		}
	}
	return uint16(old), uint16(^crc)
}
