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

// Cursor goes through the rows of a table. Values belong to it until it moves.
type Cursor struct {
	tree   *Tree
	stack  []level // from the root to where the row is; empty: it is at no row
	values []Value
	last   [2]int64 // key of the row before
	moved  bool     // there was one
	buf    []byte
	ahead  []uint32
}

// Cursor returns a cursor that is at no row.
func (t *Tree) Cursor() *Cursor {
	return &Cursor{tree: t, values: make([]Value, t.columns)}
}

// Find moves to the row of a key, of a table whose key is a number. It returns nil if there
// is none.
func (c *Cursor) Find(key int64) (row []Value, err error) {
	if found, err := c.seek(key, math.MaxInt64); !found || err != nil {
		return nil, err
	}
	return c.row(&c.stack[len(c.stack)-1])
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

// From moves before the first row whose key is a, b or more. Of a table whose key is one number
// that is a.
func (c *Cursor) From(a, b int64) error {
	_, err := c.seek(a, b)
	return err
}

// seek is From, and reports whether the row has the key.
func (c *Cursor) seek(a, b int64) (found bool, err error) {
	c.moved = false
	// Keys mostly come in order, so that the leaf of the last one is searched first.
	if n := len(c.stack); n > 0 && c.stack[n-1].leaf {
		top := &c.stack[n-1]
		if found, err = c.searchKey(top, a, b); found || err != nil || 0 < top.at && top.at < top.cells {
			return found, err
		}
	}
	n, err := c.tree.node(c.tree.root)
	for c.stack = c.stack[:0]; err == nil; n, err = c.below(&c.stack[len(c.stack)-1]) {
		if len(c.stack) == maxDepth {
			return false, damaged(n.number, "table %s is too deep", c.tree.name)
		}
		c.stack = append(c.stack, level{node: n})
		if found, err = c.searchKey(&c.stack[len(c.stack)-1], a, b); err != nil || n.leaf {
			break
		}
	}
	return found, err
}

func compare(key [2]int64, a, b int64) int {
	return cmp.Or(cmp.Compare(key[0], a), cmp.Compare(key[1], b))
}

// searchKey sets the place of a level to the first key that is a, b or more, and reports whether it is
// that one.
func (c *Cursor) searchKey(l *level, a, b int64) (found bool, err error) {
	low, high := 0, l.cells
	guess := (low + high) / 2
	if c.tree.rowid && l.leaf && high > 0 { // few numbers are missing between others
		first, err := l.rowid(0)
		if err != nil {
			return false, err
		}
		guess = int(min(max(a-first, 0), int64(high-1)))
	}
	for low < high {
		key, err := c.key(l, guess)
		if err != nil {
			return false, err
		}
		switch order := compare(key, a, b); {
		case order < 0:
			low = guess + 1
		case order == 0:
			l.at = guess
			return true, nil
		default:
			high = guess
		}
		guess = (low + high) / 2
	}
	l.at = low
	return false, nil
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
