package other

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"pakdb/internal/family"
	"pakdb/schema/internal/conn"
)

func args(values ...any) []driver.Value {
	all := make([]driver.Value, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}

// tables are the tables that hold facts.
type tables struct {
	filled     map[string]bool // whether one has rows
	ofContents []*table        // of a family of formats, and have rows, as the next
	ofSets     []*table
}

// table is a table of a family, whose columns are known by what they refer to.
type table struct {
	layout *family.Layout
	query  string
}

// plain are the tables of facts that no family has.
var plain = []string{"x_content", "x_content_sketch", "x_package_digest", "x_content_problem", "x_symbol", "x_content_scan", "x_ref", "x_path_symbol", "x_value_set"}

// findTables finds the tables of a catalog, those of families by what their columns refer
// to in db, which is one of the same version that is trusted.
func (c *reader) findTables(ctx context.Context, db conn.Querier) (t tables, err error) {
	t.filled = map[string]bool{}
	for _, name := range plain {
		if t.filled[name], err = c.hasRows(ctx, name); err != nil {
			return t, err
		}
	}
	for _, of := range []struct {
		owner, table string
		into         *[]*table
	}{{"content_id", "x_content", &t.ofContents}, {"set_id", "x_value_set", &t.ofSets}} {
		names, err := conn.FirstTexts(ctx, db, `SELECT m.name
			FROM sqlite_schema m
			JOIN pragma_foreign_key_list(m.name) f
			WHERE m.type = 'table' AND f."table" = ?2 AND f."from" = ?1
				AND m.name NOT IN ('x_entry_row', 'x_content_key', 'x_sum_key', 'x_ref_key', 'x_build_value', 'x_content_sketch', 'x_package_digest',
					'x_content_problem', 'x_symbol', 'x_content_scan', 'x_ref', 'x_value_set')
			ORDER BY m.rowid`, of.owner, of.table)
		if err != nil {
			return t, err
		}
		for _, name := range names {
			filled, err := c.hasRows(ctx, name)
			if err != nil {
				return t, err
			}
			if !filled {
				continue
			}
			table, err := findTable(ctx, db, name, of.owner)
			if err != nil {
				return t, err
			}
			*of.into = append(*of.into, table)
		}
	}
	return t, nil
}

func (c *reader) hasRows(ctx context.Context, name string) (found bool, err error) {
	err = c.each(ctx, name, "SELECT EXISTS (SELECT 1 FROM "+name+")", nil, func(r *row) { found = r.flag("rows") })
	return found, err
}

// findTable describes a table whose rows belong to what the column owner says.
func findTable(ctx context.Context, db conn.Querier, name, owner string) (*table, error) {
	rows, err := db.QueryContext(ctx, `SELECT c.name, coalesce(f."table", '') FROM pragma_table_info(?1) c
		LEFT JOIN pragma_foreign_key_list(?1) f ON f."from" = c.name WHERE c.name <> ?2 ORDER BY c.cid`, name, owner)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	t := &table{layout: &family.Layout{Table: name, OfSet: owner == "set_id"}}
	columns, joins := []string{"src.a"}, ""
	for n := 0; rows.Next(); n++ {
		var column, refers string
		if err := rows.Scan(&column, &refers); err != nil {
			return nil, err
		}
		kind := family.Value
		columns = append(columns, "t."+column)
		switch refers {
		case "":
		case "x_word":
			kind = family.Word
		case "x_name":
			kind = family.Text
			columns = append(columns, fmt.Sprintf("n%d.name", n))
			joins += fmt.Sprintf(" LEFT JOIN x_name n%d ON n%[1]d.name_id = t.%s", n, column)
		case "x_path":
			kind = family.Path
			columns = append(columns, fmt.Sprintf("p%d.dir_id, p%[1]d.name", n))
			joins += fmt.Sprintf(" LEFT JOIN x_path p%d ON p%[1]d.path_id = t.%s", n, column)
		default:
			return nil, fmt.Errorf("%s.%s refers to %s", name, column, refers)
		}
		t.layout.Columns = append(t.layout.Columns, family.ColumnLayout{Name: column, Kind: kind})
	}
	t.query = fmt.Sprintf("SELECT %s FROM src CROSS JOIN %s t ON t.%s = src.a%s", strings.Join(columns, ", "), name, owner, joins)
	return t, rows.Err()
}

// batches returns the rows that owners have in tables, by owner; nil for those without any.
func (c *reader) batches(ctx context.Context, tables []*table, ids []int64) (map[int64]*family.Batch, error) {
	makers := map[int64]*maker{}
	for _, t := range tables {
		err := c.eachOf(ctx, t.layout.Table, t.query, ids, func(r *row) {
			id := r.number("owner")
			m := makers[id]
			if m == nil {
				m = &maker{words: map[string]int32{}, texts: map[string]int32{}, paths: map[string]int32{}}
				makers[id] = m
			}
			m.add(c, t, r)
		})
		if err != nil {
			return nil, err
		}
	}
	all := make(map[int64]*family.Batch, len(makers))
	for id, m := range makers {
		all[id] = &m.batch
	}
	return all, nil
}

// maker makes the batch of one owner.
type maker struct {
	batch               family.Batch
	words, texts, paths map[string]int32 // where they are in the batch
	last                *tableRows
}

func (m *maker) add(c *reader, t *table, r *row) {
	if m.last == nil || m.last.layout != t.layout {
		m.last = &tableRows{layout: t.layout}
		m.batch.Rows = append(m.batch.Rows, m.last)
	}
	for _, column := range t.layout.Columns {
		var at cell
		if r.v[0] == nil {
			at.at = -1
		}
		switch column.Kind {
		case family.Value:
			at.value = r.next()
			if b, ok := at.value.([]byte); ok {
				at.value = append([]byte{}, b...)
			}
		case family.Word:
			at.put(m.words, &m.batch.Words, c.word(r, column.Name))
		case family.Text:
			at.put(m.texts, &m.batch.Texts, r.looked(column.Name))
		case family.Path:
			at.put(m.paths, &m.batch.Paths, c.path(r, column.Name))
		}
		m.last.cells = append(m.last.cells, at)
	}
}

// cell is what a row has in a column.
type cell struct {
	value any   // of a column of values
	at    int32 // position, of another column; -1 for NULL
}

// put gives the cell the position of a text in a list, which it is added to.
func (c *cell) put(at map[string]int32, list *[]string, text string) {
	if c.at < 0 {
		return
	}
	i, ok := at[text]
	if !ok {
		i = int32(len(*list))
		at[text], *list = i, append(*list, text)
	}
	c.at = i
}

// tableRows are rows of a table, as [family.Rows].
type tableRows struct {
	layout *family.Layout
	cells  []cell
}

func (r *tableRows) Layout() *family.Layout { return r.layout }
func (r *tableRows) Len() int               { return len(r.cells) / len(r.layout.Columns) }
func (r *tableRows) Value(row, column int) any {
	return r.cells[row*len(r.layout.Columns)+column].value
}
func (r *tableRows) Position(row, column int) int32 {
	return r.cells[row*len(r.layout.Columns)+column].at
}
