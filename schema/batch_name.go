package schema

import (
	"cmp"
	"database/sql/driver"
	"slices"
	"strings"
)

// NameKey returns the key of a text in table name_key, and in the symbols and
// references that go by names: the first 8 bytes of the BLAKE3 of the
// lower-cased text, little-endian, signed.
func NameKey(name string) int64 { return keyOfPath(strings.ToLower(name)).key() }

// wantedName is a text that needs an id in table name.
type wantedName struct {
	text string
	key  pathKey // of the text as it is
	id   *int64
}

// wantedNames lists the texts of the batch in the order that decides their ids.
func wantedNames(b *batch, facts []*Entry) (wanted []wantedName) {
	add := func(text string, id *int64) {
		if text != "" {
			wanted = append(wanted, wantedName{text, keyOfPath(text), id})
		}
	}
	for i := range b.entries {
		for j := range b.entries[i].PlaceSymbols {
			s := &b.entries[i].PlaceSymbols[j]
			add(s.Name, &s.nameID)
		}
	}
	for _, e := range facts {
		for i := range e.Facts.Symbols {
			add(e.Facts.Symbols[i].Name, &e.Facts.Symbols[i].nameID)
		}
		for i := range e.Facts.Refs {
			add(e.Facts.Refs[i].Name, &e.Facts.Refs[i].nameID)
		}
		for i := range e.Facts.Scripts {
			add(e.Facts.Scripts[i].Path, &e.Facts.Scripts[i].nameID)
		}
		if p := e.Facts.Package; p != nil {
			p.ids = make([]int64, len(p.Texts))
			for i, text := range p.Texts { // the empty one included: names may be
				wanted = append(wanted, wantedName{text, keyOfPath(text), &p.ids[i]})
			}
		}
	}
	return wanted
}

// poolNames gives every text its id.
func (t *batchTx) poolNames(wanted []wantedName) error {
	if err := t.findNames(wanted); err != nil {
		return err
	}
	var fresh []wantedName
	for _, n := range wanted {
		var isNew bool
		if *n.id, isNew = t.names.id(n.key); isNew {
			fresh = append(fresh, n)
		}
	}
	keys := make([]keyRow, len(fresh))
	for i, n := range fresh {
		keys[i] = keyRow{NameKey(n.text), *n.id}
	}
	sorted := sortKeys(keys)
	err := t.insert("INSERT INTO name (name_id, name) SELECT a, b FROM src", len(fresh),
		func(row, col int) driver.Value {
			if col == 0 {
				return *fresh[row].id
			}
			return fresh[row].text
		})
	<-sorted
	if err != nil {
		return err
	}
	return t.insertKeys("INSERT INTO name_key (key, name_id) SELECT a, b FROM src", keys)
}

// findNames looks up texts that may be in the catalog from before, in key order
// so that neighbouring keys share pages.
func (t *batchTx) findNames(wanted []wantedName) error {
	if t.names.all {
		return nil
	}
	type miss struct {
		wantedName
		folded int64
	}
	var misses []miss
	asked := map[pathKey]bool{}
	for _, n := range wanted {
		if t.names.ids[n.key] == 0 && !asked[n.key] {
			asked[n.key] = true
			misses = append(misses, miss{n, NameKey(n.text)})
		}
	}
	slices.SortFunc(misses, func(a, b miss) int { return cmp.Compare(a.folded, b.folded) })
	return t.find(`SELECT src.b, k.name_id FROM src
		CROSS JOIN name_key k ON k.key = src.a
		CROSS JOIN name n ON n.name_id = k.name_id
		WHERE n.name = src.c`, len(misses),
		func(row, col int) driver.Value {
			switch col {
			case 0:
				return misses[row].folded
			case 1:
				return int64(row)
			}
			return misses[row].text
		},
		func(row int, id int64) { t.names.ids[misses[row].key] = id })
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
	return t.insert("INSERT OR IGNORE INTO entry_symbol (archive_id, ordinal, space_id, key, name_id) SELECT a, b, c, d, e FROM src",
		len(rows), func(i, col int) driver.Value {
			switch r := rows[i]; col {
			case 0:
				return r.e.archive
			case 1:
				return r.e.Ordinal
			case 2:
				return t.words[r.s.Space]
			case 3:
				return r.s.Key
			default:
				return orNull(r.s.nameID, r.s.nameID != 0)
			}
		})
}

// usedNames selects the names that something has.
const usedNames = `SELECT name_id FROM package_name
	UNION SELECT class_package_id FROM package_import UNION SELECT class_id FROM package_import
	UNION SELECT object_id FROM package_import
	UNION SELECT outer_path_id FROM package_import WHERE outer_path_id IS NOT NULL
	UNION SELECT class_id FROM package_export UNION SELECT object_id FROM package_export
	UNION SELECT super_id FROM package_export WHERE super_id IS NOT NULL
	UNION SELECT outer_path_id FROM package_export WHERE outer_path_id IS NOT NULL
	UNION SELECT name_id FROM package WHERE name_id IS NOT NULL
	UNION SELECT name_id FROM symbol WHERE name_id IS NOT NULL
	UNION SELECT name_id FROM ref WHERE name_id IS NOT NULL
	UNION SELECT name_id FROM entry_symbol WHERE name_id IS NOT NULL
	UNION SELECT name_id FROM script_object`
