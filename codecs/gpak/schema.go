package gpak

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// The tables that make a database a pak.
const (
	dataTable    = "data_tbl"
	versionTable = "ver"
)

// maxSchemaPages bounds the walk through a database's schema. A pak's has one
// page.
const maxSchemaPages = 1000

// hasPakTables reports whether the schema of a database names the two tables
// of a pak. It walks the schema's b-tree itself: Probe meets every database in
// a folder and should not start SQLite for each, and a tree whose pages refer
// to each other would keep SQLite busy forever, where a page seen twice ends
// this walk. (File format: sqlite.org/fileformat2.html, sections 1.3, 1.6, 2.1.)
func hasPakTables(src codecs.Source) (bool, error) {
	w, err := newSchemaWalk(src)
	if err != nil {
		return false, err
	}
	if err := w.page(1); err != nil {
		return false, err
	}
	return w.tables[dataTable] && w.tables[versionTable], nil
}

type schemaWalk struct {
	src      codecs.Source
	pageSize int64
	seen     map[uint32]bool
	tables   map[string]bool // lower case
}

const databaseHeader = 100

// newSchemaWalk reads the database header. A header that counts more pages
// than the file holds means that the file was cut.
func newSchemaWalk(src codecs.Source) (*schemaWalk, error) {
	head, err := bin.Section(src, 0, databaseHeader, src.Size, databaseHeader)
	if err != nil {
		return nil, err
	}
	be := binary.BigEndian
	size := int64(be.Uint16(head[16:]))
	if size == 1 {
		size = 65536
	}
	if size < 512 || bits.OnesCount64(uint64(size)) != 1 {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "page size %d", size)
	}
	// The count is valid only while "version-valid-for" equals the change counter.
	if pages := int64(be.Uint32(head[28:])); be.Uint32(head[24:]) == be.Uint32(head[92:]) && pages*size > src.Size {
		return nil, &bin.Error{Off: 28, Need: pages * size, Have: src.Size, Err: bin.ErrShort}
	}
	return &schemaWalk{src: src, pageSize: size, seen: map[uint32]bool{}, tables: map[string]bool{}}, nil
}

// page reads page n (from 1) of the schema's table b-tree and those below it.
func (w *schemaWalk) page(n uint32) error {
	off := (int64(n) - 1) * w.pageSize
	if w.seen[n] || len(w.seen) == maxSchemaPages {
		return codecs.Errorf(codecs.ErrCorrupt, "schema page %d is reached twice, or the schema has no end", n)
	}
	w.seen[n] = true
	buf, err := bin.Section(w.src, off, w.pageSize, w.src.Size, w.pageSize)
	if err != nil {
		return err
	}
	r := bin.NewReader(buf, off, binary.BigEndian)
	if n == 1 {
		r.Skip(databaseHeader)
	}
	kind, right := r.U8(), uint32(0)
	r.Skip(2)
	cells := make([]uint16, r.Count16(2))
	r.Skip(3)
	if kind == 0x05 {
		right = r.U32() // the last child
	}
	for i := range cells {
		cells[i] = r.U16()
	}
	switch kind {
	case 0x05:
		return w.interior(r, right, cells)
	case 0x0d:
		return w.leaf(r, cells)
	}
	return codecs.Errorf(codecs.ErrCorrupt, "schema page %d is of type %#x", n, kind)
}

func (w *schemaWalk) interior(r *bin.Reader, right uint32, cells []uint16) error {
	children := []uint32{right}
	for _, at := range cells {
		r.Seek(int(at))
		children = append(children, r.U32())
	}
	if err := r.Err(); err != nil {
		return err
	}
	for _, c := range children {
		if err := w.page(c); err != nil {
			return err
		}
	}
	return nil
}

func (w *schemaWalk) leaf(r *bin.Reader, cells []uint16) error {
	for _, at := range cells {
		r.Seek(int(at))
		w.schemaRow(r)
	}
	return r.Err()
}

// schemaRow notes the name of a table. The row starts with type and name, both
// short, so that they are in the page even where the row overflows it.
func (w *schemaWalk) schemaRow(r *bin.Reader) {
	varint(r) // payload size
	varint(r) // rowid
	start := r.Pos()
	header := int(varint(r))
	kind, name := textLen(varint(r)), textLen(varint(r))
	r.Seek(start + header)
	if isTable := string(r.Bytes(kind)) == "table"; isTable {
		w.tables[strings.ToLower(string(r.Bytes(name)))] = true
	}
}

// varint reads SQLite's big-endian variable-length integer of up to nine bytes, of which no
// schema needs more than 31 bits.
func varint(r *bin.Reader) int64 {
	v := uint64(0)
	for range 8 {
		b := r.U8()
		v = v<<7 | uint64(b&0x7f)
		if b < 0x80 {
			return int64(v & 0x7fffffff)
		}
	}
	return int64((v<<8 | uint64(r.U8())) & 0x7fffffff)
}

// textLen is the length of a text of that serial type, 0 for anything else.
func textLen(serial int64) int {
	if serial < 13 || serial%2 == 0 {
		return 0
	}
	return int(serial-13) / 2
}
