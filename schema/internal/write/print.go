package write

import (
	"encoding/binary"

	"github.com/zeebo/blake3"

	"pakdb/schema/internal/record"
)

// flagDeleted marks a delete record, which has no content.
const flagDeleted = 2

// printOf returns the start of a hash over what the archive says about an entry but its
// place. The bytes are known by a digest that the archive states, or else by that of
// the content. name is the hash of the entry's name.
func printOf(e *record.Entry, name record.Half) int64 {
	b := make([]byte, 0, 256)
	b = append(b, name[:]...)
	b = append(append(b, e.Method...), 0)
	b = append(append(b, e.Type...), 0)
	for _, n := range [...]int64{e.Stored, e.Size, e.Flags, e.ModTime, int64(e.ID[0]), int64(e.ID[1]), e.IDBits, int64(e.PathHash),
		Flag(e.HasTime) | Flag(e.HasPathHash)<<1 | Flag(e.HasPadded)<<2 | Flag(e.Offset >= 0)<<3} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	if e.HasPadded { // otherwise a scan that reads leaves other bytes there than one that does not
		b = append(b, e.Padded[:]...)
	}
	b = append(append(b, byte(len(e.Sum))), e.Sum...)
	if len(e.Sum) < len(record.Half{}) && (e.HasContent || e.Stated) {
		b = append(b, e.Content[:len(record.Half{})]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ContentSize))
	}
	// Exports mean something else with other tables beside them. What a package is called
	// follows from the name of the entry, which a scan that does not read it knows as well.
	if p := e.ExportsOf; p != nil && p.Header != 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(p.Header))
	}
	d := blake3.Sum256(b)
	return int64(binary.LittleEndian.Uint64(d[:]))
}

// isKnown reports whether the print determines the bytes of the entry.
func isKnown(e *Row) bool {
	return e.HasContent || e.Stated || len(e.Sum) >= len(record.Half{}) || e.Flags&flagDeleted != 0
}
