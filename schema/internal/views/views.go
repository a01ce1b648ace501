package views

import (
	"context"
	"database/sql"
	"embed"
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

// Create makes all views in a database.
func Create(ctx context.Context, tx *sql.Tx) error {
	script, err := Script()
	if err == nil {
		_, err = tx.ExecContext(ctx, script)
	}
	return err
}
