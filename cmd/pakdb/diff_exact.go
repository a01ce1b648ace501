package main

import (
	"context"
	"errors"
	"io/fs"

	"pakdb/diff"
)

// downloads tells what the update takes, whichever changes were asked for.
func (a *app) downloads(ctx context.Context, c *changes, s *sides, exact bool) ([]diff.Download, error) {
	if exact {
		return a.exactDownloads(ctx, s)
	}
	return c.Downloads(ctx)
}

// exactDownloads makes the transport patch between the files of both sides, if
// they are still where the catalog says and what it says, to know its size.
func (a *app) exactDownloads(ctx context.Context, s *sides) (all []diff.Download, err error) {
	old, err := a.openBuiltFiles(ctx, s.db, s.old.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, old.close()) }()
	new, err := a.openBuiltFiles(ctx, s.db, s.new.label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, new.close()) }()
	e, err := a.estimate(ctx, old.inputs, new.inputs)
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
