package views

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"pakdb/schema/internal/conn"
)

// The users' stable surface. A new text of a view needs a new version of
// the catalog; columns are only ever added. The comment before each is its
// summary in SCHEMA.md.
//
//go:embed *.sql
var scripts embed.FS

// Script returns the statements of all views, in the order of the files' names.
func Script() (string, error) {
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

// Exist reports whether a database has all of these views, whatever others it has.
func Exist(ctx context.Context, db conn.Querier) bool {
	stored, err := Stored(ctx, db)
	if err != nil {
		return false
	}
	views, err := names()
	return err == nil && !slices.ContainsFunc(views, func(name string) bool { return stored[name] == "" })
}

// names returns the names of all views.
func names() (all []string, err error) {
	text, err := Script()
	for _, view := range strings.Split(text, "\nCREATE VIEW ")[1:] {
		name, _, _ := strings.Cut(view, " ")
		all = append(all, name)
	}
	return all, err
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

// Drop removes all of these views: those of older versions name tables that scripts rename.
func Drop(ctx context.Context, tx *sql.Tx) error {
	views, err := names()
	if err != nil {
		return err
	}
	for _, name := range views {
		if _, err := tx.ExecContext(ctx, "DROP VIEW IF EXISTS "+name); err != nil {
			return err
		}
	}
	return nil
}

// Create makes all views, of which the database has none.
func Create(ctx context.Context, tx *sql.Tx) error {
	views, err := Script()
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
	rest, err := Script()
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
