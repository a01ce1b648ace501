package btree

import (
	"cmp"
	"math"
)

// maxDepth is how deep a tree is at most: SQLite admits no more either.
const maxDepth = 20

// level is where a cursor is in a page: before cell at, or in it.
type level struct {
	node
	at int
}

// leaf is a leaf in which a key was found, and its first and its last key.
type leaf struct {
	level
	first, last int64
}

// Cursor goes through the rows of a table. Values belong to it until it moves.
type Cursor struct {
	tree   *Tree
	stack  []level // from the root to where the row is; empty: it is at no row
	values []Value
	last   [2]int64 // key of the row before
	moved  bool     // there was one
	buf    []byte
	ahead  []uint32
	recent leaf // of Find
}

// Cursor returns a cursor that is at no row.
func (t *Tree) Cursor() *Cursor {
	return &Cursor{tree: t, values: make([]Value, t.columns)}
}

// Find moves to the row of a key, of a table whose key is a number. It returns nil if there
// is none.
func (c *Cursor) Find(key int64) (row []Value, err error) {
	if l := &c.recent; l.cells > 0 && l.first <= key && key <= l.last {
		return c.inLeaf(l, key)
	}
	n, err := c.tree.node(c.tree.root)
	for depth := 0; err == nil && !n.leaf; depth++ {
		if depth == maxDepth {
			return nil, damaged(n.number, "table %s is too deep", c.tree.name)
		}
		l := level{node: n}
		if err = l.searchRowid(key); err == nil {
			n, err = c.below(&l)
		}
	}
	if err != nil || n.cells == 0 {
		return nil, err
	}
	l := leaf{level: level{node: n}}
	if l.first, err = n.rowid(0); err != nil {
		return nil, err
	}
	if l.last, err = n.rowid(n.cells - 1); err != nil {
		return nil, err
	}
	c.recent = l
	return c.inLeaf(&c.recent, key)
}

// below returns the child that a level is before. Those after it are read, too, if the one before
// it was: keys mostly come in order, with others in between.
func (c *Cursor) below(l *level) (n node, err error) {
	next, err := l.child(l.at)
	if err != nil {
		return n, err
	}
	c.ahead = c.ahead[:0]
	if l.at > 0 && !c.tree.pages.has(next) {
		before, err := l.child(l.at - 1)
		if err != nil {
			return n, err
		}
		if c.tree.pages.has(before) {
			if c.ahead, err = l.after(l.at, c.ahead); err != nil {
				return n, err
			}
		}
	}
	return c.tree.node(next, c.ahead...)
}

// inLeaf returns the row of a key in a leaf.
func (c *Cursor) inLeaf(l *leaf, key int64) ([]Value, error) {
	// Few keys are missing between others, so its place is guessed first.
	l.at = int(min(max(key-l.first, 0), int64(l.cells-1)))
	k, err := l.rowid(l.at)
	if err == nil && k != key {
		if err = l.searchRowid(key); err == nil && l.at < l.cells {
			k, err = l.rowid(l.at)
		}
	}
	if err != nil || k != key {
		return nil, err
	}
	return c.row(&l.level)
}

// searchRowid sets at to the first cell whose key is the one that is given, or more.
func (l *level) searchRowid(key int64) error {
	return l.search(func(i int) (int, error) {
		k, err := l.rowid(i)
		return cmp.Compare(k, key), err
	})
}

// search sets at to the first cell that compares as 0 or more.
func (l *level) search(compare func(i int) (int, error)) error {
	low, high := 0, l.cells
	for low < high {
		mid := (low + high) / 2
		order, err := compare(mid)
		if err != nil {
			return err
		}
		if order < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	l.at = low
	return nil
}

// From moves before the first row whose key is a, b or more. Of a table whose key is one number
// that is a.
func (c *Cursor) From(a, b int64) error {
	c.moved = false
	// Keys mostly come in order, so that the leaf of the last one is searched first.
	if n := len(c.stack); n > 0 && c.stack[n-1].leaf {
		top := &c.stack[n-1]
		if err := c.searchKey(top, a, b); err != nil || 0 < top.at && top.at < top.cells {
			return err
		}
	}
	c.stack = c.stack[:0]
	for next := c.tree.root; ; {
		if len(c.stack) == maxDepth {
			return damaged(next, "table %s is too deep", c.tree.name)
		}
		n, err := c.tree.node(next)
		if err != nil {
			return err
		}
		c.stack = append(c.stack, level{node: n})
		top := &c.stack[len(c.stack)-1]
		if err := c.searchKey(top, a, b); err != nil {
			return err
		}
		if n.leaf {
			return nil
		}
		if next, err = n.child(top.at); err != nil {
			return err
		}
	}
}

func compare(key [2]int64, a, b int64) int {
	return cmp.Or(cmp.Compare(key[0], a), cmp.Compare(key[1], b))
}

// searchKey sets the place of a level to the first key that is a, b or more.
func (c *Cursor) searchKey(l *level, a, b int64) error {
	return l.search(func(i int) (int, error) {
		key, err := c.key(l, i)
		return compare(key, a, b), err
	})
}

// key returns the first two numbers of a cell, or the number that is the key.
func (c *Cursor) key(l *level, i int) (key [2]int64, err error) {
	if c.tree.rowid {
		key[1] = math.MaxInt64
		key[0], err = l.rowid(i)
		return key, err
	}
	payload, err := c.tree.payload(&l.node, i, &c.buf)
	if err != nil {
		return key, err
	}
	var v [2]Value
	if !decode(payload, []int{0, 1}, v[:]) || v[0].Kind != Int || v[1].Kind != Int {
		return key, damaged(l.number, "cell %d has no key of two numbers", i)
	}
	return [2]int64{v[0].Int, v[1].Int}, nil
}

// Next moves to the next row after [Cursor.From] and returns it, nil after the last one.
func (c *Cursor) Next() ([]Value, error) {
	for len(c.stack) > 0 {
		top := &c.stack[len(c.stack)-1]
		if top.at >= top.cells {
			c.stack = c.stack[:len(c.stack)-1]
			continue
		}
		if c.tree.rowid && !top.leaf { // which has no rows
			top.at++
			if err := c.descend(); err != nil {
				return nil, err
			}
			continue
		}
		key, err := c.key(top, top.at)
		if err != nil {
			return nil, err
		}
		if c.moved && compare(key, c.last[0], c.last[1]) <= 0 {
			return nil, damaged(top.number, "rows of table %s are out of order", c.tree.name)
		}
		c.last, c.moved = key, true
		values, err := c.row(top)
		if err != nil {
			return nil, err
		}
		top.at++
		if !top.leaf {
			// The row belongs to a page that is kept by the slices of it.
			if err := c.descend(); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	return nil, nil
}

// descend goes to the first row of the child that the cursor is before.
func (c *Cursor) descend() error {
	for {
		top := &c.stack[len(c.stack)-1]
		if top.leaf {
			return nil
		}
		if len(c.stack) == maxDepth {
			return damaged(top.number, "table %s is too deep", c.tree.name)
		}
		n, err := c.below(top)
		if err != nil {
			return err
		}
		c.stack = append(c.stack, level{node: n})
	}
}

// row decodes the cell that a level is at.
func (c *Cursor) row(l *level) ([]Value, error) {
	payload, err := c.tree.payload(&l.node, l.at, &c.buf)
	if err != nil {
		return nil, err
	}
	if !decode(payload, c.tree.slots, c.values) {
		return nil, damaged(l.number, "cell %d has no record", l.at)
	}
	return c.values, nil
}

// Key returns the first column of the key of the row that [Cursor.Next] moved to.
func (c *Cursor) Key() int64 { return c.last[0] }
