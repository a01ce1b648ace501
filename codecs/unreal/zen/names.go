package zen

import (
	"encoding/binary"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// readNameMap reads the names of UE4: each its header and its text.
func readNameMap(b []byte, base int64, n int) ([]string, error) {
	t := unreal.NameText{Bytes: b, Align: true}
	names := make([]string, 0, n)
	for range n {
		if len(b)-t.Pos < 2 {
			return names, &bin.Error{Off: base + int64(t.Pos), Need: 2, Have: int64(len(b) - t.Pos), Err: bin.ErrShort}
		}
		header := binary.BigEndian.Uint16(b[t.Pos:])
		t.Pos += 2
		names = append(names, t.Next(header))
		if t.Short {
			return names, &bin.Error{Off: base + int64(t.Pos), Need: int64(header &^ unreal.WideName), Have: int64(len(b) - t.Pos), Err: bin.ErrShort}
		}
	}
	return names, nil
}

// mappedName reads an FMappedName: index, whose two top bits tell which table
// it is in, and number. Only a package's own table is here; a name of another
// one has an index outside of it.
func mappedName(r *bin.Reader) unreal.ObjectName {
	index, number := r.U32(), r.I32()
	if index>>30 != 0 {
		return unreal.ObjectName{Index: -1, Number: number}
	}
	return unreal.ObjectName{Index: int32(index), Number: number}
}

const bulkEntry = 32

// readBulkMap reads where the data lies that is loaded on demand: a table between the
// names and what follows at the offset end, since 5.2. It returns nil where there is no
// table, or none that fills the place. The first versions of it are not aligned.
func readBulkMap(r *bin.Reader, end int64) []unreal.BulkData {
	start, room := r.Off(), end-r.Off()
	if r.Err() != nil || room < 8+bulkEntry {
		return nil
	}
	in := *r // a table that does not fit fails this copy alone
	size := in.U64()
	if size+8 != uint64(room) {
		if size > uint64(room) {
			return nil
		}
		in.Skip(int(size))
		size = in.U64()
	}
	if in.Err() != nil || size%bulkEntry != 0 || size > uint64(end-in.Off()) || in.Off() < start {
		return nil
	}
	list := make([]unreal.BulkData, size/bulkEntry)
	for i := range list {
		b := &list[i]
		b.Offset = in.I64()
		in.Skip(8) // of a copy
		b.Size = in.I64()
		b.Stored = b.Size
		b.Flags = in.U32()
		b.Cooked = in.U8()
		in.Skip(3)
	}
	if in.Err() != nil || len(list) == 0 {
		return nil
	}
	return list
}
