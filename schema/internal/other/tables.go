package other

import (
	"context"
	"slices"
	"strings"

	"pakdb/internal/family"
	"pakdb/schema/internal/layout"
)

// kinds are what columns hold, by the table that they refer to.
var kinds = map[string]family.Kind{"": family.Value, "x_word": family.Word, "x_name": family.Text, "x_path": family.Path}

// findTables finds the tables of families: those whose rows belong to contents or to sets of
// values, but for the ones that have readers of their own, and for what a user added.
func (c *reader) findTables(ctx context.Context) error {
	own, err := layout.Tables()
	if err != nil {
		return err
	}
	var last *family.Layout
	return c.each(ctx, "sqlite_schema", `SELECT m.name, o."from", c.name, coalesce(f."table", '')
		FROM sqlite_schema m
		JOIN pragma_foreign_key_list(m.name) o ON (o."from", o."table") IN (('content_id', 'x_content'), ('set_id', 'x_value_set'))
		JOIN pragma_table_info(m.name) c ON c.name <> o."from"
		LEFT JOIN pragma_foreign_key_list(m.name) f ON f."from" = c.name
		WHERE m.type = 'table'
			AND m.name NOT IN ('x_entry_row', 'x_content_key', 'x_sum_key', 'x_ref_key', 'x_build_value', 'x_content_sketch', 'x_package_digest',
				'x_content_problem', 'x_symbol', 'x_content_scan', 'x_ref', 'x_value_set')
		ORDER BY m.rowid, c.cid`, nil, func(r *row) {
		name, owner, column, refers := r.text("name"), r.text("from"), r.text("column"), r.text("table")
		if !slices.Contains(own, name) {
			return
		}
		if last == nil || last.Table != name {
			last = &family.Layout{Table: name, OfSet: owner == "set_id"}
			if last.OfSet {
				c.ofSets = append(c.ofSets, last)
			} else {
				c.ofContents = append(c.ofContents, last)
			}
		}
		kind, known := kinds[refers]
		if !known {
			r.fail("sql", "column %s of %s refers to %s", column, name, refers)
		}
		last.Columns = append(last.Columns, family.ColumnLayout{Name: column, Kind: kind})
	})
}

// batches returns the rows that owners have in tables, by owner; nil for those without any.
func (c *reader) batches(ctx context.Context, tables []*family.Layout, ids []int64) (map[int64]*family.Batch, error) {
	all := map[int64]*family.Batch{}
	makers := map[int64]*maker{}
	for _, l := range tables {
		columns := []string{"src.a"}
		for _, column := range l.Columns {
			columns = append(columns, "t."+column.Name)
		}
		owner := "content_id"
		if l.OfSet {
			owner = "set_id"
		}
		query := "SELECT " + strings.Join(columns, ", ") + " FROM src CROSS JOIN " + l.Table + " t ON t." + owner + " = src.a"
		err := c.eachOf(ctx, l.Table, query, ids, func(r *row) {
			id := r.number(owner)
			if all[id] == nil {
				all[id] = &family.Batch{}
				makers[id] = &maker{batch: all[id], places: map[place]int32{}}
			}
			makers[id].add(l, r)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// maker makes the batch of one owner.
type maker struct {
	batch  *family.Batch
	places map[place]int32 // where texts are in the batch
	last   *tableRows
}

// place is a text in one of the lists of a batch.
type place struct {
	kind family.Kind
	text string
}

// add adds a row of a table.
func (m *maker) add(l *family.Layout, r *row) {
	if m.last == nil || m.last.layout != l {
		m.last = &tableRows{layout: l}
		m.batch.Rows = append(m.batch.Rows, m.last)
	}
	for _, column := range l.Columns {
		at := cell{at: -1}
		switch {
		case column.Kind == family.Value:
			at.value = r.next()
			if b, ok := at.value.([]byte); ok {
				at.value = append([]byte{}, b...) // an empty one is not NULL
			}
		case r.v[0] == nil:
			r.next()
		case column.Kind == family.Word:
			at.at = m.place(&m.batch.Words, place{column.Kind, r.word(column.Name)})
		case column.Kind == family.Text:
			at.at = m.place(&m.batch.Texts, place{column.Kind, r.name(column.Name)})
		case column.Kind == family.Path:
			at.at = m.place(&m.batch.Paths, place{column.Kind, r.path(column.Name)})
		}
		m.last.cells = append(m.last.cells, at)
	}
}

// place returns where a text is in a list, which it is added to.
func (m *maker) place(list *[]string, text place) int32 {
	at, ok := m.places[text]
	if !ok {
		at = int32(len(*list))
		m.places[text], *list = at, append(*list, text.text)
	}
	return at
}

// tableRows are rows of a table, as [family.Rows].
type tableRows struct {
	layout *family.Layout
	cells  []cell
}

// cell is what a row has in a column.
type cell struct {
	value any   // of a column of values
	at    int32 // position, of another column; -1 for NULL
}

func (r *tableRows) Layout() *family.Layout         { return r.layout }
func (r *tableRows) Len() int                       { return len(r.cells) / len(r.layout.Columns) }
func (r *tableRows) Value(row, column int) any      { return r.cell(row, column).value }
func (r *tableRows) Position(row, column int) int32 { return r.cell(row, column).at }
func (r *tableRows) cell(row, column int) *cell     { return &r.cells[row*len(r.layout.Columns)+column] }
