// Resources of browsers.
//
// Games that embed a browser ship its resources as .pak files of Chromium, which
// share no more than the extension. Version 4:
//
//	u32 4 | u32 resources | u8 encoding | (resources+1) x {u16 id, u32 offset}
//
// Version 5:
//
//	u32 5 | u8 encoding, 3 zeros | u16 resources | u16 aliases
//	(resources+1) x {u16 id, u32 offset} | aliases x {u16 id, u16 resource}
//
// Ids rise. The first resource begins where the tables end, and the offset of the
// last entry, which is none, is the size of the file.

package unrealpak

import (
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

const (
	version4     = 4
	version5     = 5
	maxResources = 1 << 16 // resources: their ids have 16 bits
	headSize     = 12
)

// isChromium reports whether a file is a whole .pak of Chromium. Its table is read to the end: what
// only starts like one may be an Unreal pak that was cut short.
func isChromium(src codecs.Source) bool {
	head := make([]byte, headSize)
	if bin.Fill(src, head, 0) != nil {
		return false
	}
	r := bin.NewReader(head, 0, binary.LittleEndian)
	version, encoding, aliases := r.U32(), uint32(0), int64(0)
	resources, start := int64(0), int64(headSize)
	switch version {
	case version4:
		resources, encoding, start = int64(r.U32()), uint32(r.U8()), 9
	case version5:
		encoding, resources, aliases = r.U32(), int64(r.U16()), int64(r.U16())
	default:
		return false
	}
	size := 6*(resources+1) + 4*aliases
	if encoding > 2 || resources >= maxResources || start+size > src.Size { // binary, UTF-8, UTF-16
		return false
	}
	table := make([]byte, size)
	if bin.Fill(src, table, start) != nil {
		return false
	}
	t := bin.NewReader(table, start, binary.LittleEndian)
	return resourcesFollow(t, resources, start+size, src.Size) && aliasesLead(t, aliases, resources)
}

// resourcesFollow checks that resources follow one another from first to end.
func resourcesFollow(t *bin.Reader, n, first, end int64) bool {
	id, at := int32(-1), first
	for i := range n + 1 {
		nextID, offset := int32(t.U16()), int64(t.U32())
		if i == 0 && offset != first || offset < at || i < n && nextID <= id {
			return false
		}
		id, at = nextID, offset
	}
	return at == end && id == 0 || n == 0 && at == end
}

func aliasesLead(t *bin.Reader, n, resources int64) bool {
	id := int32(-1)
	for range n {
		nextID, resource := int32(t.U16()), int64(t.U16())
		if nextID <= id || resource >= resources {
			return false
		}
		id = nextID
	}
	return t.Err() == nil
}
