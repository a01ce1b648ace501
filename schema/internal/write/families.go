package write

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/family"
	"pakdb/schema/internal/layout"
)

// addFamilyWords adds the words that rows name.
func addFamilyWords(t *tx, f *family.Batch, ids *FactIDs) error {
	if f == nil {
		return nil
	}
	ids.Words = make([]int64, len(f.Words))
	for i, word := range f.Words {
		id, err := t.word(word)
		if err != nil {
			return err
		}
		ids.Words[i] = id
	}
	return nil
}

// familyRows are the rows of one content, or set of values, in a table of its family.
type familyRows struct {
	family.Rows
	owner int64
	ids   *FactIDs
	first int // place of the first among the rows of all contents
	end   int // place after the last
}

// familyTable is the rows of all contents of a batch in one table.
type familyTable struct {
	layout *family.Layout
	parts  []familyRows // never empty, nor is any of them
	part   int          // in which the row was that was asked for last
}

// insertFamilies stores the rows that only families of formats have, table by
// table.
func insertFamilies(t *tx, facts []*Row) error {
	all := familyTables{byName: map[string]*familyTable{}}
	for _, r := range facts {
		all.add(r.Facts.Family, r.ContentID, &r.FactIDs)
	}
	return all.insert(t)
}

// insert adds the rows to their tables.
func (all *familyTables) insert(t *tx) error {
	for _, table := range all.tables {
		err := t.exec(familyInsert(table.layout), table.parts[len(table.parts)-1].end, table.value)
		if err != nil {
			return fmt.Errorf("%s: %w", table.layout.Table, err)
		}
	}
	return nil
}

// familyTables gathers rows by table. Tables are in the order in which contents
// have them.
type familyTables struct {
	tables []*familyTable
	byName map[string]*familyTable
}

// add adds the rows of a content, or of a set of values.
func (all *familyTables) add(b *family.Batch, owner int64, ids *FactIDs) {
	if b == nil {
		return
	}
	for _, rows := range b.Rows {
		if rows.Len() == 0 {
			continue
		}
		table := all.byName[rows.Layout().Table]
		if table == nil {
			table = &familyTable{layout: rows.Layout()}
			all.byName[table.layout.Table], all.tables = table, append(all.tables, table)
		}
		table.add(familyRows{Rows: rows, owner: owner, ids: ids})
	}
}

func (t *familyTable) add(r familyRows) {
	if n := len(t.parts); n > 0 {
		r.first = t.parts[n-1].end
	}
	r.end = r.first + r.Len()
	t.parts = append(t.parts, r)
}

// value returns what a row has in a column of src: the content, the number of the
// row in it, and the columns of the layout. Rows are asked for one after the other.
func (t *familyTable) value(row, col int) driver.Value {
	r := t.rowsOf(row)
	switch col {
	case 0:
		return r.owner
	case 1:
		return int64(row - r.first)
	}
	row, col = row-r.first, col-2
	kind := t.layout.Columns[col].Kind
	if kind == family.Value {
		return r.Value(row, col)
	}
	at := r.Position(row, col)
	if at < 0 {
		return nil
	}
	return idsOf(r.ids, kind)[at]
}

// rowsOf returns the part in which a row is.
func (t *familyTable) rowsOf(row int) *familyRows {
	r := &t.parts[t.part]
	if row < r.first { // from the beginning
		t.part = 0
		r = &t.parts[0]
	}
	for row >= r.end {
		t.part++
		r = &t.parts[t.part]
	}
	return r
}

// idsOf returns the ids of what rows name by position in a column of a kind.
func idsOf(ids *FactIDs, kind family.Kind) []int64 {
	switch kind {
	case family.Word:
		return ids.Words
	case family.Text:
		return ids.Texts
	default:
		return ids.Paths
	}
}

// familyInsert returns the statement that fills a table.
func familyInsert(l *family.Layout) string {
	into, from := []string{"content_id"}, []string{"a"}
	if l.OfSet {
		into[0] = "set_id"
	}
	if l.Number != "" {
		into, from = append(into, l.Number), append(from, "b")
	}
	for i, c := range l.Columns {
		into, from = append(into, c.Name), append(from, string(rune('c'+i)))
	}
	verb := "INSERT"
	if l.Ignore {
		verb = "INSERT OR IGNORE"
	}
	return verb + " INTO " + l.Table + " (" + strings.Join(into, ", ") + ") SELECT " + strings.Join(from, ", ") + " FROM src"
}

// factTables returns the tables that hold facts of contents, whichever family they
// are of: those whose content_id refers to a content, but for those that say where
// contents are and what they are made of.
func factTables() (tables []string) {
	for _, c := range layout.Columns() {
		of := c.Name == "content_id" && c.To == "x_content"
		if of && !slices.Contains([]string{"x_entry_row", "x_content_key", "x_content_sketch", "x_sum_key"}, c.Table) {
			tables = append(tables, c.Table)
		}
	}
	return tables
}
