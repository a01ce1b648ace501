package write

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"pakdb/internal/family"
	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
)

// tree is what a large first build writes as pages when all of its rows are in the catalog: an
// index, or a key table. It has a row for each of a table: a number that is made of columns of that,
// and then its key.
type tree struct {
	name, table string
	columns     []string
	number      func([]btree.Value) int64 // of the columns; nil: the first one, an id or NULL
	ofEntries   bool                      // the other columns are the key, which otherwise is the row's id
	root        uint32                    // 0: not known yet
}

// makeIndexes makes the indexes that a first build goes without, and fills the key tables of what
// has ids, which are empty. Those of large tables are written as pages: of a million entries three
// take 0.9 s so, 2.6 s by CREATE INDEX, and 9.7 s kept row by row.
func makeIndexes(ctx context.Context, tx *sql.Tx, s *conn.Statements) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return err
	}
	// Other connections read the schema again when its version is another one.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA writable_schema = 1; PRAGMA schema_version = %d", version+1)); err != nil {
		return err
	}
	dirs, err := conn.Map[int64, string](ctx, tx, "SELECT dir_id, prefix FROM x_dir")
	if err != nil {
		return err
	}
	var path []byte
	all := []tree{
		{name: "x_path_key", table: "x_path", columns: []string{"dir_id", "name"}, number: func(v []btree.Value) int64 {
			path = append(append(path[:0], dirs[v[0].Int]...), v[1].Bytes...)
			return record.HashOf(path).Key()
		}},
		{name: "x_content_key", table: "x_content", columns: []string{"hash"}, number: func(v []btree.Value) int64 {
			return record.ContentKey(v[0].Bytes)
		}},
		{name: "x_name_key", table: "x_name", columns: []string{"name"}, number: func(v []btree.Value) int64 {
			return family.NameKey(string(v[0].Bytes))
		}},
	}
	for i := range all {
		if err := tx.QueryRowContext(ctx, "SELECT rootpage FROM sqlite_schema WHERE name = ?", all[i].name).Scan(&all[i].root); err != nil {
			return err
		}
	}
	for _, x := range layout.Indexes() {
		t := tree{name: x.Name, table: x.Table, columns: []string{x.Columns}, ofEntries: x.Table == "x_entry_row"}
		switch {
		case t.ofEntries:
			t.columns = append(t.columns, "lineage_id", "row")
		case x.Table != "x_path": // which may have a million rows as well
			if _, err := tx.ExecContext(ctx, x.Create()); err != nil {
				return err
			}
			continue
		}
		all = append(all, t)
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
	var entries int // and not much fewer rows than any tree has
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(entry_count), 0) FROM x_archive").Scan(&entries); err != nil {
		return err
	}
	rows := make([]Key, 0, entries)
	for i := range all {
		t := &all[i]
		if rows, err = t.read(ctx, s, rows[:0]); err != nil {
			return err
		}
		root, err := t.write(b, rows)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?", root, t.name); err != nil {
			return err
		}
	}
	return b.Close()
}

// packedRow is where the number of a row of x_entry_row is in one of 64 bits, after the lineage:
// rows of a first build lie 1<<RowBits apart.
const packedRow = 40

// read reads the rows of a tree, in their order: the number, 0 for NULL, and the key.
func (t *tree) read(ctx context.Context, s *conn.Statements, rows []Key) ([]Key, error) {
	fits := true
	err := eachRow(ctx, s, t.table, t.columns, math.MinInt64, func(v []btree.Value, rowid int64) bool {
		k := Key{v[0].Int, rowid}
		switch {
		case t.number != nil:
			k.Key = t.number(v)
		case t.ofEntries:
			lineage, row := v[1].Int, v[2].Int
			k.ID = lineage<<packedRow | row>>record.RowBits
			l, r := k.entry()
			fits = fits && l == lineage && r == row
		}
		rows = append(rows, k)
		return fits
	})
	if !fits {
		err = errors.New("rows of a first build have other numbers")
	}
	sortKeys(rows)
	return rows, err
}

// entry returns the lineage and the row that are packed in the key.
func (k Key) entry() (lineage, row int64) {
	return k.ID >> packedRow, k.ID & (1<<packedRow - 1) << record.RowBits
}

// write writes the pages of a tree, and returns its root.
func (t *tree) write(b *btree.Builder, rows []Key) (root uint32, err error) {
	for _, k := range rows {
		isNull := k.Key == 0 && t.number == nil
		if t.ofEntries {
			lineage, row := k.entry()
			err = b.Add(isNull, k.Key, lineage, row)
		} else {
			err = b.Add(isNull, k.Key, k.ID)
		}
		if err != nil {
			return 0, err
		}
	}
	return b.End(t.root)
}
