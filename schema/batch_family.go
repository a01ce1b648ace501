package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"pakdb/codecs/family"
)

// familyIDs are the ids of what the rows of a family name by position.
type familyIDs struct{ words, texts, paths []int64 }

// addFamilyWords adds the words that a content's rows name.
func (t *batchTx) addFamilyWords(f *Facts) error {
	if f.Family == nil {
		return nil
	}
	f.ids.words = make([]int64, len(f.Family.Words))
	for i, word := range f.Family.Words {
		id, err := t.word(word)
		if err != nil {
			return err
		}
		f.ids.words[i] = id
	}
	return nil
}

// familyRows are the rows of one content in a table of its family.
type familyRows struct {
	family.Rows
	content int64
	ids     *familyIDs
	first   int // place of the first among the rows of all contents
	end     int // place behind the last
}

// familyTable is the rows of all contents of a batch in one table.
type familyTable struct {
	layout *family.Layout
	parts  []familyRows // never empty, nor is any of them
	part   int          // in which the row was that was asked for last
}

// insertFamilies stores the rows that only families of formats have, table by
// table.
func (t *batchTx) insertFamilies(facts []*Entry) error {
	for _, table := range familyTables(facts) {
		err := t.insert(familyInsert(table.layout), table.parts[len(table.parts)-1].end, table.value)
		if err != nil {
			return fmt.Errorf("%s: %w", table.layout.Table, err)
		}
	}
	return nil
}

// familyTables gathers rows by table. Tables are in the order in which contents
// have them.
func familyTables(facts []*Entry) (tables []*familyTable) {
	byName := map[string]*familyTable{}
	for _, e := range facts {
		if e.Facts.Family == nil {
			continue
		}
		for _, rows := range e.Facts.Family.Rows {
			if rows.Len() == 0 {
				continue
			}
			table := byName[rows.Layout().Table]
			if table == nil {
				table = &familyTable{layout: rows.Layout()}
				byName[table.layout.Table], tables = table, append(tables, table)
			}
			table.add(familyRows{Rows: rows, content: e.contentID, ids: &e.Facts.ids})
		}
	}
	return tables
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
		return r.content
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
	return r.ids.of(kind)[at]
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

func (ids *familyIDs) of(kind family.Kind) []int64 {
	switch kind {
	case family.Word:
		return ids.words
	case family.Text:
		return ids.texts
	default:
		return ids.paths
	}
}

// familyInsert returns the statement that fills a table.
func familyInsert(l *family.Layout) string {
	into, from := []string{"content_id"}, []string{"a"}
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
func factTables(ctx context.Context, tx *sql.Tx) ([]string, error) {
	return FirstTexts(ctx, tx, `SELECT m.name
		FROM sqlite_schema m
		JOIN pragma_foreign_key_list(m.name) f
		WHERE m.type = 'table' AND f."table" = 'content' AND f."from" = 'content_id'
			AND m.name NOT IN ('entry_row', 'content_key', 'content_sketch', 'sum_key')
		ORDER BY m.rowid`)
}

// usedBy returns a query for the ids of table that rows of the given tables refer
// to; table is one of dir, name, path and word.
func usedBy(ctx context.Context, tx *sql.Tx, table string, tables []string) (string, error) {
	var queries []string
	for _, t := range tables {
		columns, err := FirstTexts(ctx, tx, `SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = ? ORDER BY id DESC`, t, table)
		if err != nil {
			return "", err
		}
		for _, c := range columns {
			queries = append(queries, "SELECT "+c+" FROM "+t+" WHERE "+c+" IS NOT NULL")
		}
	}
	return strings.Join(queries, " UNION "), nil
}

// FirstTexts returns the first column of the rows of a query, which are texts. db is a
// database or a transaction.
func FirstTexts(ctx context.Context, db querier, query string, args ...any) (texts []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	return texts, rows.Err()
}
