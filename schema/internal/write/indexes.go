package write

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// large are the tables that may have a million rows and have indexes on ids: their keys, and how
// many rows a first build gave them.
var large = map[string]struct {
	key   []string
	count string
}{
	"x_path":      {[]string{"path_id"}, "SELECT coalesce(max(path_id), 0) FROM x_path"},
	"x_entry_row": {[]string{"lineage_id", "row"}, "SELECT coalesce(sum(entry_count), 0) FROM x_archive"},
}

// makeIndexes makes the indexes that a first build goes without, and fills the key tables, which
// are empty. Those of large tables are written as pages: of a million entries three take 0.9 s so,
// 2.6 s by CREATE INDEX, and 9.7 s kept row by row.
func makeIndexes(ctx context.Context, tx *sql.Tx, s *conn.Statements, late *lateKeys) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return err
	}
	// Other connections read the schema again when its version is another one.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA writable_schema = 1; PRAGMA schema_version = %d", version+1)); err != nil {
		return err
	}
	var all []layout.Index
	for _, x := range layout.Indexes() {
		if large[x.Table].key == nil {
			if _, err := tx.ExecContext(ctx, x.Create()); err != nil {
				return err
			}
			continue
		}
		all = append(all, x)
		// The root is not known yet: a number that only gets smaller, so that the row stays in its page.
		_, err := tx.ExecContext(ctx, "INSERT INTO sqlite_schema VALUES ('index', ?, ?, ?, ?)", x.Name, x.Table, math.MaxInt32, x.SQL)
		if err != nil {
			return err
		}
	}
	b, err := btree.NewBuilder(ctx, tx)
	if err != nil {
		return err
	}
	for _, into := range []*table[*Key]{&pathKeys, &contentKeys, &nameKeys, &refKeys} {
		if late.runs[into] == nil {
			continue
		}
		var root uint32
		if err := tx.QueryRowContext(ctx, "SELECT rootpage FROM sqlite_schema WHERE name = ?", into.name).Scan(&root); err != nil {
			return err
		}
		if err := late.each(into, func(k Key) error { return b.Add(false, k.Key, k.ID) }); err != nil {
			return err
		}
		if _, err := b.End(root); err != nil {
			return err
		}
	}
	w := indexWriter{s: s, b: b}
	for i := range all {
		root, err := w.write(ctx, &all[i])
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", root, all[i].Name); err != nil {
			return err
		}
	}
	return b.Close()
}

// indexWriter writes indexes one after the other, and sorts them in 8 bytes a row: in a first build
// the keys of an archive's rows are numbers at equal distances.
type indexWriter struct {
	s    *conn.Statements
	b    *btree.Builder
	ids  []uint64 // and the number of the row, so that rows of one id keep their order
	runs []run    // of all rows
}

// run is rows one after the other whose keys end in numbers at equal distances.
type run struct {
	first uint64 // number of the first row
	key   [2]int64
	step  int64 // 0: there is one row
}

// add adds the key of a row after the one before, last.
func (w *indexWriter) add(i uint64, last, key [2]int64) {
	if n := len(w.runs) - 1; n >= 0 && key[0] == last[0] {
		r, step := &w.runs[n], key[1]-last[1]
		if r.step == 0 {
			r.step = step
		}
		if r.step == step {
			return
		}
	}
	w.runs = append(w.runs, run{first: i, key: key})
}

// key returns the key of a row.
func (w *indexWriter) key(i uint64) [2]int64 {
	n, found := slices.BinarySearchFunc(w.runs, i, func(r run, i uint64) int { return cmp.Compare(r.first, i) })
	if !found {
		n--
	}
	r := &w.runs[n]
	return [2]int64{r.key[0], r.key[1] + int64(i-r.first)*r.step}
}

// write writes the pages of an index and returns its root.
func (w *indexWriter) write(ctx context.Context, x *layout.Index) (root uint32, err error) {
	of := large[x.Table]
	err = w.s.EachRow(ctx, of.count, nil, func(v []driver.Value) {
		n, _ := v[0].(int64)
		w.ids, w.runs = slices.Grow(w.ids[:0], int(n)), w.runs[:0]
	})
	if err != nil {
		return 0, err
	}
	pages, err := btree.Open(ctx, w.s)
	if err != nil {
		return 0, err
	}
	// A table whose key is one number has it beside its columns.
	table, err := pages.Table(x.Table, append([]string{x.Columns}, of.key...)[:1+len(of.key)&^1]...)
	if err != nil {
		return 0, err
	}
	c := table.Cursor()
	if err := c.From(math.MinInt64, math.MinInt64); err != nil {
		return 0, err
	}
	var last [2]int64
	for i := uint64(0); ; i++ {
		v, err := c.Next()
		if err != nil {
			return 0, err
		}
		if v == nil {
			break
		}
		id := v[0].Int // 0 for NULL, which comes first
		if id < 1 && v[0].Kind != btree.Null || id > math.MaxUint32 || i > math.MaxUint32 {
			return 0, fmt.Errorf("%s.%s: %d is no id", x.Table, x.Columns, id)
		}
		key := [2]int64{0, c.Key()}
		if len(v) == 3 {
			key = [2]int64{v[1].Int, v[2].Int}
		}
		w.ids = append(w.ids, uint64(id)<<32|i)
		w.add(i, last, key)
		last = key
		if i%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	slices.Sort(w.ids)
	var row []int64
	for _, v := range w.ids {
		id, key := int64(v>>32), w.key(v&math.MaxUint32)
		row = append(append(row[:0], id), key[2-len(of.key):]...)
		if err := w.b.Add(id == 0, row...); err != nil {
			return 0, err
		}
	}
	return w.b.End(0)
}
