package unreal

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// GUID is an FGuid as stored: four u32, each little-endian. The zero GUID
// means "none", or the main key.
type GUID [16]byte

// String returns the 32 upper-case hex digits that the engine prints.
func (g GUID) String() string {
	return fmt.Sprintf("%08X%08X%08X%08X",
		binary.LittleEndian.Uint32(g[0:]), binary.LittleEndian.Uint32(g[4:]),
		binary.LittleEndian.Uint32(g[8:]), binary.LittleEndian.Uint32(g[12:]))
}

// IsZero reports whether g is the zero GUID.
func (g GUID) IsZero() bool { return g == GUID{} }

// ReadID reads an FGuid as the engine prints it, the first of its four u32 foremost.
func ReadID(r *bin.Reader) codecs.ID {
	a, b, c, d := uint64(r.U32()), uint64(r.U32()), uint64(r.U32()), uint64(r.U32())
	return codecs.ID{Hi: a<<32 | b, Lo: c<<32 | d, Bits: 128}
}

// ParseGUID reads the engine's text forms: 32 hex digits, with or without
// hyphens and braces. They print the four u32 one after the other.
func ParseGUID(s string) (GUID, error) {
	digits := strings.NewReplacer("-", "", "{", "", "}", "", "(", "", ")", "").Replace(strings.TrimSpace(s))
	raw, err := hex.DecodeString(digits)
	if err != nil || len(raw) != 16 {
		return GUID{}, fmt.Errorf("%q is no GUID: 32 hex digits wanted", s)
	}
	var g GUID
	for i := 0; i < 16; i += 4 {
		binary.LittleEndian.PutUint32(g[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	return g, nil
}
