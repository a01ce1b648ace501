package unreal

import (
	"encoding/binary"

	"pakdb/internal/bin"
)

// WideName in the header of a name says that it is UTF-16; the other bits are
// its length in characters.
const WideName = 0x8000

// NameBatch reads the names of UE5: u32 n, and unless that is 0: u32 bytes
// of text, u64 which hash, n hashes, n headers, the texts. Failures are the reader's.
func NameBatch(r *bin.Reader) []string {
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
	t := NameText{Bytes: text, Align: align}
	for i := range names {
		names[i] = t.Next(binary.BigEndian.Uint16(headers[2*i:]))
	}
	if t.Short {
		r.Fail(bin.ErrShort)
	}
	return names
}

// batchBytes is how long the texts are when nothing aligns them.
func batchBytes(headers []byte) (n int) {
	for ; len(headers) > 0; headers = headers[2:] {
		h := binary.BigEndian.Uint16(headers)
		n += int(h &^ WideName)
		if h&WideName != 0 {
			n += int(h &^ WideName)
		}
	}
	return n
}

// NameText cuts the texts of names off a buffer.
type NameText struct {
	Bytes []byte
	Pos   int
	Align bool // UTF-16 starts at even offsets
	Short bool // the buffer ended before a text
}

// Next returns the text of the next name, by its header. 8-bit names that are no UTF-8
// are Latin-1.
func (t *NameText) Next(header uint16) string {
	n := int(header &^ WideName)
	if header&WideName != 0 {
		if t.Align {
			t.Pos += t.Pos & 1
		}
		n *= 2
	}
	if n > len(t.Bytes)-t.Pos {
		t.Short = true
		return ""
	}
	b := t.Bytes[t.Pos : t.Pos+n]
	t.Pos += n
	return Text{Bytes: b, Wide: header&WideName != 0}.String()
}
