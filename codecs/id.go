package codecs

import (
	"encoding/binary"
	"encoding/hex"
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
