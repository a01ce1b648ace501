package schema

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"slices"
	"sync"
)

// The key tables find rows by hashes, which come in random order. Added with
// each batch they would be written anew all over by each; so they wait, and are
// added in key order when the build is complete, or when many wait. A process
// that dies before leaves rows without keys, of no complete build; rekey.sql
// makes up for it when the next build begins.

//go:embed rekey.sql
var rekey string

type keyRow struct{ key, id int64 }

// keySet is what waits for the key tables.
type keySet struct{ paths, contents, texts, refs, sums []keyRow }

// maxKeys bounds how many wait, 16 bytes each.
const maxKeys = 4 << 20

func (k *keySet) len() int {
	return len(k.paths) + len(k.contents) + len(k.texts) + len(k.refs) + len(k.sums)
}

func (k *keySet) sort() {
	var wg sync.WaitGroup
	for _, keys := range [][]keyRow{k.paths, k.contents, k.texts, k.refs, k.sums} {
		wg.Go(func() { sortKeys(keys) })
	}
	wg.Wait()
}

func sortKeys(keys []keyRow) {
	slices.SortFunc(keys, func(a, b keyRow) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id))
	})
}

// appendRefs lists what a content refers to.
func appendRefs(keys []keyRow, e *Entry) []keyRow {
	for _, refs := range [][]Ref{e.Facts.Refs, e.Facts.Scanned} {
		for i := range refs {
			keys = append(keys, keyRow{refs[i].Key, e.contentID})
		}
	}
	return keys
}

// insertKeys adds the keys that have waited long enough.
func (t *batchTx) insertKeys(b *batch) error {
	keys := b.keys
	if keys == nil {
		keys = &keySet{}
	}
	for _, k := range []struct {
		query string
		rows  []keyRow
	}{
		{"INSERT OR FAIL INTO path_key (key, path_id) SELECT a, b FROM src", keys.paths},
		{"INSERT OR FAIL INTO content_key (key, content_id) SELECT a, b FROM src", keys.contents},
		{"INSERT OR FAIL INTO name_key (key, name_id) SELECT a, b FROM src", keys.texts},
		{insertRefKeys, slices.Compact(keys.refs)},
		{"INSERT OR IGNORE INTO sum_key (key, content_id) SELECT a, b FROM src", slices.Compact(keys.sums)},
		{insertRefKeys, slices.Compact(b.refs)},
	} {
		if err := t.insertKeyRows(k.query, k.rows); err != nil {
			return err
		}
	}
	return nil
}

const insertRefKeys = "INSERT OR IGNORE INTO ref_key (key, content_id) SELECT a, b FROM src"

// insertKeyRows adds sorted keys: each page of the tree is touched once.
func (t *batchTx) insertKeyRows(query string, keys []keyRow) error {
	return t.insert(query, len(keys), func(row, col int) driver.Value {
		if col == 0 {
			return keys[row].key
		}
		return keys[row].id
	})
}

// addMissingKeys completes the key tables after a run that was interrupted.
func addMissingKeys(ctx context.Context, tx *sql.Tx) error {
	var interrupted bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM build WHERE complete = 0)").Scan(&interrupted)
	if err != nil || !interrupted {
		return err
	}
	_, err = tx.ExecContext(ctx, rekey)
	return err
}
