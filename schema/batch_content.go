package schema

import "database/sql/driver"

// insertContents adds the contents that are new, and what kind they are.
func (t *batchTx) insertContents(b *batch) error {
	inspected := false
	for _, e := range b.newContents {
		if e.Facts == nil {
			continue
		}
		inspected = true
		if err := t.addWords(e.Facts.Kind, e.Facts.Inspector); err != nil {
			return err
		}
	}
	query := "INSERT INTO content (hash, size, kind_id, inspected_id) SELECT a, b, c, d FROM src"
	if !inspected {
		query = "INSERT INTO content (hash, size) SELECT a, b FROM src"
	}
	return t.insertNumbered(query, b.firstContent, len(b.newContents), func(row, col int) driver.Value {
		e := b.newContents[row]
		switch {
		case col == 0:
			return e.hash()
		case col == 1:
			return e.ContentSize
		case e.Facts == nil:
			return nil
		case col == 2:
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

// completeHashes fills in the hashes of contents that were known by the start of
// it alone, and have been read now.
func (t *batchTx) completeHashes(b *batch) error {
	return t.insert("UPDATE content SET hash = src.b FROM src WHERE content_id = src.a", len(b.read),
		func(row, col int) driver.Value {
			if col == 0 {
				return b.read[row].contentID
			}
			return b.read[row].Content[:]
		})
}
