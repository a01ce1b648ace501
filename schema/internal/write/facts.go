package write

import (
	"database/sql/driver"

	"pakdb/internal/search"
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
	return addFamilyWords(t, r.Facts.Family, &r.FactIDs)
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
