package views

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"pakdb/schema/internal/conn"
)

// The users' stable surface. The views are dropped and made anew whenever their
// text changes; columns are only ever added. The comment before each is its
// summary in SCHEMA.md.
//
//go:embed *.sql
var scripts embed.FS

// script returns all views, in the order of the files' names.
func script() (string, error) {
	names, err := fs.Glob(scripts, "*.sql")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		text, err := scripts.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// AreCurrent reports whether a database has these views. It compares their text, so
// that a change of theirs needs no version of its own.
func AreCurrent(ctx context.Context, db conn.Querier) bool {
	stored, err := Stored(ctx, db)
	if err != nil {
		return false
	}
	views, err := script()
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

// Stored returns the texts of the views that a database has, by their names.
func Stored(ctx context.Context, db conn.Querier) (map[string]string, error) {
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

// Drop removes all views: those of older versions name tables that scripts rename.
func Drop(ctx context.Context, tx *sql.Tx) error {
	stored, err := Stored(ctx, tx)
	if err != nil {
		return err
	}
	for name := range stored {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("DROP VIEW %q", name)); err != nil {
			return err
		}
	}
	return nil
}

// Create makes all views, of which the database has none.
func Create(ctx context.Context, tx *sql.Tx) error {
	views, err := script()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, views)
	return err
}

// CreateUnread is Create in a database that whoever made it only stores: the connection
// does not know the views. SQLite parses a view twice when it creates one, which took
// two thirds of making a new catalog. So their texts are written to where it would
// write them.
func CreateUnread(ctx context.Context, tx *sql.Tx) error {
	rest, err := script()
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "PRAGMA writable_schema = ON"); err != nil {
		return err
	}
	for {
		var more, ends bool
		if _, rest, more = strings.Cut(rest, "\nCREATE VIEW "); !more {
			break
		}
		var text string
		if text, rest, ends = strings.Cut(rest, ";\n\n"); !ends {
			return fmt.Errorf("%.20s has no end", text)
		}
		name, _, _ := strings.Cut(text, " ")
		if _, err := tx.ExecContext(ctx, "INSERT INTO sqlite_schema VALUES ('view', ?1, ?1, 0, ?2)", name, "CREATE VIEW "+text); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "PRAGMA writable_schema = OFF")
	return err
}
