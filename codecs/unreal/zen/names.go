package zen

import (
	"encoding/binary"
	"strconv"
	"strings"
	"unicode/utf16"

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

// mappedName reads an FMappedName: index, whose two top bits select the table
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

// nameHash in a name batch says which hash follows: CityHash64 of the
// lower-cased name, in 8-bit characters where it has no others (every name of
// 97 packages of UE 5.8.1).
const nameHash = 0xc1640000

// nameTable collects the names of a chunk, each once.
type nameTable struct {
	names []string
	index map[string]uint32
}

// mapped returns the FMappedName of a rendered name: the engine keeps a number
// at the end apart.
func (t *nameTable) mapped(name string) uint64 {
	return t.mappedNumber(cutNumber(name))
}

// mappedNumber returns the FMappedName of a text and a number, 0 for none.
func (t *nameTable) mappedNumber(text string, number uint32) uint64 {
	i, known := t.index[text]
	if !known {
		if t.index == nil {
			t.index = map[string]uint32{}
		}
		i = uint32(len(t.names))
		t.index[text] = i
		t.names = append(t.names, text)
	}
	return uint64(i) | uint64(number)<<32
}

// cutNumber parts "A_12" into "A" and 13; 0 is no number. One with leading
// zeros belongs to the text.
func cutNumber(name string) (text string, number uint32) {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 {
		return name, 0
	}
	n, err := strconv.ParseUint(name[i+1:], 10, 31)
	if err != nil || strconv.FormatUint(n, 10) != name[i+1:] || n == 1<<31-1 {
		return name, 0
	}
	return name[:i], uint32(n) + 1
}

// append appends the name batch.
func (t *nameTable) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.names)))
	if len(t.names) == 0 {
		return b
	}
	var hashes, headers, texts []byte
	for _, name := range t.names {
		header, text, hash := storedName(name)
		hashes = binary.LittleEndian.AppendUint64(hashes, hash)
		headers = binary.BigEndian.AppendUint16(headers, header)
		texts = append(texts, text...)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(texts)))
	b = binary.LittleEndian.AppendUint64(b, nameHash)
	return append(append(append(b, hashes...), headers...), texts...)
}

// storedName is a name as a batch has it. UTF-16 is not aligned: readers decide by
// the number of bytes.
func storedName(name string) (header uint16, text []byte, hash uint64) {
	if strings.IndexFunc(name, func(r rune) bool { return r > 0x7f }) < 0 {
		return uint16(len(name)), []byte(name), unreal.CityHash64([]byte(strings.ToLower(name)))
	}
	units := utf16.Encode([]rune(name))
	for _, u := range units {
		text = binary.LittleEndian.AppendUint16(text, u)
	}
	return unreal.WideName | uint16(len(units)), text, unreal.NameHash(name)
}
