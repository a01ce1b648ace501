package codecs

import (
	"encoding/binary"
	"encoding/hex"
	"math"
)

// ID is an identifier or hash of up to 128 bits that an archive stores. The
// zero ID means that there is none. IDs are comparable.
type ID struct {
	Hi, Lo uint64 // Lo holds the whole value up to 64 bits
	Bits   uint8  // width: 0 (no ID), 32, 64, 96 or 128
}

// ChunkBits is the width of the ids of chunks of Unreal's IoStore containers.
// Nothing else has ids of that width.
const ChunkBits = 96

// ID32 returns a 32-bit ID.
func ID32(v uint32) ID { return ID{Lo: uint64(v), Bits: 32} }

// ID64 returns a 64-bit ID.
func ID64(v uint64) ID { return ID{Lo: v, Bits: 64} }

// IsZero reports whether id is absent. An ID of value 0 is not.
func (id ID) IsZero() bool { return id.Bits == 0 }

// String returns the value in lower-case hex, as wide as the ID is, and "" for
// the zero ID.
func (id ID) String() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], id.Hi)
	binary.BigEndian.PutUint64(b[8:], id.Lo)
	return hex.EncodeToString(b[16-min(int(id.Bits/8), 16):])
}

// smallestID is the lowest id worth looking for: counts, flags and offsets are
// below it. The id 00000001, which exists in Metroid Prime, was hit 10,290 times
// in one pak of 91 KiB.
const smallestID = 0x10000

// CommonValue tells ids of 4 or 8 bytes that content holds far more often than
// chance: small numbers, all ones and, of 4 bytes, the floats that people write.
func CommonValue(width int, id uint64) bool {
	if width == 4 {
		return id < smallestID || id == math.MaxUint32 || commonFloat(math.Float32frombits(uint32(id)))
	}
	return id < smallestID || id == math.MaxUint64
}

// commonFloat tells numbers that people write: whole ones up to 16384, tenths
// up to 100, 64ths up to 64. One id of 100,000 reads as one.
func commonFloat(f float32) bool {
	size := math.Abs(float64(f))
	return multiple(size, 1, 16384) || multiple(size, 10, 100) || multiple(size, 64, 64)
}

// multiple reports whether size is a multiple of 1/parts, as float32 has it.
func multiple(size, parts, limit float64) bool {
	return size <= limit && float32(math.Round(size*parts)/parts) == float32(size)
}
