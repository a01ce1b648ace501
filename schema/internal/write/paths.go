package write

import (
	"strings"

	"pakdb/schema/internal/record"
)

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
