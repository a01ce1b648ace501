package write

import (
	"context"
	"database/sql"
	"fmt"

	"pakdb/schema/internal/conn"
)

// The conditions of the indexes entry_since and entry_until. SQLite uses a partial index
// for a statement that repeats its condition, and not for one that implies it. Of two
// lower bounds it takes the first, so the condition comes last.
const (
	rowBegan = "since > 0"
	rowEnded = "until > 0"
)

// archiveTables have rows of archives, by archive_id.
var archiveTables = []string{"x_problem", "x_named_resource", "x_archive_place", "x_archive_sum", "x_archive_folder", "x_archive"}

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
	if before.Valid && !after.Valid {
		statements = append(statements, fmt.Sprintf("UPDATE x_entry_row SET until = 0 WHERE %s AND until > %d AND %s", lineage, before.Int64, rowEnded))
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
	statements := deleteRows("lineage_id IN " + whole)
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
