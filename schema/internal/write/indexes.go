package write

import (
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

// large are the tables with an index that may have a million rows, and their keys.
var large = map[string][]string{
	"x_path":               {"path_id"},
	"x_entry_row":          {"lineage_id", "row"},
	"x_calligraphy_record": {"content_id", "seq"},
}

// makeIndexes makes the indexes that a first build goes without. Those of large tables are
// written as pages: of a million entries three take 0.5 s so, 2.6 s by CREATE INDEX, and 9.7 s
// kept row by row.
func makeIndexes(ctx context.Context, tx *sql.Tx, s *conn.Statements) error {
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
		if large[x.Table] == nil {
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
	var room [2][]indexed
	for i := range all {
		root, err := writeIndex(ctx, s, b, &all[i], &room)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", root, all[i].Name); err != nil {
			return err
		}
	}
	return b.Close()
}

// indexed is a row of an index, with the key of the table.
type indexed struct {
	value int64
	key   [2]int64
}

// writeIndex writes the pages of an index and returns its root. It sorts in room.
func writeIndex(ctx context.Context, s *conn.Statements, b *btree.Builder, x *layout.Index, room *[2][]indexed) (root uint32, err error) {
	var n int
	if err := s.EachRow(ctx, "SELECT count(*) FROM "+x.Table, nil, func(v []driver.Value) { n = int(v[0].(int64)) }); err != nil {
		return 0, err
	}
	for i := range room {
		room[i] = slices.Grow(room[i][:0], n)
	}
	var nulls []indexed
	rows := room[0] // in the order of the table's key; NULL comes first
	pages, err := btree.Open(ctx, s)
	if err != nil {
		return 0, err
	}
	// A table whose key is one number has it beside its columns.
	columns := append([]string{x.Columns}, large[x.Table]...)
	table, err := pages.Table(x.Table, columns[:1+len(large[x.Table])&^1]...)
	if err != nil {
		return 0, err
	}
	c := table.Cursor()
	if err := c.From(math.MinInt64, math.MinInt64); err != nil {
		return 0, err
	}
	for {
		v, err := c.Next()
		if err != nil {
			return 0, err
		}
		if v == nil {
			break
		}
		row := indexed{value: v[0].Int, key: [2]int64{c.Key()}}
		if len(v) == 3 {
			row.key[1] = v[2].Int
		}
		if v[0].Kind == btree.Null {
			nulls = append(nulls, row)
		} else {
			rows = append(rows, row)
		}
		if (len(nulls)+len(rows))%4096 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	rows = sortRows(rows, room[1][:len(rows)])
	var record [3]int64
	for part, rows := range [][]indexed{nulls, rows} {
		for i := range rows {
			record = [3]int64{rows[i].value, rows[i].key[0], rows[i].key[1]}
			if err := b.Add(part == 0, record[:len(columns)]...); err != nil {
				return 0, err
			}
		}
	}
	return b.End()
}

// sortRows sorts rows by their values in one of two slices, and leaves those of one value in their
// order. Most values are ids, of which two passes sort a million in 0.05 s; slices.SortFunc takes 0.3 s.
func sortRows(from, to []indexed) []indexed {
	const bits = 16
	for shift := 0; shift < 64; shift += bits {
		digit := func(r *indexed) uint64 { return (uint64(r.value) ^ 1<<63) >> shift & (1<<bits - 1) }
		var next [1<<bits + 1]int
		for i := range from {
			next[digit(&from[i])+1]++
		}
		if slices.Contains(next[:], len(from)) { // all have this digit
			continue
		}
		for d := range next[1:] {
			next[d+1] += next[d]
		}
		for i := range from {
			d := digit(&from[i])
			to[next[d]] = from[i]
			next[d]++
		}
		from, to = to, from
	}
	return from
}
