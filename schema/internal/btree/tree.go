package btree

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"
)

// Tree is the rows of a table, in the order of its primary key: a number, or those columns
// that a table WITHOUT ROWID begins with.
type Tree struct {
	pages   *Pages
	name    string
	root    uint32
	rowid   bool  // the key is a number beside the columns
	slots   []int // where columns of records go, in the order of records; -1: nowhere
	columns int   // how many values a row has
}

// Table returns a table. columns are those that are read, in this order. It fails if the
// database has no such table or columns.
func (p *Pages) Table(name string, columns ...string) (*Tree, error) {
	t := &Tree{pages: p, name: name}
	var root int64
	err := p.statements.EachRow(p.ctx, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?1", []driver.Value{name}, func(v []driver.Value) {
		root, _ = v[0].(int64)
	})
	if err != nil {
		return nil, err
	}
	if root < 1 || root > 1<<32-2 {
		return nil, fmt.Errorf("%w: no table %s", ErrDamaged, name)
	}
	t.root = uint32(root)
	page, err := p.page(t.root)
	if err != nil {
		return nil, err
	}
	t.rowid = page[0] == tableLeaf || page[0] == tableInner
	// Records have columns as they were declared, and those of a primary key first where
	// the table has no other key.
	var stored []string
	err = p.statements.EachRow(p.ctx, "SELECT name FROM pragma_table_info(?1) ORDER BY CASE WHEN ?2 OR pk = 0 THEN 1000000 ELSE pk END, cid",
		[]driver.Value{name, t.rowid}, func(v []driver.Value) {
			column, _ := v[0].(string)
			stored = append(stored, column)
		})
	if err != nil {
		return nil, err
	}
	return t, t.choose(stored, columns)
}

// choose says where columns of records go.
func (t *Tree) choose(stored, columns []string) error {
	for range stored {
		t.slots = append(t.slots, -1)
	}
	last := 0
	t.columns = len(columns)
	for i, c := range columns {
		place := slices.Index(stored, c)
		if place < 0 {
			return fmt.Errorf("%w: table %s has no column %s", ErrDamaged, t.name, c)
		}
		t.slots[place] = i
		last = max(last, place)
	}
	t.slots = t.slots[:last+1]
	return nil
}

// Kinds of pages.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// node is a page of a tree.
type node struct {
	number uint32
	page   []byte // the usable part
	head   int    // where its header is
	leaf   bool
	cells  int
	right  uint32 // the last child of an inner page
}

// node reads a page of the tree, and ahead as [Pages.page] does.
func (t *Tree) node(number uint32, ahead ...uint32) (n node, err error) {
	page, err := t.pages.page(number, ahead...)
	if err != nil {
		return n, err
	}
	n = node{number: number, page: page[:t.pages.usable]}
	if number == 1 {
		n.head = 100
	}
	inner, leaf := byte(indexInner), byte(indexLeaf)
	if t.rowid {
		inner, leaf = tableInner, tableLeaf
	}
	switch n.page[n.head] {
	case leaf:
		n.leaf = true
	case inner:
		n.right = binary.BigEndian.Uint32(n.page[n.head+8:])
	default:
		return n, damaged(number, "of kind %d in table %s", n.page[n.head], t.name)
	}
	n.cells = int(binary.BigEndian.Uint16(n.page[n.head+3:]))
	if n.pointers()+2*n.cells > len(n.page) {
		return n, damaged(number, "%d cells", n.cells)
	}
	return n, nil
}

// pointers is where the places of cells are.
func (n *node) pointers() int {
	if n.leaf {
		return n.head + 8
	}
	return n.head + 12
}

// cell returns the bytes of a cell, and some after them.
func (n *node) cell(i int) ([]byte, error) {
	at := int(binary.BigEndian.Uint16(n.page[n.pointers()+2*i:]))
	if at > len(n.page)-4 || at < n.head {
		return nil, damaged(n.number, "cell %d is at %d", i, at)
	}
	return n.page[at:], nil
}

// child returns the page of the rows before cell i, or after the last one.
func (n *node) child(i int) (uint32, error) {
	if i == n.cells {
		return n.right, nil
	}
	c, err := n.cell(i)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(c), nil
}

// maxAhead is how many pages are read at once: of more, many are given up before they are used, as
// keys come in several orders.
const maxAhead = 64

// after returns the children after that of cell i.
func (n *node) after(i int, into []uint32) ([]uint32, error) {
	for i++; i <= n.cells && len(into) < maxAhead; i++ {
		c, err := n.child(i)
		if err != nil {
			return nil, err
		}
		into = append(into, c)
	}
	return into, nil
}

// rowid returns the key of a cell of a table.
func (n *node) rowid(i int) (int64, error) {
	c, err := n.cell(i)
	if err != nil {
		return 0, err
	}
	if n.leaf {
		_, took := varint(c)
		c = c[took:]
	} else {
		c = c[4:]
	}
	key, took := varint(c)
	if took == 0 {
		return 0, damaged(n.number, "cell %d is cut short", i)
	}
	return int64(key), nil
}

// payload returns the record of a cell, of overflow pages in buf.
func (t *Tree) payload(n *node, i int, buf *[]byte) ([]byte, error) {
	c, err := n.cell(i)
	if err != nil {
		return nil, err
	}
	if !n.leaf {
		c = c[4:]
	}
	size, took := varint(c)
	c = c[took:]
	if took > 0 && t.rowid {
		_, took = varint(c)
		c = c[took:]
	}
	if took == 0 {
		return nil, damaged(n.number, "cell %d is cut short", i)
	}
	if size <= uint64(t.most()) {
		if size > uint64(len(c)) {
			return nil, damaged(n.number, "cell %d has %d bytes", i, size)
		}
		return c[:size], nil
	}
	return t.overflowing(n, c, size, buf)
}

// most is how many bytes of a record are in one cell.
func (t *Tree) most() int {
	if t.rowid {
		return t.pages.usable - 35
	}
	return (t.pages.usable-12)*64/255 - 23
}

// maxRecord bounds a record. Catalogs have blobs and texts of some megabytes at most.
const maxRecord = 1 << 28

// overflowing reads a record that goes on in other pages.
func (t *Tree) overflowing(n *node, c []byte, size uint64, buf *[]byte) ([]byte, error) {
	usable := uint64(t.pages.usable)
	least := (usable-12)*32/255 - 23
	local := least + (size-least)%(usable-4)
	if local > uint64(t.most()) {
		local = least
	}
	if size > maxRecord || local+4 > uint64(len(c)) {
		return nil, damaged(n.number, "a record of %d bytes", size)
	}
	record := append((*buf)[:0], c[:local]...)
	next := binary.BigEndian.Uint32(c[local:])
	for uint64(len(record)) < size {
		page, err := t.pages.page(next)
		if err != nil {
			return nil, err
		}
		rest := min(size-uint64(len(record)), usable-4)
		record = append(record, page[4:4+rest]...)
		next = binary.BigEndian.Uint32(page)
	}
	*buf = record
	return record, nil
}
