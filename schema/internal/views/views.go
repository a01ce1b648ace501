package views

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"
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

// Create makes all views in a database. It only stores them: the connection does not know the
// views. SQLite parses a view twice when it creates one, which took
// two thirds of making a new catalog. So their texts are written to where it would
// write them.
func Create(ctx context.Context, tx *sql.Tx) error {
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
