package schema

import "database/sql/driver"

// insertSketches stores what similar contents are recognised by. A sketch depends
// on the content alone, so one that is there stays.
func (t *batchTx) insertSketches(b *batch) error {
	var rows []*Entry
	for i := range b.entries {
		if e := &b.entries[i]; e.Sketch != nil && e.HasContent {
			rows = append(rows, e)
		}
	}
	return t.insert("INSERT OR IGNORE INTO content_sketch (content_id, sketch) SELECT a, b FROM src", len(rows),
		func(row, col int) driver.Value {
			if col == 0 {
				return rows[row].contentID
			}
			return rows[row].Sketch
		})
}
