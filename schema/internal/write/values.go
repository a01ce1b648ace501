package write

import (
	"database/sql/driver"
	"fmt"
	"slices"
)

// set is a set of values on its way to the catalog.
type set struct {
	*Row
	id int64
}

var valueSets = table[set]{name: "x_value_set", columns: []column[set]{
	number("set_id", func(s set) int64 { return s.id }),
	maybeNumber("content_id", func(s set) (int64, bool) { return given(s.ContentID) }),
	maybeNumber("mapping_id", func(s set) (int64, bool) { return given(s.Exports.Mapping) }),
	number("header", func(s set) int64 { return s.ExportsOf.Header }),
	number("context", func(s set) int64 { return s.Values.Context }),
	word("reader_id", func(s set) string { return s.Values.Reader }),
	number("engine", func(s set) int64 { return s.Values.Engine }),
	number("traits", func(s set) int64 { return s.Values.Traits }),
	number("exports", func(s set) int64 { return s.Values.Exports }),
	number("exact", func(s set) int64 { return s.Values.Exact }),
	number("tailed", func(s set) int64 { return s.Values.Tailed }),
	number("lost", func(s set) int64 { return s.Values.Lost }),
	number("fields", func(s set) int64 { return s.Values.Fields }),
	number("opaque", func(s set) int64 { return s.Values.Opaque }),
	number("guessed", func(s set) int64 { return s.Values.Guessed }),
	number("bytes", func(s set) int64 { return s.Values.Bytes }),
	number("opaque_bytes", func(s set) int64 { return s.Values.OpaqueBytes }),
	number("tail_bytes", func(s set) int64 { return s.Values.TailBytes }),
	number("missing", func(s set) int64 { return s.Values.Missing }),
	maybeNumber("missing_id", func(s set) (int64, bool) { return given(s.Exports.Missing) }),
}}

// insertValues stores the values of exports, unless the catalog has them, and which
// entries hold these. Entries without values are passed over: that a package is split
// is not known of one that was met before.
func insertValues(t *tx, b *Batch) error {
	var entries []*Row
	for i := range b.Rows {
		if r := &b.Rows[i]; r.ExportsOf != nil && r.ContentID != 0 {
			entries = append(entries, r)
		}
	}
	replaced, err := removeReplaced(t, b)
	if err != nil {
		return err
	}
	sets, err := newSets(t, slices.Concat(entries, b.Sets, replaced))
	if err != nil {
		return err
	}
	if err := valueSets.insert(t, sets); err != nil {
		return err
	}
	all := familyTables{byName: map[string]*familyTable{}}
	for _, s := range sets {
		if err := addFamilyWords(t, s.Values.Rows, s.Exports.Values); err != nil {
			return err
		}
		all.add(s.Values.Rows, s.id, s.Exports.Values)
	}
	if err := all.insert(t); err != nil {
		return err
	}
	if err := insertValueEntries(t, entries); err != nil {
		return err
	}
	return holdSets(t, b)
}

// removeReplaced removes the values in place of which there are others, and returns the
// rows that have these.
func removeReplaced(t *tx, b *Batch) (rows []*Row, err error) {
	for _, r := range b.Replaced {
		if r.Values != nil {
			rows = append(rows, r)
		}
	}
	return rows, t.exec("DELETE FROM x_value_set WHERE header = 0 AND context = 0 AND content_id IN (SELECT a FROM src)", len(rows),
		func(row, _ int) driver.Value { return rows[row].ContentID })
}

// holdSets notes that sets hold in the build of a batch.
func holdSets(t *tx, b *Batch) error {
	if b.Build == 0 {
		return nil
	}
	query := fmt.Sprintf("INSERT OR IGNORE INTO x_build_value (build_id, set_id) SELECT %d, v.set_id FROM src CROSS JOIN x_value_set v ON %s", b.Build, sameSet)
	return t.exec(query, len(b.Sets), func(row, col int) driver.Value { return setKey(t, b.Sets[row], row, col) })
}

// sameSet finds a set by what [setKey] has.
const sameSet = "v.content_id = src.a AND v.header = src.c AND v.context = src.d"

func setKey(t *tx, r *Row, row, col int) driver.Value {
	return [...]int64{r.ContentID, int64(row), r.ExportsOf.Header, r.Values.Context, t.words[r.Values.Reader]}[col]
}

func insertValueEntries(t *tx, entries []*Row) error {
	if t.sets == 0 { // nothing has values, as with --without values: entries are packages nevertheless
		return nil
	}
	for _, r := range entries {
		if r.Exports.Place.From.Found {
			if err := t.addWords(r.Exports.Place.From.Root); err != nil {
				return err
			}
		}
	}
	return t.exec(`INSERT OR REPLACE INTO x_value_entry (lineage_id, row, path_id, header, name_id, root_id, start)
		SELECT a, b, c, d, e, f, g FROM src
		WHERE EXISTS (SELECT 1 FROM x_value_set v WHERE v.content_id = src.h AND v.header = src.d)`, len(entries),
		func(row, col int) driver.Value {
			r := entries[row]
			from := r.Exports.Place.From
			switch col {
			case 0:
				return r.Lineage
			case 1:
				return r.Number
			case 2:
				return orNull(given(r.Exports.Path))
			case 3:
				return r.ExportsOf.Header
			case 4:
				return orNull(given(r.Exports.Place.NameID))
			case 5:
				return orNull(t.words[from.Root], from.Found)
			case 6:
				return orNull(from.Start, from.Found)
			default:
				return r.ContentID
			}
		})
}

// newSets gives ids to the sets that the catalog does not have, and removes those that
// another revision of a reader made.
func newSets(t *tx, entries []*Row) (sets []set, err error) {
	type key struct{ content, mapping, header, context int64 }
	var rows []*Row
	seen := map[key]bool{}
	for _, r := range entries {
		if r.Values == nil {
			continue
		}
		if k := (key{r.ContentID, r.Exports.Mapping, r.ExportsOf.Header, r.Values.Context}); !seen[k] {
			seen[k] = true
			rows = append(rows, r)
		}
		if err := t.addWords(r.Values.Reader); err != nil {
			return nil, err
		}
	}
	value := func(row, col int) driver.Value { return setKey(t, rows[row], row, col) }
	err = t.exec("DELETE FROM x_value_set WHERE set_id IN (SELECT v.set_id FROM src CROSS JOIN x_value_set v ON "+sameSet+
		" WHERE v.reader_id <> src.e)", len(rows), value)
	if err != nil {
		return nil, err
	}
	stored := map[int]bool{}
	err = t.find("SELECT src.b, v.set_id FROM src CROSS JOIN x_value_set v ON "+sameSet, len(rows), value,
		func(row int, _ int64) { stored[row] = true })
	for i, r := range rows {
		if !stored[i] {
			t.sets++
			sets = append(sets, set{r, t.sets})
		}
	}
	return sets, err
}
