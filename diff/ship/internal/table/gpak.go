package table

import (
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"io"
	"strings"

	"pakdb/internal/bin"
)

// gpak is the table of a .sip: a header, and rows by their hashes, before data
// that has no gaps.
//
//	"KAPG", u32 1, i32 rows
//	row: u64 hash, i32 length, name, i32 time, i32 offset from the table's end, i32 stored size, i32 size
type gpak struct {
	content []byte
	rows    []Row
	raw     []gpakRow
}

type gpakRow struct {
	hash   []byte
	name   []byte
	fields []byte // time, offset, stored size, size
}

func parseGPAK(content []byte) (*gpak, error) {
	r := bin.NewReader(content, 0, binary.LittleEndian)
	if string(r.Bytes(4)) != "KAPG" || r.U32() != 1 {
		return nil, fail("no GPAK")
	}
	n := r.Count(28)
	g := &gpak{content: content, rows: make([]Row, n), raw: make([]gpakRow, n)}
	end := int64(len(content))
	for i := range g.rows {
		x := &g.raw[i]
		x.hash = r.Bytes(8)
		x.name = r.Bytes(r.Count(1))
		x.fields = r.Bytes(16)
		if r.Err() != nil {
			return nil, fail("row %d", i)
		}
		off, size := int64(binary.LittleEndian.Uint32(x.fields[4:])), int64(binary.LittleEndian.Uint32(x.fields[8:]))
		if off+int64(len(content)) != end {
			return nil, fail("row %d at %d", i, off)
		}
		g.rows[i] = Row{Key: string(x.name), Off: end, Size: size}
		end += size
	}
	if r.Err() != nil || r.Len() != 0 {
		return nil, fail("%d bytes after the table", r.Len())
	}
	return g, nil
}

// gpakLen is where the table ends, 0 when it does not.
func gpakLen(content []byte) int {
	r := bin.NewReader(content, 8, binary.LittleEndian)
	r.Skip(8)
	for range r.Count(28) {
		r.Skip(8)
		r.Skip(r.Count(1))
		r.Skip(16)
	}
	if r.Err() != nil {
		return 0
	}
	return r.Pos()
}

// Rows implements Tables.
func (g *gpak) Rows() []Row { return g.rows }

// New implements Tables: name, time, stored size and size.
func (g *gpak) New(row int) string {
	x := &g.raw[row]
	return string(x.name) + string(x.fields[:4]) + string(x.fields[8:])
}

// Predict implements Tables.
func (g *gpak) Predict(items []Item, _ Form, _ io.ReaderAt, _ int64) ([]byte, error) {
	le := binary.LittleEndian
	b := append([]byte(nil), g.content[:8]...)
	b = le.AppendUint32(b, uint32(len(items)))
	off := uint32(0)
	for _, it := range items {
		hash, name, fields := gpakNew(it.New)
		if it.Old >= 0 {
			x := &g.raw[it.Old]
			hash, name = x.hash, x.name
			fields = append(append(fields[:0], x.fields[:4]...), x.fields[8:]...)
		}
		b = append(b, hash...)
		b = le.AppendUint32(b, uint32(len(name)))
		b = append(append(b, name...), fields[:4]...)
		b = le.AppendUint32(b, off)
		b = append(b, fields[4:]...)
		off += le.Uint32(fields[4:])
	}
	return b, nil
}

// gpakNew takes apart what New returns. What is too short for it is a name.
func gpakNew(s string) (hash, name, fields []byte) {
	name, fields = []byte(s), make([]byte, 12)
	if k := len(name) - 12; k >= 0 {
		copy(fields, name[k:])
		name = name[:k]
	}
	lower := []byte(strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		return c
	}, string(name)))
	h := uint64(crc32.ChecksumIEEE(lower))<<32 | uint64(adler32.Checksum(lower))
	return binary.LittleEndian.AppendUint64(nil, h-1), name, fields
}

// Move implements Tables: entries do not say where they are.
func (*gpak) Move([]byte, int64) {}
