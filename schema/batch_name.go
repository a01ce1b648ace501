package schema

import "database/sql/driver"

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
			if err := t.addWords(e.PlaceSymbols[j].Space); err != nil {
				return err
			}
			rows = append(rows, row{e, &e.PlaceSymbols[j]})
		}
	}
	return t.insert("INSERT OR IGNORE INTO entry_symbol (lineage_id, row, space_id, key, name_id) SELECT a, b, c, d, e FROM src",
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
			default:
				return orNull(r.s.nameID, r.s.nameID != 0)
			}
		})
}
