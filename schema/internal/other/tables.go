package other

import (
	"context"
	"slices"
	"strings"
	"sync"

	"pakdb/internal/family"
	"pakdb/schema/internal/layout"
)

// kinds are what columns hold, by the table that they refer to; those that refer to none hold values.
var kinds = map[string]family.Kind{"x_word": family.Word, "x_name": family.Text, "x_path": family.Path}

// apart are tables whose rows belong to contents and sets of values, and that have readers of
// their own or follow from others.
var apart = []string{"x_entry_row", "x_content_key", "x_sum_key", "x_ref_key", "x_build_value", "x_content_sketch", "x_package_digest",
	"x_content_problem", "x_symbol", "x_content_scan", "x_ref", "x_value_set"}

// families are the tables of families of formats, by the column that says whose rows they are, which
// is their first.
var families = sync.OnceValue(func() map[string][]*family.Layout {
	all := map[string][]*family.Layout{}
	last := &family.Layout{}
	for _, c := range layout.Columns() {
		switch {
		case slices.Contains(apart, c.Table):
		case c.Name == "content_id" && c.To == "x_content", c.Name == "set_id" && c.To == "x_value_set":
			last = &family.Layout{Table: c.Table, OfSet: c.Name == "set_id"}
			all[c.Name] = append(all[c.Name], last)
		case c.Table == last.Table:
			last.Columns = append(last.Columns, family.ColumnLayout{Name: c.Name, Kind: kinds[c.To]})
		}
	}
	return all
})

// batches returns the rows of families that owners have, by owner; nil for those without any. Their
// ids are in the column owner of tables.
func (c *reader) batches(ctx context.Context, owner string, ids []int64) (map[int64]*family.Batch, error) {
	all := map[int64]*family.Batch{}
	makers := map[int64]*maker{}
	for _, l := range families()[owner] {
		columns := []string{"src.a"}
		for _, column := range l.Columns {
			columns = append(columns, "t."+column.Name)
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
