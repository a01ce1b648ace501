// Package layout makes the tables and views of a catalog, and refuses a file that has others.
package layout

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/views"
)

// ApplicationID marks a SQLite file as a pakdb catalog: "PAKD".
const ApplicationID = 0x50414b44

// Version is the number of the layout, which a catalog has as its user_version. Each
// change of schema.sql or of a view raises it: a catalog of another layout is refused,
// and its builds are indexed again.
const Version = 37

//go:embed schema.sql
var tables string

// Fill makes an empty database a catalog. Connections that open it later can use the
// views.
func Fill(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if err := views.Create(ctx, tx); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", Version, ApplicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// Indexes returns statements that make those indexes over all rows of a table that are not there,
// and statements that drop them. Without one of these queries only take longer.
func Indexes() (create, drop []string) {
	for x, text := range statements(tables) {
		if text, _, _ = strings.Cut(text, ";"); strings.HasPrefix(text, "CREATE INDEX") && !strings.Contains(text, " WHERE ") {
			create = append(create, strings.Replace(text, "INDEX", "INDEX IF NOT EXISTS", 1))
			drop = append(drop, "DROP INDEX IF EXISTS "+x[2])
		}
	}
	return create, drop
}

// Column is a column of a table that every catalog has, and the table that it refers to, "" for
// none.
type Column struct{ Table, Name, To string }

var columnLine = regexp.MustCompile(`^    (\w+) +(?:INTEGER|REAL|TEXT|BLOB|ANY)\b(?:.*? REFERENCES (\w+))?`)

// Columns returns the columns of all tables, in their order.
var Columns = sync.OnceValue(func() (all []Column) {
	for x, text := range statements(tables) {
		text, _, _ = strings.Cut(text, "\n)")
		for line := range strings.Lines(text) {
			if c := columnLine.FindStringSubmatch(line); c != nil && x[1] == "TABLE" {
				all = append(all, Column{x[2], c[1], c[2]})
			}
		}
	}
	return all
})

// CheckVersion returns an error for a user_version that is not [Version].
func CheckVersion(version int64) error {
	switch {
	case version < 0:
		return fmt.Errorf("%w: layout %d", conn.ErrNotCatalog, version)
	case version > Version:
		return fmt.Errorf("%w: layout %d, this pakdb reads layout %d", conn.ErrTooNew, version, Version)
	case version < Version:
		return fmt.Errorf("%w: layout %d, this pakdb reads layout %d", conn.ErrTooOld, version, Version)
	}
	return nil
}
