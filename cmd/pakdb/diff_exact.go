package main

import (
	"context"
	"errors"
	"io/fs"

	"pakdb/diff"
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
	old, err := openBuiltFiles(ctx, a, s.db, s.old.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, old.close()) }()
	new, err := openBuiltFiles(ctx, a, s.db, s.new.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, new.close()) }()
	e, err := estimateDelta(ctx, a, old.inputs, new.inputs)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(old.unchanged(e.Old), new.unchanged(e.Now)); err != nil {
		return nil, exactHint(err)
	}
	return downloadsOf(e), nil
}

func exactHint(err error) error {
	if errors.Is(err, errChanged) || errors.Is(err, fs.ErrNotExist) {
		return hinted(err, "--exact reads the archives; without it the catalog is enough")
	}
	return err
}
