package zenpkg

import (
	"encoding/binary"

	"pakdb/codecs/family/unreal"
	"pakdb/codecs/internal/ue"
	"pakdb/internal/bin"
)

// readNameMap reads the names of UE4: each its header and its text.
func readNameMap(b []byte, base int64, n int) ([]string, error) {
	t := ue.NameText{Bytes: b, Align: true}
	names := make([]string, 0, n)
	for range n {
		if len(b)-t.Pos < 2 {
			return names, &bin.Error{Off: base + int64(t.Pos), Need: 2, Have: int64(len(b) - t.Pos), Err: bin.ErrShort}
		}
		header := binary.BigEndian.Uint16(b[t.Pos:])
		t.Pos += 2
		names = append(names, t.Next(header))
		if t.Short {
			return names, &bin.Error{Off: base + int64(t.Pos), Need: int64(header &^ ue.WideName), Have: int64(len(b) - t.Pos), Err: bin.ErrShort}
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
