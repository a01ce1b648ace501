package write

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/family"
	"pakdb/internal/search"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
)

// fact is the i-th row that a content's facts have in some table.
type fact struct {
	row *Row
	i   int
}

func (f fact) content() int64 { return f.row.ContentID }
func (f fact) seq() int64     { return int64(f.i) }

// factRows lists the rows that contents have in a table, each as many as count says.
func factRows(rows []*Row, count func(*record.Facts) int) (all []fact) {
	for _, r := range rows {
		for i := range count(r.Facts) {
			all = append(all, fact{r, i})
		}
	}
	return all
}

func (f fact) problem() *record.Problem { return &f.row.Facts.Problems[f.i] }
func (f fact) symbol() *record.Symbol   { return &f.row.Facts.Symbols[f.i] }
func (f fact) ref() *record.Ref         { return &f.row.Facts.Refs[f.i] }
func (f fact) scanned() *record.Ref     { return &f.row.Facts.Scanned[f.i] }

var contentProblems = table[fact]{name: "x_content_problem", columns: []column[fact]{
	number("content_id", fact.content),
	number("seq", fact.seq),
	text("field", func(f fact) string { return f.problem().Field }),
	maybeNumber("offset", func(f fact) (int64, bool) { return place(f.problem().Offset) }),
	text("cause", func(f fact) string { return f.problem().Cause }),
}}

var symbols = table[fact]{name: "x_symbol", columns: []column[fact]{
	number("content_id", fact.content),
	number("seq", fact.seq),
	word("space_id", func(f fact) string { return f.symbol().Space }),
	number("key", func(f fact) int64 { return f.symbol().Key }),
	maybeNumber("path_id", func(f fact) (int64, bool) { return given(f.row.FactIDs.SymbolPaths[f.i]) }),
	maybeNumber("name_id", func(f fact) (int64, bool) { return given(f.row.FactIDs.SymbolNames[f.i]) }),
}}

var refs = table[fact]{name: "x_ref", columns: []column[fact]{
	number("content_id", fact.content),
	number("seq", fact.seq),
	word("kind_id", func(f fact) string { return f.ref().Kind }),
	word("space_id", func(f fact) string { return f.ref().Space }),
	number("key", func(f fact) int64 { return f.ref().Key }),
	number("flags", func(f fact) int64 { return f.ref().Flags }),
	maybeNumber("name_id", func(f fact) (int64, bool) { return given(f.row.FactIDs.RefNames[f.i]) }),
}}

// scannedRefs are what searches found. The sequence numbers of such references begin at
// 1 << 32: those that were parsed come before.
var scannedRefs = table[fact]{name: "x_ref", columns: []column[fact]{
	number("content_id", fact.content),
	number("seq", func(f fact) int64 { return f.seq() + 1<<32 }),
	word("kind_id", func(f fact) string { return f.scanned().Kind }),
	word("space_id", func(f fact) string { return f.scanned().Space }),
	number("key", func(f fact) int64 { return f.scanned().Key }),
	number("flags", func(f fact) int64 { return f.scanned().Flags }),
}}

var scans = table[fact]{name: "x_content_scan", columns: []column[fact]{
	number("content_id", fact.content),
	word("spec_id", func(f fact) string { return f.row.Facts.Scan }),
	number("known", func(f fact) int64 { return f.row.Facts.Known }),
}}

// given returns an id, NULL for none.
func given(id int64) (int64, bool) { return id, id != 0 }

// insertFacts stores what the inspectors found. Words get their ids content by content,
// before there is a statement.
func insertFacts(t *tx, b *Batch) error {
	for _, r := range b.Due {
		if err := addFactWords(t, r); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		into  *table[fact]
		count func(*record.Facts) int
	}{
		{&contentProblems, func(f *record.Facts) int { return len(f.Problems) }},
		{&symbols, func(f *record.Facts) int { return len(f.Symbols) }},
		{&refs, func(f *record.Facts) int { return len(f.Refs) }},
		{&scans, func(f *record.Facts) int { return int(Flag(f.Scan != "")) }},
		{&scannedRefs, countScanned},
	} {
		if err := part.into.insert(t, factRows(b.Due, part.count)); err != nil {
			return err
		}
	}
	if err := noteDue(t, b.Due); err != nil {
		return err
	}
	return insertFamilies(t, b.Due)
}

// noteDue notes for the search index which contents it has without these facts.
func noteDue(t *tx, rows []*Row) error {
	var ids []int64
	for _, r := range rows {
		if r.ContentID <= t.search {
			ids = append(ids, r.ContentID)
		}
	}
	return search.Due(t, t.sql, ids)
}

func countScanned(f *record.Facts) int { return len(f.Scanned) }

func addFactWords(t *tx, r *Row) error {
	f := r.Facts
	if f.Scan != "" {
		if err := t.addWords(f.Scan); err != nil {
			return err
		}
	}
	for i := range f.Symbols {
		if err := t.addWords(f.Symbols[i].Space); err != nil {
			return err
		}
	}
	for _, refs := range [][]record.Ref{f.Refs, f.Scanned} {
		for i := range refs {
			if err := t.addWords(refs[i].Kind, refs[i].Space); err != nil {
				return err
			}
		}
	}
	return addFamilyWords(t, r.Facts.Family, r.FactIDs)
}

// removeFacts makes room for the facts of contents that were inspected in another
// way before. Digests and values of packages stay when the facts alone are replaced.
func removeFacts(t *tx, b *Batch) error {
	rows := b.Again
	if len(rows) == 0 {
		return nil
	}
	for _, r := range rows {
		if err := t.addWords(r.Facts.Kind, r.Facts.Inspector); err != nil {
			return err
		}
	}
	value := func(row, col int) driver.Value {
		switch r := rows[row]; col {
		case 0:
			return r.ContentID
		case 1:
			return t.words[r.Facts.Kind]
		default:
			return t.words[r.Facts.Inspector]
		}
	}
	if err := deleteFacts(t, rows, b.Replaced != nil); err != nil {
		return err
	}
	return t.exec("UPDATE x_content SET kind_id = src.b, inspected_id = src.c FROM src WHERE content_id = src.a", len(rows), value)
}

// deleteFacts deletes the facts of contents. Most were met under a name by which no
// inspector took them, and have none: that costs less to ask than forty statements.
func deleteFacts(t *tx, rows []*Row, replaced bool) error {
	var had []*Row
	err := t.find("SELECT src.b, c.content_id FROM src CROSS JOIN x_content c ON c.content_id = src.a WHERE c.inspected_id IS NOT NULL", len(rows),
		func(row, col int) driver.Value {
			if col == 0 {
				return rows[row].ContentID
			}
			return int64(row)
		}, func(row int, _ int64) { had = append(had, rows[row]) })
	if err != nil || len(had) == 0 {
		return err
	}
	found := false
	for _, table := range factTables() {
		if replaced && (table == "x_package_digest" || table == "x_value_set") {
			continue
		}
		n, err := t.execCounted("DELETE FROM "+table+" WHERE content_id IN (SELECT a FROM src)", len(had),
			func(row, _ int) driver.Value { return had[row].ContentID })
		if err != nil {
			return err
		}
		found = found || n > 0
	}
	if found { // paths and names that nothing else may have
		_, err = t.sql.ExecContext(t, "INSERT OR IGNORE INTO x_removed (kind, id) VALUES (2, 0), (3, 0)")
	}
	return err
}

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
		all.add(r.Facts.Family, r.ContentID, r.FactIDs)
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

// replaceScanned stores what searches found, in place of what earlier ones did.
func replaceScanned(t *tx, found []record.Scanned) error {
	var rows []*Row
	for _, s := range found {
		rows = append(rows, &Row{ContentID: s.Content, Entry: record.Entry{Facts: &record.Facts{Scanned: s.Refs}}})
		if err := addFactWords(t, rows[len(rows)-1]); err != nil {
			return err
		}
	}
	value := func(row, col int) driver.Value {
		if col == 0 {
			return found[row].Content
		}
		return found[row].Known
	}
	for _, query := range []string{
		"DELETE FROM x_ref WHERE seq >= 1 << 32 AND content_id IN (SELECT a FROM src)",
		"UPDATE x_content_scan SET known = src.b FROM src WHERE content_id = src.a",
	} {
		if err := t.exec(query, len(found), value); err != nil {
			return err
		}
	}
	if err := scannedRefs.insert(t, factRows(rows, countScanned)); err != nil {
		return err
	}
	var keys []Key
	for _, r := range rows {
		keys = appendRefs(keys, r)
	}
	sortKeys(keys)
	return refKeys.insert(t, pointers(keys))
}

// updateScans stores what contents were found to hold that are in the catalog
// already, where they were searched for other ids then.
func updateScans(t *tx, b *Batch) error {
	stored := slices.DeleteFunc(b.Stored, func(r *Row) bool { return r.Facts.Known == 0 })
	var found []record.Scanned
	err := t.find("SELECT src.b, 1 FROM src CROSS JOIN x_content_scan s ON s.content_id = src.a WHERE s.known <> src.c",
		len(stored), func(row, col int) driver.Value {
			switch r := stored[row]; col {
			case 0:
				return r.ContentID
			case 1:
				return int64(row)
			default:
				return r.Facts.Known
			}
		}, func(row int, _ int64) {
			r := stored[row]
			found = append(found, record.Scanned{Content: r.ContentID, Known: r.Facts.Known, Refs: r.Facts.Scanned})
		})
	if err != nil || len(found) == 0 {
		return err
	}
	return replaceScanned(t, found)
}
