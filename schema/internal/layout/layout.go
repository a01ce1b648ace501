// Package layout makes the tables and views of a catalog, and refuses a file that has others.
package layout

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"strings"

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

// Indexes returns the statements that make the indexes over all rows of a table, by name.
// Without one of these queries only take longer.
func Indexes() map[string]string {
	all := map[string]string{}
	for x, text := range statements(tables) {
		if text, _, _ = strings.Cut(text, ";"); strings.HasPrefix(text, "CREATE INDEX") && !strings.Contains(text, " WHERE ") {
			all[x[2]] = text
		}
	}
	return all
}

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
