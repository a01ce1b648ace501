package schema

import (
	"cmp"
	"database/sql/driver"
	"slices"
)

// insertContents gives every content of the batch an id. Of one that was known
// by the start of its hash alone, and has been read now, the rest is filled in.
func (t *batchTx) insertContents(b *batch) error {
	if err := t.findContents(b); err != nil {
		return err
	}
	var rows, read []*Entry
	var keys []keyRow
	for i := range b.entries {
		e := &b.entries[i]
		if !e.HasContent && !e.Stated {
			continue
		}
		var fresh bool
		e.contentID, fresh = t.contents.id(e.contentKey())
		_, stated := t.stated[e.contentID]
		switch {
		case fresh:
			e.first = true
			rows = append(rows, e)
			keys = append(keys, keyRow{keyOfDigest(&e.Content), e.contentID})
			if e.Stated {
				t.stated[e.contentID] = struct{}{}
			}
		case stated && e.HasContent:
			delete(t.stated, e.contentID)
			read = append(read, e)
		}
	}
	sorted := sortKeys(keys)
	err := t.insertContentRows(rows)
	<-sorted
	if err != nil {
		return err
	}
	if err := t.completeHashes(read); err != nil {
		return err
	}
	return t.insertKeys("INSERT INTO content_key (key, content_id) SELECT a, b FROM src", keys)
}

func (t *batchTx) completeHashes(read []*Entry) error {
	return t.insert("UPDATE content SET hash = src.b FROM src WHERE content_id = src.a", len(read),
		func(row, col int) driver.Value {
			if col == 0 {
				return read[row].contentID
			}
			return read[row].Content[:]
		})
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
				return e.hash()
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

// hash is as much of the content's hash as is known.
func (e *Entry) hash() []byte {
	if e.Stated {
		return e.Content[:StatedSize]
	}
	return e.Content[:]
}

// findContents looks up contents that may be in the catalog from before.
func (t *batchTx) findContents(b *batch) error {
	if t.contents.all {
		return nil
	}
	var misses []*Entry
	for i := range b.entries {
		if e := &b.entries[i]; (e.HasContent || e.Stated) && t.contents.ids[e.contentKey()] == 0 {
			misses = append(misses, e)
		}
	}
	slices.SortFunc(misses, func(a, b *Entry) int {
		return cmp.Compare(keyOfDigest(&a.Content), keyOfDigest(&b.Content))
	})
	// The id is negative where the hash is not complete.
	return t.find(`SELECT src.b, CASE length(c.hash) WHEN 32 THEN k.content_id ELSE -k.content_id END FROM src
		CROSS JOIN content_key k ON k.key = src.a
		CROSS JOIN content c ON c.content_id = k.content_id
		WHERE substr(c.hash, 1, 20) = src.c AND c.size = src.d`, len(misses),
		func(row, col int) driver.Value {
			switch col {
			case 0:
				return keyOfDigest(&misses[row].Content)
			case 1:
				return int64(row)
			case 2:
				return misses[row].Content[:StatedSize]
			}
			return misses[row].ContentSize
		},
		func(row int, id int64) {
			if id < 0 {
				id = -id
				t.stated[id] = struct{}{}
			}
			t.contents.ids[misses[row].contentKey()] = id
		})
}
