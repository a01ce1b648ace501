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

// FirstTexts returns the first column of the rows of a query, which are texts.
func FirstTexts(ctx context.Context, db Querier, query string, args ...any) (texts []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	return texts, rows.Err()
}

// IDs returns what a query yields: texts, and the id of each.
func IDs(ctx context.Context, db Querier, query string) (map[string]int64, error) {
	rows, err := db.QueryContext(ctx, query)
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
