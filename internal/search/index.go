package search

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// How many names make a row of search_use, and how many texts a block. Large blocks take
// less room, and more time to compare their texts.
const (
	NamesInChunk = 32
	NamesInBlock = 32
	PathsInBlock = 64
)

// The subjects of table search_state.
const (
	Blocks = iota
	Names
	Files
	Folders
	contents
	sets
	made // the revision that made the index
)

// subject is a table that is indexed up to an id.
type subject struct {
	number    int
	table, id string
}

var subjects = []subject{
	{Names, "x_name", "name_id"}, {Files, "x_path", "path_id"}, {Folders, "x_dir", "dir_id"},
	{contents, "x_content", "content_id"}, {sets, "x_value_set", "set_id"},
}

// Rows of the full-text tables are compared with the texts they were made of, so that
// neither needs them, nor the positions of words.
const fullText = "content='', columnsize=0, detail=none"

var create = []string{
	"CREATE VIRTUAL TABLE x_search_word USING fts5(words, " + fullText + ", tokenize='ascii')",
	"CREATE VIRTUAL TABLE x_search_part USING fts5(texts, " + fullText + ", tokenize='trigram')",
	"INSERT INTO x_search_state (subject, done) VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, " + strconv.Itoa(revision) + ")",
}

// Tables returns the statements that a catalog has of the full-text tables: of each table,
// and of the tables in which FTS5 keeps it.
func Tables() []string {
	var all []string
	for _, text := range create[:2] {
		name := strings.Fields(text)[3]
		all = append(all, text, "CREATE TABLE '"+name+"_data'(id INTEGER PRIMARY KEY, block BLOB)",
			"CREATE TABLE '"+name+"_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID",
			"CREATE TABLE '"+name+"_config'(k PRIMARY KEY, v) WITHOUT ROWID")
	}
	return all
}

// Exists reports whether a catalog has the index.
func Exists(ctx context.Context, tx *sql.Tx) (found bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_search_state)").Scan(&found)
	return found, err
}

// Make makes the index, if there is none, and indexes what is new. The connection needs
// the function search_words, which is [Index].
func Make(ctx context.Context, tx *sql.Tx) error {
	found, err := Exists(ctx, tx)
	if err != nil {
		return err
	}
	if !found {
		if err := all(ctx, tx, create...); err != nil {
			return fmt.Errorf("search index: %w", err)
		}
	}
	return Update(ctx, tx)
}

// Drop deletes the index.
func Drop(ctx context.Context, tx *sql.Tx) error {
	return all(ctx, tx, "DROP TABLE IF EXISTS x_search_word", "DROP TABLE IF EXISTS x_search_part",
		"DELETE FROM x_search_state", "DELETE FROM x_search_span", "DELETE FROM x_search_use", "DELETE FROM x_search_due")
}

// Update indexes what is new, if there is an index.
func Update(ctx context.Context, tx *sql.Tx) error {
	found, err := Exists(ctx, tx)
	if err != nil || !found {
		return err
	}
	if err := renew(ctx, tx); err != nil {
		return err
	}
	if err := Trim(ctx, tx); err != nil {
		return err
	}
	for _, into := range []struct {
		subject
		size  int
		query string
	}{
		{subjects[0], NamesInBlock, "INSERT INTO x_search_word (rowid, words) SELECT ?1 + n, search_words((SELECT group_concat(name, char(31)) "},
		{subjects[1], PathsInBlock, "INSERT INTO x_search_part (rowid, texts) SELECT ?1 + n, ((SELECT group_concat(name, char(10)) "},
		{subjects[2], PathsInBlock, "INSERT INTO x_search_part (rowid, texts) SELECT ?1 + n, ((SELECT group_concat(prefix, char(10)) "},
	} {
		if err := addBlocks(ctx, tx, into.subject, into.size, into.query); err != nil {
			return fmt.Errorf("search index of %s: %w", into.table, err)
		}
	}
	if err := addUses(ctx, tx); err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// renew makes an index empty that another revision made.
func renew(ctx context.Context, tx *sql.Tx) error {
	var same bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_search_state WHERE subject = ? AND done = ?)", made, revision).Scan(&same)
	if err != nil || same {
		return err
	}
	if err := Drop(ctx, tx); err != nil {
		return err
	}
	return all(ctx, tx, create...)
}

// blocksOf numbers the blocks of ?3 ids from ?2 that have rows. Each is read by the range of
// its ids: to group all rows by their blocks SQLite would sort them.
func blocksOf(s subject) string {
	return fmt.Sprintf("WITH RECURSIVE block (n) AS (SELECT (min(%[1]s) - ?2) / ?3 FROM %[2]s WHERE %[1]s >= ?2 UNION ALL "+
		"SELECT (SELECT (min(%[1]s) - ?2) / ?3 FROM %[2]s WHERE %[1]s >= ?2 + (n + 1) * ?3) FROM block WHERE n IS NOT NULL) ", s.id, s.table)
}

// inBlock ends a query for the texts of block n.
func inBlock(s subject) string {
	return fmt.Sprintf("FROM %s WHERE %s BETWEEN ?2 + n * ?3 AND ?2 + n * ?3 + ?3 - 1", s.table, s.id)
}

// addBlocks adds the new texts of a subject to a full-text table.
func addBlocks(ctx context.Context, tx *sql.Tx, s subject, size int, query string) error {
	var block, first, last int64
	err := tx.QueryRowContext(ctx, "SELECT 1 + (SELECT done FROM x_search_state WHERE subject = 0),"+
		" 1 + (SELECT done FROM x_search_state WHERE subject = ?), (SELECT coalesce(max("+s.id+"), 0) FROM "+s.table+")", s.number).
		Scan(&block, &first, &last)
	if err != nil || last < first {
		return err
	}
	if _, err := tx.ExecContext(ctx, blocksOf(s)+query+inBlock(s)+")) FROM block WHERE n IS NOT NULL", block, first, size); err != nil {
		return err
	}
	for _, st := range []struct {
		query string
		args  []any
	}{
		{"INSERT INTO x_search_span (first_block, subject, first, last) VALUES (?, ?, ?, ?)", []any{block, s.number, first, last}},
		{"UPDATE x_search_state SET done = ? WHERE subject = ?", []any{last, s.number}},
		{"UPDATE x_search_state SET done = ? WHERE subject = 0", []any{block + (last-first)/int64(size)}},
	} {
		if _, err := tx.ExecContext(ctx, st.query, st.args...); err != nil {
			return err
		}
	}
	return nil
}

// addUses says which contents use which names.
func addUses(ctx context.Context, tx *sql.Tx) error {
	for _, u := range Uses {
		fresh := "t.content_id > (SELECT done FROM x_search_state WHERE subject = 4) OR t.content_id IN (SELECT content_id FROM x_search_due)"
		if u.OfSet {
			fresh = "t.set_id > (SELECT done FROM x_search_state WHERE subject = 5)"
		}
		query := fmt.Sprintf("INSERT OR IGNORE INTO x_search_use (chunk, use, owner, part) SELECT DISTINCT t.%[1]s / %[2]d, %[3]d, t.%[4]s, %[5]s"+
			" FROM %[6]s t WHERE (%[7]s) AND t.%[1]s IS NOT NULL", u.Column, NamesInChunk, u.Number, u.Owner(), u.Part(), u.Table, fresh)
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("%s: %w", u.Table, err)
		}
	}
	return all(ctx, tx, "DELETE FROM x_search_due",
		"UPDATE x_search_state SET done = (SELECT coalesce(max(content_id), 0) FROM x_content) WHERE subject = 4",
		"UPDATE x_search_state SET done = (SELECT coalesce(max(set_id), 0) FROM x_value_set) WHERE subject = 5")
}

// Trim lowers the marks of the index to the last ids that there are. It has to be called
// before ids are given out after rows were deleted. An index of which most is stale is
// deleted up to its marks, so that the next update makes it anew.
func Trim(ctx context.Context, tx *sql.Tx) error {
	var lower []string
	for _, s := range subjects {
		lower = append(lower, fmt.Sprintf("UPDATE x_search_state SET done = (SELECT coalesce(max(%s), 0) FROM %s) WHERE subject = %d AND done > (SELECT coalesce(max(%[1]s), 0) FROM %[2]s)",
			s.id, s.table, s.number))
	}
	return all(ctx, tx, append(lower,
		"DELETE FROM x_search_span WHERE first > (SELECT done FROM x_search_state s WHERE s.subject = x_search_span.subject)",
		"UPDATE x_search_span SET last = (SELECT done FROM x_search_state s WHERE s.subject = x_search_span.subject)"+
			" WHERE last > (SELECT done FROM x_search_state s WHERE s.subject = x_search_span.subject)")...)
}

// Removed is called after contents, names and paths were deleted: it deletes what the
// index says of contents, and makes an index anew of which most is stale.
func Removed(ctx context.Context, tx *sql.Tx) error {
	if err := Trim(ctx, tx); err != nil {
		return err
	}
	if err := all(ctx, tx, "DELETE FROM x_search_use WHERE use NOT IN ("+ofSets()+") AND owner NOT IN (SELECT content_id FROM x_content)",
		"DELETE FROM x_search_use WHERE use IN ("+ofSets()+") AND owner NOT IN (SELECT set_id FROM x_value_set)",
		"DELETE FROM x_search_due WHERE content_id NOT IN (SELECT content_id FROM x_content)"); err != nil {
		return err
	}
	var stale bool
	err := tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT coalesce((SELECT done FROM x_search_state WHERE subject = 0), 0) > 64 + 2 *
		((SELECT count(*) FROM x_name) / %d + (SELECT count(*) FROM x_path) / %d + (SELECT count(*) FROM x_dir) / %[2]d)`, NamesInBlock, PathsInBlock)).Scan(&stale)
	if err != nil || !stale {
		return err
	}
	if err := Drop(ctx, tx); err != nil {
		return err
	}
	return Make(ctx, tx)
}

// ofSets lists the numbers of uses in rows of sets.
func ofSets() string {
	var all []string
	for _, u := range Uses {
		if u.OfSet {
			all = append(all, strconv.Itoa(u.Number))
		}
	}
	return strings.Join(all, ", ")
}

// Due notes that contents which are indexed have other facts now.
func Due(ctx context.Context, tx *sql.Tx, ids []int64) error {
	var b strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&b, ",(%d)", id)
	}
	if b.Len() == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO x_search_due (content_id) VALUES "+b.String()[1:])
	return err
}

// Indexed returns the last content that is indexed, 0 if there is no index.
func Indexed(ctx context.Context, tx *sql.Tx) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce((SELECT done FROM x_search_state WHERE subject = 4), 0)").Scan(&id)
	return id, err
}

func all(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
