package zenpkg

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs/family/unreal"
	"pakdb/codecs/internal/latin1"
	"pakdb/internal/bin"
)

// wideName in the header of a name says that it is UTF-16; the other bits are
// its length in characters.
const wideName = 0x8000

// readNameBatch reads the names of UE5: u32 n, and unless that is 0: u32 bytes
// of text, u64 which hash, n hashes, n headers, the texts.
func readNameBatch(r *bin.Reader) []string {
	n := r.Count(10)
	if n == 0 {
		return nil
	}
	total := int64(r.U32())
	r.Skip(8 + 8*n)
	headers := r.Bytes(2 * n)
	text := r.Bytes(r.CheckCount(total, 1))
	if r.Err() != nil {
		return nil
	}
	align := batchBytes(headers) != len(text)
	names := make([]string, n)
	t := nameText{b: text, align: align}
	for i := range names {
		names[i] = t.next(binary.BigEndian.Uint16(headers[2*i:]))
	}
	if t.short {
		r.Fail(bin.ErrShort)
	}
	return names
}

// batchBytes is how long the texts are when nothing aligns them.
func batchBytes(headers []byte) (n int) {
	for ; len(headers) > 0; headers = headers[2:] {
		h := binary.BigEndian.Uint16(headers)
		n += int(h &^ wideName)
		if h&wideName != 0 {
			n += int(h &^ wideName)
		}
	}
	return n
}

// nameText cuts texts off a buffer.
type nameText struct {
	b     []byte
	pos   int
	align bool // UTF-16 starts at even offsets
	short bool
}

func (t *nameText) next(header uint16) string {
	n := int(header &^ wideName)
	if header&wideName != 0 {
		if t.align {
			t.pos += t.pos & 1
		}
		n *= 2
	}
	if n > len(t.b)-t.pos {
		t.short = true
		return ""
	}
	b := t.b[t.pos : t.pos+n]
	t.pos += n
	if header&wideName != 0 {
		return wide(b)
	}
	return narrow(b)
}

// readNameMap reads the names of UE4: each its header and its text.
func readNameMap(b []byte, base int64, n int) ([]string, error) {
	t := nameText{b: b, align: true}
	names := make([]string, 0, n)
	for range n {
		if len(b)-t.pos < 2 {
			return names, &bin.Error{Off: base + int64(t.pos), Need: 2, Have: int64(len(b) - t.pos), Err: bin.ErrShort}
		}
		header := binary.BigEndian.Uint16(b[t.pos:])
		t.pos += 2
		names = append(names, t.next(header))
		if t.short {
			return names, &bin.Error{Off: base + int64(t.pos), Need: int64(header &^ wideName), Have: int64(len(b) - t.pos), Err: bin.ErrShort}
		}
	}
	return names, nil
}

func wide(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// narrow takes 8-bit names that are no UTF-8 for Latin-1.
func narrow(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return latin1.Decode(b)
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
