package write

import (
	"context"
	"database/sql"
	_ "embed"

	"pakdb/internal/search"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// problemCounts corrects how many problems each archive has.
//
//go:embed problem_counts.sql
var problemCounts string

// writer writes batches, one after the other. It remembers the ids of words. A
// transaction that fails ends its use.
type writer struct {
	src    *conn.Source
	words  map[string]int64
	summed bool  // addSums has added what was there when the build began
	sets   int64 // the last id of table value_set
	search int64 // the last content that search has indexed
	empty  bool  // nothing has been written to the catalog

	// The catalog lacks indexes, which a large build that fills an empty catalog has made after all
	// of its rows, see makeIndexes. A build that is interrupted leaves none; they are made when the
	// next one begins.
	unindexed bool
}

// newWriter returns a writer for the connection that has src as temp.src; tx is any
// transaction on it.
func newWriter(ctx context.Context, src *conn.Source, tx *sql.Tx) (*writer, error) {
	words, err := conn.IDs(ctx, tx, "SELECT word, word_id FROM x_word")
	if err != nil {
		return nil, err
	}
	sets, err := conn.MaxID(ctx, tx, "x_value_set", "set_id")
	if err != nil {
		return nil, err
	}
	contents, err := conn.MaxID(ctx, tx, "x_content", "content_id")
	if err != nil {
		return nil, err
	}
	indexed, err := search.Indexed(ctx, tx)
	return &writer{src: src, words: words, sets: sets, search: indexed, empty: contents == 0}, err
}

func (w *writer) in(ctx context.Context, sql *sql.Tx) *tx {
	return &tx{Context: ctx, writer: w, sql: sql}
}

// write adds everything of a batch, in the order in which rows need each other's ids.
func (w *writer) write(ctx context.Context, sql *sql.Tx, b *Batch) error {
	if w.empty && b.Full() {
		for _, x := range layout.Indexes() {
			if _, err := sql.ExecContext(ctx, "DROP INDEX IF EXISTS "+x.Name); err != nil {
				return err
			}
		}
		w.unindexed = true
	}
	w.empty = false
	t := w.in(ctx, sql)
	for _, step := range []func(*tx, *Batch) error{
		insertContents, completeHashes, findClaimed, removeFacts, insertPaths, insertFacts, updateScans, insertSketches,
		insertNamed, insertEntries, insertValues, insertArchives, countProblems, insertKeys,
	} {
		if err := step(t, b); err != nil {
			return err
		}
	}
	return nil
}

// countProblems corrects the counts of archives of other builds, where the batch
// has other facts of contents that these hold. All counts are made when the build
// is published.
func countProblems(t *tx, b *Batch) error {
	if len(b.Again) == 0 {
		return nil
	}
	_, err := t.sql.ExecContext(t, problemCounts)
	return err
}
