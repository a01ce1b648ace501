package write

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/search"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

// RemoveUnfinished clears what an interrupted run left: its build, and archives
// that were not completed. Completed archives stay for the next run.
func RemoveUnfinished(ctx context.Context, tx *sql.Tx) error {
	if err := removeBuilds(ctx, tx, "complete = 0"); err != nil {
		return err
	}
	if err := removeArchives(ctx, tx, "complete = 0"); err != nil {
		return err
	}
	return search.Trim(ctx, tx)
}

// buildOf returns the id of the build that has a label, 0 for none.
func buildOf(ctx context.Context, tx *sql.Tx, label string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max(build_id), 0) FROM x_build WHERE label = ? AND complete = 1", label).Scan(&id)
	return id, err
}

// removeBuilds deletes the builds for which a condition holds, but not what they mount.
func removeBuilds(ctx context.Context, tx *sql.Tx, where string, args ...any) error {
	builds := " build_id IN (SELECT build_id FROM x_build WHERE " + fmt.Sprintf(where, args...) + ")"
	// Paths that no entry of the build has: those of others are noted with their entries.
	statements := []string{fmt.Sprintf("INSERT OR IGNORE INTO x_removed (kind, id) SELECT %d, path_id FROM x_build_symbol WHERE present = 0 AND", removedPath) + builds}
	for _, table := range []string{"x_build_archive", "x_build_symbol", "x_build_shadow", "x_build_name", "x_build_value", "x_build"} {
		statements = append(statements, "DELETE FROM "+table+" WHERE"+builds)
	}
	return conn.ExecAll(ctx, tx, statements...)
}

// RemoveUnmounted deletes archives that no build mounts, and values that hold in none.
func RemoveUnmounted(ctx context.Context, tx *sql.Tx) error {
	err := conn.ExecAll(ctx, tx, `DELETE FROM x_value_set WHERE context <> 0
		AND NOT EXISTS (SELECT 1 FROM x_build_value v WHERE v.set_id = x_value_set.set_id)`)
	if err != nil {
		return err
	}
	if err := removeArchives(ctx, tx, "NOT EXISTS (SELECT 1 FROM x_build_archive ba WHERE ba.archive_id = a.archive_id)"); err != nil {
		return err
	}
	return search.Trim(ctx, tx)
}

// RemoveLabels deletes builds by label, and whatever no other build needs: archives,
// contents and their facts, paths. It returns an error that names the first
// label that is not there.
func RemoveLabels(ctx context.Context, tx *sql.Tx, labels ...string) error {
	for _, label := range labels {
		id, err := buildOf(ctx, tx, label)
		if err == nil && id == 0 {
			err = fmt.Errorf("%w: %q", conn.ErrNoBuild, label)
		}
		if err != nil {
			return err
		}
		if err := removeBuilds(ctx, tx, "build_id = %d", id); err != nil {
			return err
		}
	}
	if err := RemoveUnmounted(ctx, tx); err != nil {
		return err
	}
	return orphans(ctx, tx)
}

// The kinds of table removed.
const (
	removedContent = iota + 1
	removedPath
	removedName
)

// orphans deletes contents and paths that no entry has, and names that nothing has, of
// those that table removed lists. Which these are is found once, so that a table costs
// what is deleted from it. Keys are deleted before the rows that have them.
func orphans(ctx context.Context, tx *sql.Tx) error {
	statements := slices.Concat(
		[]string{"CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY)"},
		listRemoved(removedContent, "x_content", "content_id"),
		[]string{
			"DELETE FROM temp.gone WHERE EXISTS (SELECT 1 FROM x_entry_row e WHERE e.content_id = gone.id)",
			"DELETE FROM x_content_key WHERE (key, content_id) IN (SELECT key_of_content(c.hash), c.content_id" +
				" FROM temp.gone g CROSS JOIN x_content c ON c.content_id = g.id)",
			noteFacts(),
		},
		deleteGone("content_id", append(factTables(), "x_content_sketch", "x_sum_key", "x_content")...),
		listRemoved(removedPath, "x_path", "path_id"),
		[]string{
			"DELETE FROM temp.gone WHERE EXISTS (SELECT 1 FROM x_entry_row e WHERE e.path_id = gone.id)",
			keepUsed("x_path", "x_entry_row", "x_path_key", "x_path_symbol"),
			"DELETE FROM x_path_key WHERE (key, path_id) IN (SELECT key_of_path(d.prefix || p.name), p.path_id" +
				" FROM temp.gone g CROSS JOIN x_path p ON p.path_id = g.id CROSS JOIN x_dir d ON d.dir_id = p.dir_id)",
		},
		deleteGone("path_id", "x_path_symbol", "x_path"),
		listRemoved(removedName, "x_name", "name_id"),
		[]string{
			keepUsed("x_name", "x_name_key"),
			"DELETE FROM x_name_key WHERE (key, name_id) IN (SELECT key_of_name(n.name), n.name_id FROM temp.gone g CROSS JOIN x_name n ON n.name_id = g.id)",
		},
		deleteGone("name_id", "x_name"),
		[]string{"DROP TABLE temp.gone", "DELETE FROM x_removed"},
	)
	if err := conn.ExecAll(ctx, tx, statements...); err != nil {
		return err
	}
	return search.Removed(ctx, tx)
}

// listRemoved returns statements that fill temp.gone with the ids of a table that table removed
// lists, or all.
func listRemoved(kind int, table, column string) []string {
	return []string{"DELETE FROM temp.gone", fmt.Sprintf(`INSERT INTO temp.gone
		SELECT id FROM x_removed WHERE kind = %[1]d AND id <> 0
		UNION SELECT %[2]s FROM %[3]s WHERE EXISTS (SELECT 1 FROM x_removed WHERE kind = %[1]d AND id = 0)`, kind, column, table)}
}

// noteFacts returns a statement that notes which paths and names the facts of the contents
// in temp.gone use.
func noteFacts() string {
	kinds := map[string]int{"x_path": removedPath, "x_name": removedName}
	facts := factTables()
	var queries []string
	for _, c := range layout.Columns() {
		if kind := kinds[c.To]; kind != 0 && slices.Contains(facts, c.Table) {
			queries = append(queries, fmt.Sprintf("SELECT %d, %s FROM %s WHERE content_id IN (SELECT id FROM temp.gone) AND %[2]s IS NOT NULL", kind, c.Name, c.Table))
		}
	}
	return "INSERT OR IGNORE INTO x_removed (kind, id) " + strings.Join(queries, " UNION ALL ")
}

// deleteGone returns statements that delete from tables what temp.gone lists.
func deleteGone(column string, tables ...string) (statements []string) {
	for _, table := range tables {
		statements = append(statements, "DELETE FROM "+table+" WHERE "+column+" IN (SELECT id FROM temp.gone)")
	}
	return statements
}

// keepUsed returns a statement that deletes the ids from temp.gone that rows of pakdb's tables
// refer to; table is x_name or x_path. The tables of but do not keep an id: their rows go with it, or
// the caller looks into them.
func keepUsed(table string, but ...string) string {
	var queries []string
	for _, c := range layout.Columns() {
		if c.To == table && !slices.Contains(but, c.Table) {
			queries = append(queries, fmt.Sprintf("SELECT %s FROM %s WHERE %[1]s IN (SELECT id FROM temp.gone)", c.Name, c.Table))
		}
	}
	return "DELETE FROM temp.gone WHERE id IN (" + strings.Join(queries, " UNION ALL ") + ")"
}

// The conditions of the indexes entry_since and entry_until. SQLite uses a partial index
// for a statement that repeats its condition, and not for one that implies it. Of two
// lower bounds it takes the first, so the condition comes last.
const (
	rowBegan = "since > 0"
	rowEnded = "until > 0"
)

// archiveTables have rows of archives, by archive_id.
var archiveTables = []string{"x_problem", "x_named_resource", "x_archive_place", "x_archive_sum", "x_archive"}

// removeArchive deletes an archive, and the rows that hold for no other edition: those
// that began after the edition before it, and ended up to the one after it. If it was
// the last, rows that it ended go on.
func removeArchive(ctx context.Context, tx *sql.Tx, archive int64, l Lineage) error {
	var before, after sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT max(edition) FILTER (WHERE edition < ?1), min(edition) FILTER (WHERE edition > ?1)
		FROM x_archive WHERE lineage_id = ?2`, l.Edition, l.ID).Scan(&before, &after)
	if err != nil {
		return err
	}
	lineage := fmt.Sprintf("lineage_id = %d", l.ID)
	rows := lineage
	if before.Valid {
		rows += fmt.Sprintf(" AND since > %d AND since <= %d AND %s", before.Int64, l.Edition, rowBegan)
	}
	if after.Valid {
		rows += fmt.Sprintf(" AND until > %d AND until <= %d AND %s", l.Edition, after.Int64, rowEnded)
	}
	statements := []string{
		"CREATE TEMP TABLE IF NOT EXISTS removed_row (row INTEGER PRIMARY KEY)",
		"DELETE FROM temp.removed_row",
		"INSERT INTO temp.removed_row SELECT row FROM x_entry_row WHERE " + rows,
	}
	statements = append(statements, deleteRows(lineage+" AND row IN (SELECT row FROM temp.removed_row)")...)
	statements = append(statements, "DELETE FROM x_folder_sum WHERE "+rows)
	if before.Valid && !after.Valid {
		for _, table := range []string{"x_entry_row", "x_folder_sum"} {
			statements = append(statements, fmt.Sprintf("UPDATE %s SET until = 0 WHERE %s AND until > %d AND %s", table, lineage, before.Int64, rowEnded))
		}
	}
	for _, table := range archiveTables {
		statements = append(statements, fmt.Sprintf("DELETE FROM %s WHERE archive_id = %d", table, archive))
	}
	return conn.ExecAll(ctx, tx, statements...)
}

// deleteRows returns statements that delete the rows for which a condition on lineage_id
// and row holds, and note what they name.
func deleteRows(where string) (statements []string) {
	for _, of := range []struct {
		kind          int // see table removed
		column, table string
	}{{removedContent, "content_id", "x_entry_row"}, {removedPath, "path_id", "x_entry_row"}, {removedPath, "path_id", "x_value_entry"}, {removedName, "name_id", "x_value_entry"}, {removedName, "name_id", "x_entry_symbol"}} {
		statements = append(statements, fmt.Sprintf("INSERT OR IGNORE INTO x_removed (kind, id) SELECT %d, %s FROM %s WHERE %s AND %[2]s IS NOT NULL",
			of.kind, of.column, of.table, where))
	}
	for _, table := range []string{"x_entry_symbol", "x_value_entry", "x_entry_row"} {
		statements = append(statements, "DELETE FROM "+table+" WHERE "+where)
	}
	return statements
}

// removeArchives deletes the archives a for which a condition holds: lineages as a
// whole, of others the last editions first.
func removeArchives(ctx context.Context, tx *sql.Tx, where string) error {
	whole := "(SELECT lineage_id FROM x_archive a GROUP BY lineage_id HAVING min(" + where + ") = 1)"
	archives := "(SELECT archive_id FROM x_archive WHERE lineage_id IN " + whole + ")"
	statements := append(deleteRows("lineage_id IN "+whole), "DELETE FROM x_folder_sum WHERE lineage_id IN "+whole)
	for _, table := range archiveTables {
		statements = append(statements, "DELETE FROM "+table+" WHERE archive_id IN "+archives)
	}
	if err := conn.ExecAll(ctx, tx, statements...); err != nil {
		return err
	}
	type row struct {
		archive int64
		lineage Lineage
	}
	all, err := conn.All(ctx, tx, func(r *row) []any { return []any{&r.archive, &r.lineage.ID, &r.lineage.Edition} },
		"SELECT archive_id, lineage_id, edition FROM x_archive a WHERE "+where+" ORDER BY lineage_id, edition DESC")
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := removeArchive(ctx, tx, r.archive, r.lineage); err != nil {
			return err
		}
	}
	return nil
}
