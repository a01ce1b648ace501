package schema

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// migrate brings the database to the newest version and makes the views anew, all
// in one transaction: a process that dies leaves the old version whole.
func migrate(ctx context.Context, db *sql.DB) error {
	version, err := userVersion(ctx, db)
	if err != nil {
		return err
	}
	newest, err := newestVersion()
	if err != nil {
		return err
	}
	if version > newest {
		return fmt.Errorf("%w: version %d, this one knows %d", ErrTooNew, version, newest)
	}
	if version == newest && viewsAreCurrent(ctx, db) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := dropViews(ctx, tx); err != nil { // they name tables that scripts rename
		return err
	}
	if err := runScripts(ctx, tx, version); err != nil {
		return err
	}
	if err := createViews(ctx, tx); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	marks := fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", newest, ApplicationID)
	if _, err := tx.ExecContext(ctx, marks); err != nil {
		return err
	}
	return tx.Commit()
}

// Version returns the version of the catalogs that this pakdb writes. Older ones
// are brought to it when they are opened for writing.
func Version() (int, error) { return newestVersion() }

// newestVersion is how many scripts there are.
func newestVersion() (int, error) {
	scripts, err := fs.Glob(migrations, "migrations/*.sql")
	return len(scripts), err
}

// runScripts runs those that a database of a version has not seen.
func runScripts(ctx context.Context, tx *sql.Tx, version int) error {
	scripts, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	for _, name := range scripts[version:] {
		script, err := migrations.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(name), err)
		}
	}
	return nil
}

// viewScript is all views, in the order of the files' names.
func viewScript() (string, error) {
	files, err := fs.Glob(viewFiles, "views/*.sql")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range files {
		text, err := viewFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func userVersion(ctx context.Context, db *sql.DB) (int, error) {
	var v int
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// viewsAreCurrent compares the text of the views, so that a change of theirs
// needs no version of its own.
func viewsAreCurrent(ctx context.Context, db querier) bool {
	stored, err := viewTexts(ctx, db)
	if err != nil {
		return false
	}
	views, err := viewScript()
	if err != nil {
		return false
	}
	rest := views
	for _, text := range stored {
		if !strings.Contains(views, text+";") {
			return false
		}
		rest = strings.Replace(rest, text+";", "", 1)
	}
	return !strings.Contains(rest, "CREATE VIEW")
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func viewTexts(ctx context.Context, db querier) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'view'")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	texts := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, err
		}
		texts[name] = text
	}
	return texts, rows.Err()
}

func dropViews(ctx context.Context, tx *sql.Tx) error {
	texts, err := viewTexts(ctx, tx)
	if err != nil {
		return err
	}
	for name := range texts {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("DROP VIEW %q", name)); err != nil {
			return err
		}
	}
	return nil
}

func createViews(ctx context.Context, tx *sql.Tx) error {
	views, err := viewScript()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, views)
	return err
}
