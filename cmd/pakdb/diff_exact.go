package main

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"pakdb/diff"
	"pakdb/diff/locate"
)

// listDownloads tells what the update takes, whichever changes were asked for.
func listDownloads(ctx context.Context, a *app, c *changes, s *sides, exact bool) ([]diff.Download, error) {
	if exact {
		return exactDownloads(ctx, a, s)
	}
	return c.Downloads(ctx)
}

// exactDownloads makes the transport patch between the files of both sides, if
// they are still where the catalog says and what it says, to know its size.
func exactDownloads(ctx context.Context, a *app, s *sides) (all []diff.Download, err error) {
	old, err := openBuilt(ctx, a, s.db, s.old.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	new, err := openBuilt(ctx, a, s.db, s.new.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, new.Close()) }()
	e, err := estimateDelta(ctx, a, old.Inputs, new.Inputs)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(old.Unchanged(e.Old), new.Unchanged(e.Now)); err != nil {
		return nil, exactHint(err)
	}
	return downloadsOf(e), nil
}

// openBuilt opens the files of a build. They have the sizes that they had; Unchanged
// tells whether they are the same.
func openBuilt(ctx context.Context, a *app, db *sql.DB, label string) (*locate.Files, error) {
	files, err := diff.Files(ctx, db, label)
	if err != nil {
		return nil, err
	}
	return locate.Open(label, files, a.registry())
}

func exactHint(err error) error {
	if errors.Is(err, locate.ErrChanged) || errors.Is(err, fs.ErrNotExist) {
		return hinted(err, "--exact reads the archives; without it the catalog is enough")
	}
	return err
}
