package write

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"pakdb/schema/internal/record"
)

var entries = table[*Row]{name: "x_entry_row", verb: "INSERT OR FAIL", columns: []column[*Row]{
	number("lineage_id", func(r *Row) int64 { return r.Lineage }),
	number("row", func(r *Row) int64 { return r.Number }),
	number("since", func(r *Row) int64 { return r.Since }),
	number("print", func(r *Row) int64 { return r.Print }),
	maybeNumber("path_id", func(r *Row) (int64, bool) { return r.PathID, r.PathID != 0 }),
	maybeNumber("content_id", func(r *Row) (int64, bool) { return r.ContentID, r.ContentID != 0 }),
	number("stored", func(r *Row) int64 { return r.Stored }),
	number("size", func(r *Row) int64 { return r.Size }),
	word("method_id", func(r *Row) string { return r.Method }),
	number("flags", func(r *Row) int64 { return r.Flags }),
	maybeNumber("mtime", func(r *Row) (int64, bool) { return r.ModTime, r.HasTime }),
	maybeNumber("path_hash", func(r *Row) (int64, bool) { return int64(r.PathHash), r.HasPathHash }),
	maybeWord("type_id", func(r *Row) (string, bool) { return r.Type, r.Type != "" }),
	maybeNumber("id_hi", func(r *Row) (int64, bool) { return int64(r.ID[0]), r.IDBits > 64 }),
	maybeNumber("id_lo", func(r *Row) (int64, bool) { return int64(r.ID[1]), r.IDBits > 0 }),
	maybeNumber("id_bits", func(r *Row) (int64, bool) { return r.IDBits, r.IDBits > 0 }),
	bytesOf("sum", func(r *Row) []byte { return r.Sum }),
	bytesOf("padded", func(r *Row) []byte {
		if !r.HasPadded {
			return nil
		}
		return r.Padded[:]
	}),
}}

// places say where the entries of an archive lie.
var places = table[*Located]{name: "x_archive_place", columns: []column[*Located]{
	number("archive_id", func(p *Located) int64 { return p.Archive }),
	number("row", func(p *Located) int64 { return p.Row }),
	number("ordinal", func(p *Located) int64 { return p.Ordinal }),
	number("step", func(p *Located) int64 { return p.Step }),
	bytesOf("offsets", func(p *Located) []byte { return p.Offsets }),
}}

// insertEntries ends the rows that editions do not have, and adds those that they bring.
func insertEntries(t *tx, b *Batch) error {
	if err := t.endRows("x_entry_row", "row", b.Ended); err != nil {
		return err
	}
	if err := entries.insert(t, pointers(b.Rows)); err != nil {
		return err
	}
	if err := copyMoved(t, b.Moved); err != nil {
		return err
	}
	return places.insert(t, pointers(b.Located))
}

// endRows ends rows that hold in the edition before, of which a column has their number.
func (t *tx) endRows(table, row string, ended []Ended) error {
	query := fmt.Sprintf("UPDATE %s SET until = src.c FROM src WHERE lineage_id = src.a AND %s = src.b AND until = 0", table, row)
	return t.exec(query, len(ended), func(row, col int) driver.Value {
		e := &ended[row]
		return [...]int64{e.Lineage, e.Row, e.Edition}[col]
	})
}

// copyMoved gives rows what goes with others.
func copyMoved(t *tx, moved []Moved) error {
	for _, table := range []struct{ name, columns string }{
		{"x_entry_symbol", "space_id, key, name_id, root_id, start"},
		{"x_value_entry", "path_id, header, name_id, root_id, start"},
	} {
		query := fmt.Sprintf("INSERT INTO %s (lineage_id, row, %s) SELECT src.a, src.c, %[2]s FROM src CROSS JOIN %[1]s o ON o.lineage_id = src.a AND o.row = src.b",
			table.name, table.columns)
		err := t.exec(query, len(moved), func(row, col int) driver.Value {
			m := &moved[row]
			return [...]int64{m.Lineage, m.From, m.To}[col]
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var dirs = table[string]{name: "x_dir", columns: []column[string]{
	text("prefix", func(prefix string) string { return prefix }),
	text("dir", func(prefix string) string {
		if len(prefix) == 1 {
			return prefix
		}
		return strings.TrimSuffix(prefix, "/")
	}),
}}

var paths = table[*Path]{name: "x_path", columns: []column[*Path]{
	number("dir_id", func(p *Path) int64 { return p.Dir }),
	text("name", func(p *Path) string { return p.Name }),
	word("ext_id", func(p *Path) string { return p.Ext }),
}}

var texts = table[string]{name: "x_name", columns: []column[string]{
	text("name", func(s string) string { return s }),
}}

// insertPaths adds the folders, paths and texts that are new.
func insertPaths(t *tx, b *Batch) error {
	if err := dirs.insertNumbered(t, b.FirstDir, b.NewDirs); err != nil {
		return err
	}
	if err := paths.insertNumbered(t, b.FirstPath, pointers(b.NewPaths)); err != nil {
		return err
	}
	return texts.insertNumbered(t, b.FirstText, b.NewTexts)
}

// named is a symbol that an entry's name, or its place, defines.
type named struct {
	row    *Row
	symbol *record.Symbol
	place  *Place // nil for one that the name alone defines
}

var pathSymbols = table[named]{name: "x_path_symbol", verb: "INSERT OR IGNORE", columns: []column[named]{
	number("path_id", func(n named) int64 { return n.row.PathID }),
	word("space_id", func(n named) string { return n.symbol.Space }),
	number("key", func(n named) int64 { return n.symbol.Key }),
}}

var entrySymbols = table[named]{name: "x_entry_symbol", verb: "INSERT OR IGNORE", columns: []column[named]{
	number("lineage_id", func(n named) int64 { return n.row.Lineage }),
	number("row", func(n named) int64 { return n.row.Number }),
	word("space_id", func(n named) string { return n.symbol.Space }),
	number("key", func(n named) int64 { return n.symbol.Key }),
	maybeNumber("name_id", func(n named) (int64, bool) { return n.place.NameID, n.place.NameID != 0 }),
	maybeWord("root_id", func(n named) (string, bool) { return n.place.From.Root, n.place.From.Found }),
	maybeNumber("start", func(n named) (int64, bool) { return n.place.From.Start, n.place.From.Found }),
}}

// insertNamed stores what names define by themselves, and what entries are called by
// where they lie.
func insertNamed(t *tx, b *Batch) error {
	var byName, byPlace []named
	for i := range b.Rows {
		r := &b.Rows[i]
		for j := range r.Symbols {
			byName = append(byName, named{r, &r.Symbols[j], nil})
		}
		for j := range r.PlaceSymbols {
			byPlace = append(byPlace, named{r, &r.PlaceSymbols[j], &r.Places[j]})
		}
	}
	if err := pathSymbols.insert(t, byName); err != nil {
		return err
	}
	return entrySymbols.insert(t, byPlace)
}
