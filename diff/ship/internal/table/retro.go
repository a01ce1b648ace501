package table

import (
	"encoding/binary"
	"io"

	"pakdb/internal/bin"
)

// retro is the tables of a pak of Retro Studios: named resources, and rows of
// u32 compressed, type, id of 4 or 8 bytes, u32 size, u32 offset, before data
// that has no gaps. Numbers are big-endian.
type retro struct {
	content []byte
	list    int // where the rows begin in content, after their count
	width   int // of a row
	end     int // of the rows
	align   int // to which zeros fill up what follows the rows
	base    int64
	section int // where the size of the section with the rows is; 0: there are no sections
	rows    []Row
}

// The words that a pak begins with.
const (
	retroPrime      = 0x00030005
	retroCorruption = 2
)

func parseRetro(content []byte) (*retro, error) {
	if len(content) < 8 {
		return nil, fail("%d bytes", len(content))
	}
	switch binary.BigEndian.Uint32(content) {
	case retroPrime:
		for _, id := range []int{4, 8} {
			t := &retro{content: content, width: 16 + id, align: 32}
			if t.skipNames(id) && t.parse() {
				return t, nil
			}
		}
	case retroCorruption:
		t := &retro{content: content, width: 24, align: 64}
		if t.findSections() && t.parse() {
			return t, nil
		}
	}
	return nil, fail("no tables of Retro Studios")
}

// retroLen is where the tables end, 0 when they do not.
func retroLen(content []byte) int {
	if len(content) < 8 {
		return 0
	}
	if binary.BigEndian.Uint32(content) == retroCorruption {
		t := &retro{content: content}
		if n, ok := t.sections(); ok && n <= len(content) {
			return n
		}
		return 0
	}
	for _, id := range []int{4, 8} {
		t := &retro{content: content, width: 16 + id, align: 32}
		if !t.skipNames(id) || t.list > len(content) {
			continue
		}
		n := int64(binary.BigEndian.Uint32(content[t.list-4:]))
		if end := int64(t.list) + n*int64(t.width); end <= int64(len(content)) {
			t.content = content[:min(t.padded(int(end)), len(content))]
			if t.parse() {
				return len(t.content)
			}
		}
	}
	return 0
}

// skipNames finds the rows after u32 version, u32 0, u32 n and n named
// resources: type, id, u32 length, name.
func (t *retro) skipNames(id int) bool {
	r := bin.NewReader(t.content, 0, binary.BigEndian)
	r.Skip(8)
	for range r.Count(8 + id) {
		r.Skip(4 + id)
		r.Skip(r.Count(1))
	}
	t.list = r.Pos() + 4
	return r.Err() == nil
}

// findSections finds the rows in the second of three sections, whose names and
// sizes are where the second word says: STRG, RSHD, DATA. They begin at the
// next multiple of 64.
func (t *retro) findSections() bool {
	n, ok := t.sections()
	t.base = int64(n)
	return ok && n == len(t.content)
}

// sections returns where the third one begins.
func (t *retro) sections() (end int, ok bool) {
	r := bin.NewReader(t.content, 0, binary.BigEndian)
	r.Skip(4)
	r.Seek(int(r.U32()))
	n := r.U32()
	var sizes [3]int64
	for i, name := range []string{"STRG", "RSHD", "DATA"} {
		if string(r.Bytes(4)) != name {
			return 0, false
		}
		if i == 1 {
			t.section = r.Pos()
		}
		sizes[i] = int64(r.U32())
	}
	at := int64(r.Pos()+63) &^ 63
	t.list = int(at + sizes[0] + 4)
	return int(at + sizes[0] + sizes[1]), r.Err() == nil && n == 3 && sizes[1] >= 4
}

// parse reads the rows, and requires that each entry begins where the one before
// ends, and the data where the tables do.
func (t *retro) parse() bool {
	if t.list < 4 || t.list > len(t.content) {
		return false
	}
	r := bin.NewReader(t.content, 0, binary.BigEndian)
	r.Seek(t.list - 4)
	n := r.Count(t.width)
	t.rows = make([]Row, n)
	at := int64(len(t.content))
	for i := range t.rows {
		b := r.Bytes(t.width)
		if r.Err() != nil {
			return false
		}
		size, off := int64(binary.BigEndian.Uint32(b[t.width-8:])), int64(binary.BigEndian.Uint32(b[t.width-4:]))
		if i == 0 && t.section == 0 {
			t.base = at - off // 0, or the tables' size
		}
		if t.base+off != at {
			return false
		}
		t.rows[i] = Row{Key: string(b[4 : t.width-8]), Off: at, Size: size}
		at += size
	}
	t.end = r.Pos()
	return r.Err() == nil && (t.base == 0 || t.base == int64(len(t.content))) && t.padded(t.end) == len(t.content)
}

func (t *retro) padded(n int) int { return (n + t.align - 1) / t.align * t.align }

// Rows implements Tables.
func (t *retro) Rows() []Row { return t.rows }

// New implements Tables: the row without its offset.
func (t *retro) New(row int) string {
	b := t.content[t.list+row*t.width:]
	return string(b[:t.width-4])
}

// Predict implements Tables.
func (t *retro) Predict(items []Item, _ Form, _ io.ReaderAt, _ int64) ([]byte, error) {
	be := binary.BigEndian
	b := append([]byte(nil), t.content[:t.list-4]...)
	b = be.AppendUint32(b, uint32(len(items)))
	off := uint32(0)
	if t.base == 0 {
		off = uint32(t.padded(t.list + len(items)*t.width))
	}
	first := off
	for _, it := range items {
		row := make([]byte, t.width-4)
		if it.Old >= 0 {
			copy(row, t.content[t.list+it.Old*t.width:])
		} else {
			copy(row, it.New)
		}
		b = be.AppendUint32(append(b, row...), off)
		off += be.Uint32(row[t.width-8:])
	}
	b = append(b, make([]byte, t.padded(len(b))-len(b))...)
	if t.section > 0 {
		be.PutUint32(b[t.section:], be.Uint32(t.content[t.section:])+uint32(len(b)-len(t.content)))
		be.PutUint32(b[t.section+8:], off-first)
	}
	return b, nil
}

// Move implements Tables: entries do not say where they are.
func (*retro) Move([]byte, int64) {}
