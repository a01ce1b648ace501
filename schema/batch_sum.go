package schema

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"slices"
)

// findClaimed gives entries that were not read the contents that their sums are
// known to stand for: those of entries that were read, or were given one so, and are
// stored alike. What other entries of the build decode to is found when it is
// published (links.sql).
func (t *batchTx) findClaimed(b *batch) error {
	rows := sorted(b, func(e *Entry) bool { return e.Claimed && e.Sum != nil })
	for _, e := range rows {
		if err := t.addWords(e.Method); err != nil {
			return err
		}
	}
	return t.find(`SELECT src.b, c.content_id FROM src
		CROSS JOIN sum_key k ON k.key = src.g
		CROSS JOIN content c ON c.content_id = k.content_id
		WHERE c.size = src.f
			AND EXISTS (SELECT 1 FROM entry_row r
				WHERE r.content_id = c.content_id AND r.sum = src.a AND r.method_id = src.c AND r.stored = src.d AND r.flags & 1 = src.e)`,
		len(rows),
		func(row, col int) driver.Value { return t.sumColumn(rows[row], row, col) },
		func(row int, id int64) { rows[row].contentID = id })
}

// sumColumn is a column of what stored bytes are known by.
func (t *batchTx) sumColumn(e *Entry, row, col int) driver.Value {
	switch col {
	case 0:
		return e.Sum
	case 1:
		return int64(row)
	case 2:
		return t.words[e.Method]
	case 3:
		return e.Stored
	case 4:
		return e.Flags & 1
	case 5:
		return e.Size
	}
	return sumKey(e.Sum)
}

// sorted returns the entries that are wanted, by their sums: neighbours share
// pages of the table.
func sorted(b *batch, wanted func(*Entry) bool) []*Entry {
	var rows []*Entry
	for i := range b.entries {
		if e := &b.entries[i]; wanted(e) {
			rows = append(rows, e)
		}
	}
	slices.SortStableFunc(rows, func(a, b *Entry) int {
		return cmp.Or(bytes.Compare(a.Sum, b.Sum), cmp.Compare(a.Stored, b.Stored))
	})
	return rows
}
