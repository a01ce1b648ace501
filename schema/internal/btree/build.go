package btree

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"
)

// Builder writes the tree of an index, or of an empty table WITHOUT ROWID, whose rows come in
// order. Its pages follow the last one of the file. An eighth of each stays free: rows of the next
// build would split nearly all pages that are full.
type Builder struct {
	ctx    context.Context
	tx     *sql.Tx
	put    *sql.Stmt
	size   int64   // of a page
	next   int64   // number of the next page
	levels []*page // that grow, from the leaf up
	record []byte
}

// page is a page that grows: places of cells from its beginning, and cells from its end.
type page struct {
	bytes []byte
	head  int // of a page of its kind
	cells int
	top   int    // where the last cell begins
	last  []byte // the record that pop took
}

// lockByte is in the page that SQLite locks bytes of and never uses.
const lockByte = 1 << 30

// NewBuilder returns what writes indexes in a transaction that changes no table from then on.
// The caller calls Close before the transaction ends.
func NewBuilder(ctx context.Context, tx *sql.Tx) (*Builder, error) {
	b := &Builder{ctx: ctx, tx: tx}
	if err := tx.QueryRowContext(ctx, "SELECT page_size, page_count + 1 FROM pragma_page_size, pragma_page_count").Scan(&b.size, &b.next); err != nil {
		return nil, err
	}
	var err error
	b.put, err = tx.PrepareContext(ctx, "INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)")
	return b, err
}

// Add adds a row of the index: its columns, of which the first may be NULL, and those of the
// table's key.
func (b *Builder) Add(null bool, columns ...int64) error {
	b.record = append(b.record[:0], byte(1+len(columns)))
	for i, v := range columns {
		b.record = append(b.record, serialType(null && i == 0, v))
	}
	for i, v := range columns {
		size := sizeOf(uint64(b.record[1+i]))
		for shift := int(size)*8 - 8; shift >= 0; shift -= 8 {
			b.record = append(b.record, byte(v>>shift))
		}
	}
	return b.add(0, 0, b.record)
}

// serialType returns the shortest serial type of a number.
func serialType(null bool, v int64) byte {
	switch {
	case null:
		return 0
	case v == 0 || v == 1:
		return byte(8 + v)
	case v == int64(int8(v)):
		return 1
	case v == int64(int16(v)):
		return 2
	case v == v<<40>>40:
		return 3
	case v == int64(int32(v)):
		return 4
	case v == v<<16>>16:
		return 5
	}
	return 6
}

// add adds a record to the page that grows at a level, with the page of the records before it.
func (b *Builder) add(level int, child uint32, record []byte) error {
	if level == len(b.levels) {
		b.grow(level)
	}
	p := b.levels[level]
	size := 1 + len(record) // a record of numbers is shorter than 128 bytes
	if level > 0 {
		size += 4
	}
	if p.head+2*p.cells+2+size > p.top-len(p.bytes)/8 { // room for what later builds add
		// The last record goes up, between this page and the next one.
		before := b.pop(p)
		number, err := b.flush(p, 0, before)
		if err != nil {
			return err
		}
		if err := b.add(level+1, number, p.last); err != nil {
			return err
		}
	}
	p.top -= size
	cell := p.bytes[p.top:p.top]
	if level > 0 {
		cell = binary.BigEndian.AppendUint32(cell, child)
	}
	_ = append(append(cell, byte(len(record))), record...)
	binary.BigEndian.PutUint16(p.bytes[p.head+2*p.cells:], uint16(p.top))
	p.cells++
	return nil
}

// grow adds a level.
func (b *Builder) grow(level int) {
	p := &page{bytes: make([]byte, b.size), head: 12, top: int(b.size)}
	if level == 0 {
		p.head = 8
	}
	b.levels = append(b.levels, p)
}

// pop takes the last cell from a page. It returns the page before its record, which is in p.last.
func (b *Builder) pop(p *page) (child uint32) {
	cell := p.bytes[p.top:]
	if p.head == 12 {
		child, cell = binary.BigEndian.Uint32(cell), cell[4:]
	}
	p.last = append(p.last[:0], cell[1:1+cell[0]]...)
	p.cells--
	end := len(p.bytes)
	if p.cells > 0 {
		end = int(binary.BigEndian.Uint16(p.bytes[p.head+2*p.cells-2:]))
	}
	clear(p.bytes[p.top:end])
	clear(p.bytes[p.head+2*p.cells : p.head+2*p.cells+2])
	p.top = end
	return child
}

// flush writes a page, whose last child is right, and empties it. It returns its number, which is
// the next one for 0.
func (b *Builder) flush(p *page, number, right uint32) (uint32, error) {
	p.bytes[0] = indexLeaf
	if p.head == 12 {
		p.bytes[0] = indexInner
		binary.BigEndian.PutUint32(p.bytes[8:], right)
	}
	binary.BigEndian.PutUint16(p.bytes[3:], uint16(p.cells))
	binary.BigEndian.PutUint16(p.bytes[5:], uint16(p.top))
	if number == 0 {
		if b.next == lockByte/b.size+1 {
			b.next++
		}
		if b.next > math.MaxUint32-1 {
			return 0, damaged(0, "there are no more pages")
		}
		number = uint32(b.next)
		b.next++
	}
	_, err := b.put.ExecContext(b.ctx, number, p.bytes)
	clear(p.bytes)
	p.cells, p.top = 0, len(p.bytes)
	return number, err
}

// End writes the pages that are not full, and returns the root of the tree: that of an empty
// table, or a new one for 0. The next row belongs to another tree.
func (b *Builder) End(root uint32) (uint32, error) {
	if len(b.levels) == 0 {
		b.grow(0)
	}
	right := uint32(0)
	for i, p := range b.levels {
		number := uint32(0)
		if i == len(b.levels)-1 {
			number = root
		}
		var err error
		if right, err = b.flush(p, number, right); err != nil {
			return 0, err
		}
	}
	b.levels = nil
	return right, nil
}

// Close says in the first page how many there are.
func (b *Builder) Close() error {
	var first []byte
	if err := b.tx.QueryRowContext(b.ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = 1").Scan(&first); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(first[28:], uint32(b.next-1))
	if _, err := b.put.ExecContext(b.ctx, 1, first); err != nil {
		return err
	}
	return b.put.Close()
}
