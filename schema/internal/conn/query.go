package conn

import (
	"context"
	"database/sql"
	"strings"
)

// Querier is a database, a connection or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// All returns the rows of a query. columns returns where the columns of a row belong.
func All[T any](ctx context.Context, db Querier, columns func(row *T) []any, query string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row T
		if err := rows.Scan(columns(&row)...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// FirstTexts returns the first column of the rows of a query, which are texts.
func FirstTexts(ctx context.Context, db Querier, query string, args ...any) (texts []string, err error) {
	return All(ctx, db, func(text *string) []any { return []any{text} }, query, args...)
}

// IDs returns what a query yields: texts, and the id of each.
func IDs(ctx context.Context, db Querier, query string) (map[string]int64, error) {
	type named struct {
		name string
		id   int64
	}
	all, err := All(ctx, db, func(n *named) []any { return []any{&n.name, &n.id} }, query)
	ids := make(map[string]int64, len(all))
	for _, n := range all {
		ids[n.name] = n.id
	}
	return ids, err
}

// MaxID returns the largest id in a column of a table, 0 for an empty one.
func MaxID(ctx context.Context, tx *sql.Tx, table, column string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT coalesce(max("+column+"), 0) FROM "+table).Scan(&id)
	return id, err
}

// ExecAll runs statements, up to the first that fails.
func ExecAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, s := range statements {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// Flat makes one line of a text of SQLite's.
func Flat(text string) string { return strings.Join(strings.Fields(text), " ") }
