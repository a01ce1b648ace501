package texture

import "encoding/binary"

// bcnBits128 is a block of 128 bits, read from the lowest on.
type bcnBits128 struct{ lo, hi uint64 }

func bcnBitsOf(src []byte) bcnBits128 {
	return bcnBits128{binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])}
}

// take returns the next n bits, at most 31.
func (b *bcnBits128) take(n uint8) uint32 {
	v := uint32(b.lo & (1<<n - 1))
	b.lo = b.lo>>n | b.hi<<(64-n)
	b.hi >>= n
	return v
}
