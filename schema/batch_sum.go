package schema

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"slices"
)

// insertSums remembers which stored bytes the contents of the batch were decoded
// from. A sum that is the start of the content's own hash finds it without.
func (t *batchTx) insertSums(b *batch) error {
	rows := sorted(b, func(e *Entry) bool {
		return e.HasContent && e.Sum != nil && !bytes.HasPrefix(e.Content[:], e.Sum)
	})
	for _, e := range rows {
		if err := t.addWords(e.Method); err != nil {
			return err
		}
	}
	return t.insert("INSERT OR IGNORE INTO stored_sum (sum, method_id, stored, encrypted, content_id) SELECT a, c, d, e, f FROM src",
		len(rows), func(row, col int) driver.Value {
			if col == 5 {
				return rows[row].contentID
			}
			return t.sumColumn(rows[row], row, col)
		})
}

// findClaimed gives entries that were not read the contents that their sums are
// known to stand for.
func (t *batchTx) findClaimed(b *batch) error {
	rows := sorted(b, func(e *Entry) bool { return e.Claimed && e.Sum != nil })
	for _, e := range rows {
		if err := t.addWords(e.Method); err != nil {
			return err
		}
	}
	return t.find(`SELECT src.b, s.content_id FROM src
		CROSS JOIN stored_sum s ON s.sum = src.a AND s.method_id = src.c AND s.stored = src.d AND s.encrypted = src.e
		CROSS JOIN content c ON c.content_id = s.content_id
		WHERE c.size = src.f`, len(rows),
		func(row, col int) driver.Value {
			if col == 5 {
				return rows[row].Size
			}
			return t.sumColumn(rows[row], row, col)
		},
		func(row int, id int64) { rows[row].contentID = id })
}

// sumColumn is a column of the key that stored bytes are known by.
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
	}
	return e.Flags & 1
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
