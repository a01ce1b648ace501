package write

import (
	"context"
	"database/sql"
	_ "embed"

	"pakdb/schema/internal/batch"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/search"
)

// ProblemCounts corrects how many problems each archive has.
//
//go:embed problem_counts.sql
var ProblemCounts string

// Writer writes batches, one after the other. It remembers the ids of words. A
// transaction that fails ends its use.
type Writer struct {
	src    *conn.Source
	words  map[string]int64
	facts  []string // FactTables; nil: not asked yet
	summed bool     // AddSums has added what was there when the build began
	sets   int64    // the last id of table value_set
	search int64    // the last content that search has indexed
}

// New returns a Writer for the connection that has src as temp.src; tx is any
// transaction on it.
func New(ctx context.Context, src *conn.Source, tx *sql.Tx) (*Writer, error) {
	words, err := conn.IDs(ctx, tx, "SELECT word, word_id FROM x_word")
	if err != nil {
		return nil, err
	}
	sets, err := conn.MaxID(ctx, tx, "x_value_set", "set_id")
	if err != nil {
		return nil, err
	}
	indexed, err := search.Indexed(ctx, tx)
	return &Writer{src: src, words: words, sets: sets, search: indexed}, err
}

func (w *Writer) in(ctx context.Context, sql *sql.Tx) *tx {
	return &tx{Context: ctx, sql: sql, src: w.src, words: w.words, summed: &w.summed, facts: &w.facts, sets: &w.sets, search: w.search}
}

// Write adds everything of a batch, in the order in which rows need each other's ids.
func (w *Writer) Write(ctx context.Context, sql *sql.Tx, b *batch.Batch) error {
	t := w.in(ctx, sql)
	for _, step := range []func(*tx, *batch.Batch) error{
		insertContents, completeHashes, findClaimed, removeFacts, insertPaths, insertFacts, updateScans, insertSketches,
		insertNamed, insertEntries, insertValues, insertArchives, countProblems, insertKeys,
	} {
		if err := step(t, b); err != nil {
			return err
		}
	}
	return nil
}

// ReplaceScanned stores what searches found in contents, in place of what earlier ones
// did.
func (w *Writer) ReplaceScanned(ctx context.Context, sql *sql.Tx, found []record.Scanned) error {
	return replaceScanned(w.in(ctx, sql), found)
}

// countProblems corrects the counts of archives of other builds, where the batch
// has other facts of contents that these hold. All counts are made when the build
// is published.
func countProblems(t *tx, b *batch.Batch) error {
	if len(b.Again) == 0 {
		return nil
	}
	_, err := t.sql.ExecContext(t, ProblemCounts)
	return err
}
