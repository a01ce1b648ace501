package write

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"hash/maphash"
	"runtime/debug"
	"slices"

	"pakdb/schema/internal/conn"
)

// numbered is a table whose ids the interner hands out.
type numbered struct {
	name, id string
	keys     string // the table that finds its rows by their keys
	columns  string // by which its rows differ
}

var (
	pathTable    = numbered{"x_path", "path_id", "x_path_key", "(SELECT prefix FROM x_dir d WHERE d.dir_id = t.dir_id), name"}
	contentTable = numbered{"x_content", "content_id", "x_content_key", "hash"}
	nameTable    = numbered{"x_name", "name_id", "x_name_key", "name"}
)

// ident is what a row of a numbered table is known by, in 16 bytes: its key in the key table,
// and a hash of all that rows differ by. That one has a seed: nobody can make rows that share both.
type ident struct {
	key  int64
	mark uint64
}

// identOf returns what a row is known by that differs from others by columns.
func identOf[C comparable](key int64, columns C) ident {
	return ident{key, maphash.Comparable(seed, columns)}
}

// seen maps rows to the ids of a table, those that the catalog held before included.
type seen struct {
	numbered
	fresh   idTable // of the ids from first on
	first   int64
	next    int64
	unkeyed int64 // ids from it on have no row in the key table yet
	// all: every id below next is in fresh, so that a miss needs no look-up.
	all bool
	own bool // all ids are of this build: the key table may lack them until it ends

	asked int64           // how many keys were looked up
	old   map[ident]int64 // what the look-ups found; where there is an index, the last one alone
	index []*keyIndex     // parts, of all ids below first; nil: not worth its while
}

// maxSeen bounds the memory of each, about 21 bytes an element. Beyond it they start anew
// and the catalog is asked, of which an index may be in memory as well.
var maxSeen = 1 << 20 // tests make it less

// start reads where the ids of a table are.
func (s *seen) start(ctx context.Context, tx *sql.Tx, table numbered) error {
	last, err := conn.MaxID(ctx, tx, table.name, table.id)
	*s = seen{numbered: table, first: last + 1, next: last + 1, unkeyed: last + 1, all: last == 0, own: last == 0, old: map[ident]int64{}}
	return err
}

// full reports that the memory is used up.
func (s *seen) full() bool {
	n := s.fresh.n + len(s.old)
	return n > maxSeen || n > maxSeen/4 && s.own && !s.all
}

// wanted is what needs an id: a path, a text, or a content.
type wanted struct {
	text string // "" for a content
	ident
	id *int64
}

// assign gives all their ids: those that the catalog has, or else the next ones. It calls added
// with the places of what gets these. identify returns what a row of the catalog is known by, from
// its columns; ok is false for a row that is damaged.
func (s *seen) assign(ctx context.Context, f *conn.Finder, all []wanted,
	identify func(id int64, columns []driver.Value) (k ident, ok bool), added func(i int)) error {
	var keys []int64
	for i := range all {
		if !s.all && !s.has(all[i].ident) {
			keys = append(keys, all[i].key)
		}
	}
	if err := s.find(ctx, f, keys, identify); err != nil {
		return err
	}
	for i := range all {
		id, fresh := s.id(all[i].ident)
		if *all[i].id = id; fresh {
			added(i)
		}
	}
	return nil
}

// has reports whether the id of k is known, and will be after the next look-up.
func (s *seen) has(k ident) bool {
	if s.index == nil && s.old[k] != 0 {
		return true
	}
	n, _ := s.fresh.find(k)
	return n >= 0
}

// id returns the id of k, handing out the next one if it is not known.
func (s *seen) id(k ident) (id int64, fresh bool) {
	if id, ok := s.old[k]; ok {
		return id, false
	}
	n, fresh := s.fresh.number(k)
	if fresh {
		s.next++
	}
	return s.first + int64(n), fresh
}

// takeKeys returns the rows of the key table for ids that have none yet.
func (s *seen) takeKeys() []Key {
	keys := make([]Key, 0, s.next-s.unkeyed)
	for id := s.unkeyed; id < s.next; id++ {
		keys = append(keys, Key{Key: s.fresh.at(int(id - s.first)).key, ID: id})
	}
	s.unkeyed = s.next
	return keys
}

// forget makes room for other ids, which may be asked for when all rows are in the catalog. keyed
// says that the key table is complete then; otherwise keys are all that were in fresh.
func (s *seen) forget(keys []Key, keyed bool) {
	large := s.fresh.n > 1<<16
	s.own = s.own && !keyed
	s.fresh, s.old, s.all, s.first = idTable{}, map[ident]int64{}, false, s.next
	if s.own {
		sortKeys(keys)
		x := newKeyIndex(int64(len(keys)))
		for _, k := range keys {
			x.add(k)
		}
		s.index = append(s.index, x.end())
	} else {
		s.index, s.asked = nil, 0
	}
	if large {
		debug.FreeOSMemory() // what comes next takes as much
	}
}

// find takes in the rows of the catalog that have one of the keys. Rows
// are identified by their values and not by their caller, so that many rows of
// one key, which can be forged, are read once.
func (s *seen) find(ctx context.Context, f *conn.Finder, keys []int64, identify func(int64, []driver.Value) (ident, bool)) error {
	if s.index != nil { // another look-up is cheaper than to remember all
		clear(s.old)
	}
	slices.Sort(keys)
	ids, err := s.haveKeys(ctx, f, slices.Compact(keys))
	if err != nil {
		return err
	}
	slices.Sort(ids) // neighbours share pages, and most often are in the order of the archive
	query := fmt.Sprintf("SELECT t.%s, %s FROM src CROSS JOIN %s t ON t.%[1]s = src.a", s.numbered.id, s.columns, s.name)
	return f.Each(ctx, query, len(ids), func(row, _ int) driver.Value { return ids[row] }, func(row []driver.Value) {
		id := row[0].(int64)
		if k, ok := identify(id, row[1:]); ok {
			s.old[k] = id
		}
	})
}

// indexPays is how many rows of a key table are read in the time that one takes to
// be looked for.
const indexPays = 50

// haveKeys returns the ids of the rows that have one of the keys, which ascend.
func (s *seen) haveKeys(ctx context.Context, f *conn.Finder, keys []int64) (ids []int64, err error) {
	s.asked += int64(len(keys))
	if s.index == nil && s.next <= maxIndexed && s.asked*indexPays > s.next {
		x, err := loadKeyIndex(ctx, f.DB, s.numbered, s.next)
		if err != nil {
			return nil, err
		}
		s.index = []*keyIndex{x}
	}
	if s.index != nil {
		for _, x := range s.index {
			for _, key := range keys {
				ids = x.appendIDs(ids, key)
			}
		}
		return ids, nil
	}
	query := fmt.Sprintf("SELECT k.%s FROM src CROSS JOIN %s k ON k.key = src.a", s.numbered.id, s.keys)
	err = f.Each(ctx, query, len(keys), func(row, _ int) driver.Value { return keys[row] }, func(row []driver.Value) {
		ids = append(ids, row[0].(int64))
	})
	return ids, err
}

// idTable gives each key a number, from 0, in half of the memory of a map, and so that
// no key is copied as it grows.
type idTable struct {
	slots  []uint32  // 1 more than a number, at the mark of its key or after it; 0: free
	blocks [][]ident // the keys in the order of their numbers
	n      int
}

// blockKeys is how many keys a block has.
const blockKeys = 1 << 12

// at returns the key of a number.
func (t *idTable) at(n int) ident { return t.blocks[n/blockKeys][n%blockKeys] }

// find returns the number of a key, or -1 and the slot that it would have.
func (t *idTable) find(k ident) (n, slot int) {
	if t.slots == nil {
		return -1, -1
	}
	last := len(t.slots) - 1
	for slot = int(k.mark) & last; t.slots[slot] != 0; slot = (slot + 1) & last {
		if n := int(t.slots[slot]) - 1; t.at(n) == k {
			return n, slot
		}
	}
	return -1, slot
}

// number returns the number of a key; fresh reports that it is the next one.
func (t *idTable) number(k ident) (n int, fresh bool) {
	if 3*t.n >= 2*len(t.slots) {
		t.grow()
	}
	n, slot := t.find(k)
	if n >= 0 {
		return n, false
	}
	if t.n%blockKeys == 0 {
		t.blocks = append(t.blocks, make([]ident, blockKeys))
	}
	n = t.n
	t.n++
	t.blocks[n/blockKeys][n%blockKeys] = k
	t.slots[slot] = uint32(t.n)
	return n, true
}

// grow doubles the slots.
func (t *idTable) grow() {
	t.slots = make([]uint32, max(1024, 2*len(t.slots)))
	for n := range t.n {
		slot := int(t.at(n).mark) & (len(t.slots) - 1)
		for ; t.slots[slot] != 0; slot = (slot + 1) & (len(t.slots) - 1) {
		}
		t.slots[slot] = uint32(n + 1)
	}
}
