package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"pakdb/schema/internal/conn"
	"pakdb/schema/views"
)

// ApplicationID marks a SQLite file as a pakdb catalog: "PAKD".
const ApplicationID = 0x50414b44

//go:embed *.sql
var scripts embed.FS

// newest makes all tables of a new catalog at once, as the scripts leave them: they
// take ten times as long, because each renaming parses the whole schema again.
// A test makes it, and compares the two.
//
//go:embed newest/schema.sql
var newest string

// Run brings the database to the newest version and makes the views anew, all
// in one transaction: a process that dies leaves the old version whole.
func Run(ctx context.Context, db *sql.DB) error {
	version, err := UserVersion(ctx, db)
	if err != nil {
		return err
	}
	latest, err := Version()
	if err != nil {
		return err
	}
	if err := CheckVersion(int64(version)); err != nil {
		return err
	}
	if version == latest && views.Exist(ctx, db) {
		return nil
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		var err error
		if version == 0 {
			err = createTables(ctx, tx)
		} else {
			err = runScripts(ctx, tx, version)
		}
		if err != nil {
			return err
		}
		if err := views.Create(ctx, tx); err != nil {
			return fmt.Errorf("views: %w", err)
		}
		return mark(ctx, tx, latest)
	})
}

// Fill makes an empty database one of the newest version, in a third of the time that
// Run takes. The views can be used by connections that open it later.
func Fill(ctx context.Context, db *sql.DB) error {
	latest, err := Version()
	if err != nil {
		return err
	}
	return inTx(ctx, db, func(tx *sql.Tx) error {
		if err := createTables(ctx, tx); err != nil {
			return err
		}
		if err := views.CreateUnread(ctx, tx); err != nil {
			return fmt.Errorf("views: %w", err)
		}
		return mark(ctx, tx, latest)
	})
}

func inTx(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func createTables(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, newest); err != nil {
		return fmt.Errorf("newest schema: %w", err)
	}
	return nil
}

// mark says in a database what it is, and of which version.
func mark(ctx context.Context, tx *sql.Tx, version int) error {
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, ApplicationID))
	return err
}

// Version returns the version of the catalogs that this pakdb writes: how many scripts
// there are. Older ones are brought to it when they are opened for writing.
func Version() (int, error) {
	names, err := scriptNames()
	return len(names), err
}

// CheckVersion returns an error for a version that no database of pakdb has, or only one
// of a newer pakdb.
func CheckVersion(version int64) error {
	switch latest, err := Version(); {
	case err != nil:
		return err
	case version < 0:
		return fmt.Errorf("%w: version %d", conn.ErrNotCatalog, version)
	case version > int64(latest):
		return fmt.Errorf("%w: version %d, this one knows %d", conn.ErrTooNew, version, latest)
	}
	return nil
}

func scriptNames() ([]string, error) { return fs.Glob(scripts, "*.sql") }

// runScripts runs those that a database of a version has not seen, without the views,
// which name tables that scripts rename.
func runScripts(ctx context.Context, tx *sql.Tx, version int) error {
	if err := views.Drop(ctx, tx); err != nil {
		return err
	}
	names, err := scriptNames()
	if err != nil {
		return err
	}
	for _, name := range names[version:] {
		script, err := scripts.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// UserVersion returns the version that a database says it has, 0 for a new one.
func UserVersion(ctx context.Context, db *sql.DB) (int, error) {
	var v int
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}
