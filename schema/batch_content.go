package schema

import (
	"cmp"
	"database/sql/driver"
	"slices"
)

// insertContents gives every content of the batch an id, and stores the facts
// of those that are new or were inspected at another revision.
func (t *batchTx) insertContents(b *batch) error {
	if err := t.findContents(b); err != nil {
		return err
	}
	var rows []*Entry
	var keys []keyRow
	for i := range b.entries {
		e := &b.entries[i]
		if !e.HasContent {
			continue
		}
		var fresh bool
		if e.contentID, fresh = t.contents.id(e.Content); fresh {
			e.first = true
			rows = append(rows, e)
			keys = append(keys, keyRow{keyOfDigest(&e.Content), e.contentID})
		}
	}
	sorted := sortKeys(keys)
	err := t.insertContentRows(rows)
	<-sorted
	if err != nil {
		return err
	}
	return t.insertKeys("INSERT INTO content_key (key, content_id) SELECT a, b FROM src", keys)
}

func (t *batchTx) insertContentRows(rows []*Entry) error {
	for _, e := range rows {
		if e.Facts == nil {
			continue
		}
		if err := t.addWords(e.Facts.Kind, e.Facts.Inspector); err != nil {
			return err
		}
	}
	return t.insert("INSERT INTO content (content_id, hash, size, kind_id, inspected_id) SELECT a, b, c, d, e FROM src", len(rows),
		func(row, col int) driver.Value {
			e := rows[row]
			switch col {
			case 0:
				return e.contentID
			case 1:
				return e.Content[:]
			case 2:
				return e.ContentSize
			}
			if e.Facts == nil {
				return nil
			}
			if col == 3 {
				return t.words[e.Facts.Kind]
			}
			return t.words[e.Facts.Inspector]
		})
}

// findContents looks up contents that may be in the catalog from before.
func (t *batchTx) findContents(b *batch) error {
	if t.contents.all {
		return nil
	}
	var misses []*Entry
	for i := range b.entries {
		if e := &b.entries[i]; e.HasContent && t.contents.ids[e.Content] == 0 {
			misses = append(misses, e)
		}
	}
	slices.SortFunc(misses, func(a, b *Entry) int {
		return cmp.Compare(keyOfDigest(&a.Content), keyOfDigest(&b.Content))
	})
	return t.find(`SELECT src.b, k.content_id FROM src
		CROSS JOIN content_key k ON k.key = src.a
		CROSS JOIN content c ON c.content_id = k.content_id
		WHERE c.hash = src.c`, len(misses),
		func(row, col int) driver.Value {
			switch col {
			case 0:
				return keyOfDigest(&misses[row].Content)
			case 1:
				return int64(row)
			}
			return misses[row].Content[:]
		},
		func(row int, id int64) { t.contents.ids[misses[row].Content] = id })
}
