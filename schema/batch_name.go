package schema

import (
	"database/sql/driver"
	"strings"
	"unicode/utf8"
)

// nameFrom says that a name is a text and the rest of a path without its extension,
// from a character on. Of a million packages that is a text for each folder at most,
// in place of a million names.
type nameFrom struct {
	root  string
	start int64 // 1: the first character, as substr of SQL counts
	found bool
}

// nameIn returns where a name is in a path: the file's name at least must be in it.
func nameIn(path, name string) nameFrom {
	prefix, base := SplitPath(path)
	dot := strings.LastIndexByte(base, '.') // as Ext has it, which keeps the number of letters
	if dot <= 0 || strings.IndexByte(path, 0) >= 0 {
		return nameFrom{}
	}
	stem := path[:len(prefix)+dot]
	n := 0
	for n < min(len(stem), len(name)) && stem[len(stem)-1-n] == name[len(name)-1-n] {
		n++
	}
	for n > 0 && !utf8.RuneStart(stem[len(stem)-n]) { // a letter is not cut
		n--
	}
	if n < dot {
		return nameFrom{}
	}
	return nameFrom{root: name[:len(name)-n], start: int64(utf8.RuneCountInString(stem[:len(stem)-n])) + 1, found: true}
}

// insertTexts adds the texts that are new.
func (t *batchTx) insertTexts(b *batch) error {
	return t.insertNumbered("INSERT INTO name (name) SELECT a FROM src", b.firstText, len(b.newTexts),
		func(row, _ int) driver.Value { return b.newTexts[row] })
}

// insertPlaceSymbols stores what entries are called by where they lie.
func (t *batchTx) insertPlaceSymbols(b *batch) error {
	type row struct {
		e *Entry
		s *Symbol
	}
	var rows []row
	for i := range b.entries {
		e := &b.entries[i]
		for j := range e.PlaceSymbols {
			s := &e.PlaceSymbols[j]
			words := []string{s.Space}
			if s.from.found {
				words = append(words, s.from.root)
			}
			if err := t.addWords(words...); err != nil {
				return err
			}
			rows = append(rows, row{e, s})
		}
	}
	return t.insert("INSERT OR IGNORE INTO entry_symbol (lineage_id, row, space_id, key, name_id, root_id, start) SELECT a, b, c, d, e, f, g FROM src",
		len(rows), func(i, col int) driver.Value {
			switch r := rows[i]; col {
			case 0:
				return r.e.lineage
			case 1:
				return r.e.row
			case 2:
				return t.words[r.s.Space]
			case 3:
				return r.s.Key
			case 4:
				return orNull(r.s.nameID, r.s.nameID != 0)
			case 5:
				return orNull(t.words[r.s.from.root], r.s.from.found)
			default:
				return orNull(r.s.from.start, r.s.from.found)
			}
		})
}
