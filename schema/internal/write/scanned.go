package write

import (
	"database/sql/driver"
	"slices"

	"pakdb/schema/internal/record"
)

// replaceScanned stores what searches found, in place of what earlier ones did.
func replaceScanned(t *tx, found []record.Scanned) error {
	var rows []*Row
	for _, s := range found {
		rows = append(rows, &Row{ContentID: s.Content, Entry: record.Entry{Facts: &record.Facts{Scanned: s.Refs}}})
		if err := addFactWords(t, rows[len(rows)-1]); err != nil {
			return err
		}
	}
	value := func(row, col int) driver.Value {
		if col == 0 {
			return found[row].Content
		}
		return found[row].Known
	}
	for _, query := range []string{
		"DELETE FROM x_ref WHERE seq >= 1 << 32 AND content_id IN (SELECT a FROM src)",
		"UPDATE x_content_scan SET known = src.b FROM src WHERE content_id = src.a",
	} {
		if err := t.exec(query, len(found), value); err != nil {
			return err
		}
	}
	if err := scannedRefs.insert(t, factRows(rows, countScanned)); err != nil {
		return err
	}
	var keys []Key
	for _, r := range rows {
		keys = appendRefs(keys, r)
	}
	sortKeys(keys)
	return refKeys.insert(t, pointers(keys))
}

// updateScans stores what contents were found to hold that are in the catalog
// already, where they were searched for other ids then.
func updateScans(t *tx, b *Batch) error {
	stored := slices.DeleteFunc(b.Stored, func(r *Row) bool { return r.Facts.Known == 0 })
	var found []record.Scanned
	err := t.find("SELECT src.b, 1 FROM src CROSS JOIN x_content_scan s ON s.content_id = src.a WHERE s.known <> src.c",
		len(stored), func(row, col int) driver.Value {
			switch r := stored[row]; col {
			case 0:
				return r.ContentID
			case 1:
				return int64(row)
			default:
				return r.Facts.Known
			}
		}, func(row int, _ int64) {
			r := stored[row]
			found = append(found, record.Scanned{Content: r.ContentID, Known: r.Facts.Known, Refs: r.Facts.Scanned})
		})
	if err != nil || len(found) == 0 {
		return err
	}
	return replaceScanned(t, found)
}
