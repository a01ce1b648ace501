package schema

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// batch is what travels to the catalog at once.
type batch struct {
	archives []archiveRow
	entries  []Entry
	problems []problemRow
	names    []nameRow
	ended    []endedRow
	shifts   []shiftRow
	replaced []*Entry // whose contents are in the catalog, and get other facts
	weight   int
	keyed    bool            // the key tables are to be complete afterwards
	written  chan<- struct{} // closed when the batch is in the catalog; nil: nobody waits

	err error // of interning

	interned
}

// newBatch returns an empty batch, as roomy as the one before it was filled: a
// large archive fills one after the other, a small one never a second.
func newBatch(before *batch) *batch {
	if before == nil {
		return &batch{}
	}
	return &batch{entries: make([]Entry, 0, len(before.entries))}
}

type archiveRow struct {
	id int64
	totals
}

type nameRow struct {
	archive int64
	Name
}

type problemRow struct {
	archive, seq int64
	Problem
}

// batchWriter turns batches whose ids are known into rows. It does nothing but
// SQL: the rest is done a batch ahead, by the interner.
type batchWriter struct {
	c     *Catalog
	words map[string]int64
}

func newBatchWriter(ctx context.Context, c *Catalog, tx *sql.Tx) (*batchWriter, error) {
	words, err := loadIDs(ctx, tx, "SELECT word, word_id FROM word")
	return &batchWriter{c: c, words: words}, err
}

func loadIDs(ctx context.Context, tx *sql.Tx, query string) (map[string]int64, error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	ids := map[string]int64{}
	for rows.Next() {
		var name string
		var id int64
		if err := rows.Scan(&name, &id); err != nil {
			return nil, err
		}
		ids[name] = id
	}
	return ids, rows.Err()
}

func maxID(ctx context.Context, tx *sql.Tx, table, column string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max("+column+"), 0) FROM "+table).Scan(&id)
	return id, err
}

// batchTx is a transaction in which batches go into the catalog.
type batchTx struct {
	*batchWriter
	ctx context.Context
	tx  *sql.Tx
}

// write adds everything of a batch in the order in which rows need each other's ids.
func (t *batchTx) write(b *batch) error {
	for _, step := range []func(*batch) error{
		t.insertContents, t.completeHashes, t.findClaimed, t.removeFacts, t.insertDirs, t.insertPaths, t.insertTexts,
		t.insertFacts, t.updateScans, t.insertSketches, t.insertDigests, t.insertPathSymbols, t.insertPlaceSymbols,
		func(b *batch) error { return endRows(t, b) }, t.insertEntries, func(b *batch) error { return insertShifts(t, b) }, t.insertProblems, t.insertNames, t.insertArchives, t.countProblems, t.insertKeys,
	} {
		if err := step(b); err != nil {
			return err
		}
	}
	return nil
}

// insert runs query with temp.src showing n rows.
func (t *batchTx) insert(query string, n int, value func(row, col int) driver.Value) error {
	if n == 0 {
		return nil
	}
	t.c.src.set(n, value)
	_, err := t.tx.ExecContext(t.ctx, query)
	return err
}

// word returns the id of a short string, adding it if need be.
func (t *batchTx) word(s string) (int64, error) {
	if id, ok := t.words[s]; ok {
		return id, nil
	}
	res, err := t.tx.ExecContext(t.ctx, "INSERT INTO word (word) VALUES (?)", s)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	t.words[s] = id
	return id, err
}

func (t *batchTx) addWords(words ...string) error {
	for _, s := range words {
		if _, err := t.word(s); err != nil {
			return err
		}
	}
	return nil
}

// insertNumbered is insert for a table whose ids the interner has handed out, one
// after the other from first. SQLite hands out the same, and that it does costs
// less than to be told: a row with its id is looked for before it is added.
func (t *batchTx) insertNumbered(query string, first int64, n int, value func(row, col int) driver.Value) error {
	if n == 0 {
		return nil
	}
	t.c.src.set(n, value)
	res, err := t.tx.ExecContext(t.ctx, query)
	if err != nil {
		return err
	}
	last, err := res.LastInsertId()
	if want := first + int64(n) - 1; err == nil && last != want {
		err = fmt.Errorf("%s: the last id is %d, not %d", query, last, want)
	}
	return err
}

// find runs a look-up with temp.src showing n rows; the query yields the row's
// number and the id found.
func (t *batchTx) find(query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	if n == 0 {
		return nil
	}
	t.c.src.set(n, value)
	rows, err := t.tx.QueryContext(t.ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row int
		var id int64
		if err := rows.Scan(&row, &id); err != nil {
			return err
		}
		found(row, id)
	}
	return rows.Err()
}
