package operand

import (
	"context"
	"fmt"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/diff/ship/overlay"
)

// MountAll mounts builds and paths in their order, each over those before.
func MountAll(ctx context.Context, a *cli.App, names []string, loose bool) (*overlay.Stack, error) {
	labels, err := knownBuilds(ctx, a)
	if err != nil {
		return nil, err
	}
	var all *overlay.Stack
	for _, name := range names {
		s, err := mountOne(ctx, a, name, slices.Contains(labels, name), loose)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
		} else {
			all = all.Over(s)
		}
	}
	return all, nil
}

func mountOne(ctx context.Context, a *cli.App, name string, isBuild, loose bool) (*overlay.Stack, error) {
	if !isBuild {
		paths, err := Expand([]string{name})
		if err != nil {
			return nil, err
		}
		s, err := (&overlay.Disk{Registry: a.Registry(), Options: a.OpenOptions(), Passed: a.LeftOut}).Stack(ctx, name, paths, loose)
		if err != nil {
			return nil, err
		}
		if len(s.Mounts) == 0 && len(s.Damage) == 0 {
			return nil, fmt.Errorf("%w: no archives in %s", cli.ErrUsage, name)
		}
		return s, nil
	}
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	stacks, err := diff.LoadStacks(ctx, db, a.Registry(), name)
	if err != nil {
		return nil, err
	}
	return stacks[0], nil
}
