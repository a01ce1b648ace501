package compare

import (
	"context"
	"errors"
	"io/fs"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff/download"
	"pakdb/diff/locate"
	"pakdb/diff/ship/delta/maker"
)

// listDownloads tells what the update takes, whichever changes were asked for.
func listDownloads(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, exact bool) ([]download.Way, error) {
	if exact {
		return exactDownloads(ctx, a, s)
	}
	return download.Ways(ctx, s.DB, c.Result)
}

// exactDownloads makes the transport patch between the files of both sides, if
// they are still where the catalog says and what it says, to know its size.
func exactDownloads(ctx context.Context, a *cli.App, s *operand.Sides) (all []download.Way, err error) {
	old, err := operand.OpenBuilt(ctx, a, s.DB, s.Old.Label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	new, err := operand.OpenBuilt(ctx, a, s.DB, s.New.Label)
	if err != nil {
		return nil, exactHint(err)
	}
	defer func() { err = errors.Join(err, new.Close()) }()
	e, err := cli.Estimate(ctx, a, old.Inputs, new.Inputs, maker.MakeOptions{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(old.Unchanged(e.Old), new.Unchanged(e.Now)); err != nil {
		return nil, exactHint(err)
	}
	return cli.Ways(e), nil
}

func exactHint(err error) error {
	if errors.Is(err, locate.ErrChanged) || errors.Is(err, fs.ErrNotExist) {
		return cli.WithHint(err, "--exact reads the archives; without it the catalog is enough")
	}
	return err
}
