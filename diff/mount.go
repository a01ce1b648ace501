package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// flagOwn marks what describes its archive and is no file of the game.
const flagOwn = 32

// readShadows reads what the catalog stores of what the game sees: which entries
// are hidden, and how many each hides. Package mount decided that when the build
// was written; the view files reads the same.
func (b *build) readShadows(ctx context.Context, db *sql.DB) error {
	b.hidden, b.hides = map[entryAt]bool{}, map[entryAt]int32{}
	return schema.EachRow(ctx, db, buildShadows, []driver.Value{b.id}, func(v []driver.Value) {
		b.hidden[entryAt{integer(v[0]), integer(v[1])}] = true
		b.hides[entryAt{integer(v[2]), integer(v[3])}]++
	})
}

// state is what a build makes of an entry of an archive.
type state struct {
	hidden bool
	hides  int32
	name   below
}

func (b *build) stateOf(at entryAt) state { return state{b.hidden[at], b.hides[at], b.names[at]} }

// markShared marks the archives that both builds mount.
func markShared(old, new *build) {
	before := map[int64]*archive{}
	for i := range old.archives {
		before[old.archives[i].id] = &old.archives[i]
	}
	for i := range new.archives {
		b := &new.archives[i]
		if a := before[b.id]; a != nil && a.group == b.group {
			a.shared, b.shared = true, true
			a.twin, b.twin = b.ordinal, a.ordinal
		}
	}
}

// changedState lists, by the ordinals of the archives that both builds mount, as
// this build has them, the entries of which the other build makes something else:
// another archive hides them now, or does no more.
func (b *build) changedState(other *build) map[int64][]int64 {
	twins := map[int64]int64{}
	for i := range b.archives {
		if a := &b.archives[i]; a.shared || a.akin {
			twins[a.ordinal] = a.twin
		}
	}
	changed := map[int64][]int64{}
	add := func(at entryAt) {
		if twin, shared := twins[at.archive]; shared && b.stateOf(at) != other.stateOf(entryAt{twin, at.ordinal}) {
			changed[at.archive] = append(changed[at.archive], at.ordinal)
		}
	}
	for at := range b.hidden {
		add(at)
	}
	for at := range b.hides {
		add(at)
	}
	for at := range b.names {
		add(at)
	}
	return changed
}

// readShared adds those entries of archives that both builds mount of which the
// builds make something else. All others are the same on both sides.
func (l *loader) readShared(ctx context.Context, old, new *build) error {
	changed := old.changedState(new)
	for archive, entries := range new.changedState(old) {
		for i := range new.archives {
			if a := &new.archives[i]; a.ordinal == archive {
				changed[a.twin] = append(changed[a.twin], entries...)
			}
		}
	}
	return both(ctx, old, new, func(ctx context.Context, b *build) error {
		for i := range b.archives {
			a := &b.archives[i]
			entries := changed[a.ordinal]
			if b == new {
				entries = changed[a.twin]
			}
			if !a.shared && !a.akin || len(entries) == 0 {
				continue
			}
			b.partly = true
			read := b.readAlready(a)
			entries = slices.DeleteFunc(slices.Clone(entries), func(row int64) bool { return read[row] })
			slices.Sort(entries)
			err := batches(slices.Compact(entries), func(entries []int64) error {
				return l.readRows(ctx, b, someRows, b.id, a.ordinal, jsonInts(entries))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// mount leaves the rows that the game sees, sorted by their keys.
func (b *build) mount() {
	b.rows = slices.DeleteFunc(b.rows, func(r row) bool { return r.copies == 0 || r.storage&(flagDeleted|flagOwn) != 0 })
	b.sortRows(func(x, y row) int {
		return cmp.Or(cmp.Compare(b.archives[x.archive].place, b.archives[y.archive].place), cmp.Compare(x.seq, y.seq))
	})
}

// byArchive leaves, of several entries of one path in one archive, the one that
// counts. Delete records count as entries.
func (b *build) byArchive() {
	for i := range b.rows {
		b.rows[i].group = b.archives[b.rows[i].archive].group
	}
	b.sortRows(func(x, y row) int {
		if b.archives[x.archive].lastWins {
			return cmp.Compare(y.seq, x.seq)
		}
		return cmp.Compare(x.seq, y.seq)
	})
	out := b.rows[:0]
	for i := 0; i < len(b.rows); {
		top := b.rows[i]
		top.copies = 0
		for ; i < len(b.rows) && compareKeys(&b.rows[i], &top) == 0; i++ {
			top.copies++
		}
		out = append(out, top)
	}
	b.rows = out
}

// sortRows sorts by keys. Rows go to further by value: through pointers each of a
// million comparisons would put both on the heap.
func (b *build) sortRows(further func(x, y row) int) {
	compare := func(x, y row) int {
		if c := compareKeys(&x, &y); c != 0 {
			return c
		}
		return further(x, y)
	}
	if !slices.IsSortedFunc(b.rows, compare) {
		slices.SortFunc(b.rows, compare)
	}
}
