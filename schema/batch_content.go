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
			rows = append(rows, e)
			keys = append(keys, keyRow{keyOfDigest(&e.Content), e.contentID})
		}
	}
	sorted := sortKeys(keys)
	err := t.insert("INSERT INTO content (content_id, hash, size) SELECT a, b, c FROM src", len(rows),
		func(row, col int) driver.Value {
			e := rows[row]
			switch col {
			case 0:
				return e.contentID
			case 1:
				return e.Content[:]
			}
			return e.ContentSize
		})
	<-sorted
	if err != nil {
		return err
	}
	if err := t.insertKeys("INSERT INTO content_key (key, content_id) SELECT a, b FROM src", keys); err != nil {
		return err
	}
	return t.insertFacts(b)
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

// insertFacts stores what the inspectors found.
func (t *batchTx) insertFacts(b *batch) error {
	due, err := t.dueFacts(b)
	if err != nil {
		return err
	}
	for _, e := range due {
		kind, err := t.word(e.Facts.Kind)
		if err != nil {
			return err
		}
		if _, err := t.tx.ExecContext(t.ctx, "UPDATE content SET kind_id = ?, inspected = ? WHERE content_id = ?",
			kind, e.Facts.Revision, e.contentID); err != nil {
			return err
		}
		if err := t.insertContentProblems(e.contentID, e.Facts.Problems); err != nil {
			return err
		}
	}
	return nil
}

func (t *batchTx) insertContentProblems(content int64, problems []Problem) error {
	if _, err := t.tx.ExecContext(t.ctx, "DELETE FROM content_problem WHERE content_id = ?", content); err != nil {
		return err
	}
	for i, p := range problems {
		if _, err := t.tx.ExecContext(t.ctx, "INSERT INTO content_problem VALUES (?, ?, ?, ?, ?)",
			content, i, p.Field, place(p.Offset), p.Cause); err != nil {
			return err
		}
	}
	return nil
}

// dueFacts returns one entry for each content whose facts are not stored.
func (t *batchTx) dueFacts(b *batch) ([]*Entry, error) {
	var due []*Entry
	taken := map[int64]bool{}
	for i := range b.entries {
		e := &b.entries[i]
		if e.Facts == nil || !e.HasContent {
			continue
		}
		if taken[e.contentID] {
			continue
		}
		taken[e.contentID] = true
		due = append(due, e)
	}
	have := map[int]bool{}
	err := t.find("SELECT src.b, 1 FROM src CROSS JOIN content c ON c.content_id = src.a WHERE c.inspected = src.c",
		len(due), func(row, col int) driver.Value {
			switch col {
			case 0:
				return due[row].contentID
			case 1:
				return int64(row)
			}
			return due[row].Facts.Revision
		}, func(row int, _ int64) { have[row] = true })
	if err != nil {
		return nil, err
	}
	fresh := due[:0]
	for i, e := range due {
		if !have[i] {
			fresh = append(fresh, e)
		}
	}
	return fresh, nil
}
