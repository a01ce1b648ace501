package remove

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/edition"
	"pakdb/schema/internal/write"
	"pakdb/schema/search"
)

// Unfinished clears what an interrupted run left: its build, and archives
// that were not completed. Completed archives stay for the next run.
func Unfinished(ctx context.Context, tx *sql.Tx) error {
	err := conn.ExecAll(ctx, tx,
		"DELETE FROM build_archive WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build_symbol WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build_shadow WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build_value WHERE build_id IN (SELECT build_id FROM build WHERE complete = 0)",
		"DELETE FROM build WHERE complete = 0")
	if err != nil {
		return err
	}
	if err := edition.Remove(ctx, tx, "complete = 0"); err != nil {
		return err
	}
	return search.Trim(ctx, tx)
}

// Replaced deletes the build that has the label.
func Replaced(ctx context.Context, tx *sql.Tx, label string) error {
	var old int64
	err := tx.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&old)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	return Build(ctx, tx, old)
}

// Build deletes a build, but not what it mounts.
func Build(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, table := range []string{"build_archive", "build_symbol", "build_shadow", "build_name", "build_value", "build"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE build_id = ?", id); err != nil {
			return err
		}
	}
	return nil
}

// Unmounted deletes archives that no build mounts, and values that hold in none.
func Unmounted(ctx context.Context, tx *sql.Tx) error {
	err := conn.ExecAll(ctx, tx, `DELETE FROM value_set WHERE context <> 0
		AND NOT EXISTS (SELECT 1 FROM build_value v WHERE v.set_id = value_set.set_id)`)
	if err != nil {
		return err
	}
	if err := edition.Remove(ctx, tx, "NOT EXISTS (SELECT 1 FROM build_archive ba WHERE ba.archive_id = a.archive_id)"); err != nil {
		return err
	}
	return search.Trim(ctx, tx)
}

// Labels deletes builds by label, and whatever no other build needs: archives,
// contents and their facts, paths. It returns an error that names the first
// label that is not there.
func Labels(ctx context.Context, tx *sql.Tx, labels ...string) error {
	for _, label := range labels {
		var id int64
		err := tx.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: %q", conn.ErrNoBuild, label)
		}
		if err != nil {
			return err
		}
		if err := Build(ctx, tx, id); err != nil {
			return err
		}
	}
	if err := Unmounted(ctx, tx); err != nil {
		return err
	}
	return orphans(ctx, tx)
}

// orphans deletes contents and paths that no entry has, and names that nothing has.
// Which these are is found once, so that a table costs what is deleted from it.
func orphans(ctx context.Context, tx *sql.Tx) error {
	facts, err := write.FactTables(ctx, tx)
	if err != nil {
		return err
	}
	usedPaths, err := usedBy(ctx, tx, "path", append(facts, "value_entry"))
	if err != nil {
		return err
	}
	usedNames, err := usedBy(ctx, tx, "name", slices.Concat(facts, write.SetTables(), []string{"entry_symbol", "value_entry"}))
	if err != nil {
		return err
	}
	statements := []string{
		"CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)",
		"INSERT INTO temp.gone SELECT content_id FROM content c WHERE NOT EXISTS (SELECT 1 FROM entry_row e WHERE e.content_id = c.content_id)",
		// Before what tells the keys is gone.
		"DELETE FROM content_key WHERE (key, content_id) IN (SELECT key_of_content(c.hash), c.content_id" +
			" FROM temp.gone g JOIN content c ON c.content_id = g.id)",
	}
	statements = append(statements, deleteGone("content_id", append(facts, "content_sketch", "sum_key", "content"))...)
	statements = append(statements,
		"DELETE FROM temp.gone",
		"INSERT INTO temp.gone SELECT path_id FROM path p WHERE NOT EXISTS (SELECT 1 FROM entry_row e WHERE e.path_id = p.path_id)"+
			" AND path_id NOT IN ("+usedPaths+")",
		"DELETE FROM path_key WHERE (key, path_id) IN (SELECT key_of_path(d.prefix || p.name), p.path_id"+
			" FROM temp.gone g JOIN path p ON p.path_id = g.id JOIN dir d ON d.dir_id = p.dir_id)")
	statements = append(statements, deleteGone("path_id", []string{"path_symbol", "path"})...)
	err = conn.ExecAll(ctx, tx, append(statements,
		"DROP TABLE temp.gone",
		"DELETE FROM name WHERE name_id NOT IN ("+usedNames+")",
		"DELETE FROM name_key WHERE name_id NOT IN (SELECT name_id FROM name)")...)
	if err != nil {
		return err
	}
	return search.Removed(ctx, tx)
}

// deleteGone returns statements that delete from tables what temp.gone lists.
func deleteGone(column string, tables []string) (statements []string) {
	for _, table := range tables {
		statements = append(statements, "DELETE FROM "+table+" WHERE "+column+" IN (SELECT id FROM temp.gone)")
	}
	return statements
}

// usedBy returns a query for the ids of table that rows of the given tables refer
// to; table is one of dir, name, path and word.
func usedBy(ctx context.Context, tx *sql.Tx, table string, tables []string) (string, error) {
	var queries []string
	for _, t := range tables {
		columns, err := conn.FirstTexts(ctx, tx, `SELECT "from" FROM pragma_foreign_key_list(?) WHERE "table" = ? ORDER BY id DESC`, t, table)
		if err != nil {
			return "", err
		}
		for _, c := range columns {
			queries = append(queries, "SELECT "+c+" FROM "+t+" WHERE "+c+" IS NOT NULL")
		}
	}
	return strings.Join(queries, " UNION "), nil
}
