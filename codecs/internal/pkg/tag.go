package pkg

import (
	"encoding/binary"
)

// The tags of a package, read as little-endian u32.
const (
	tag          = 0x9E2A83C1
	tagSwapped   = 0xC1832A9E // the package is big-endian
	tagKillingFl = 0x9E2A83C2 // Killing Floor's saves; otherwise an ordinary package
	tagLineage   = 0x0069004C // "Li" in UTF-16: "Lineage2Ver111" and an encrypted package
	firstUE4     = 0xFFFFF000 // from here on the version is UE4's negative one
)

// opening is what the first eight bytes say.
type opening struct {
	order   binary.ByteOrder // nil: no package
	version uint32           // second dword in that order
}

func open8(head []byte) opening {
	if len(head) < 8 {
		return opening{}
	}
	switch binary.LittleEndian.Uint32(head) {
	case tag, tagKillingFl:
		return opening{binary.LittleEndian, binary.LittleEndian.Uint32(head[4:])}
	case tagSwapped:
		return opening{binary.BigEndian, binary.BigEndian.Uint32(head[4:])}
	}
	return opening{}
}

// wrapped reports whether a whole compressed package follows, not a summary:
// where the version would be, there is the tag once more, or the size of blocks,
// 0x8000 or a multiple of 0x10000. No package has version 0 or 32768.
func (o opening) wrapped() bool {
	blockSize := o.version == 0x8000 || o.version&0xFFFF == 0 && o.version > 0
	return o.version == tag || blockSize && o.version <= maxBlock
}

// modern reports UE4 or UE5.
func (o opening) modern() bool { return o.version >= firstUE4 }

// vendors are the games whose tag replaces the package's. Several of these files
// are encrypted, and none is understood.
var vendors = map[uint32]string{
	0x7E4A8BCA: "iStorm",
	0xA94E6C81: "Nurien",
	0xB01F713F: "Nurien",
	0xA1B2C93F: "Battle Territory",
	0x342B9CFC: "Battle Territory",
	0xD58C3147: "LOCO",
	0xF2BAC156: "Berkanix",
	0xEA31928C: "Hawken",
	0x12345678: "Tao Yuan",
	0xEC201133: "StormWar",
	0x879A4B41: "GunLegend",
	0x4D4D4837: "Might & Magic Heroes VII",
	0x7BC342F0: "Devil's Third",
	0xF84CEAB0: "Blade & Soul",
	0x37454341: "Ace Combat 7",
}
