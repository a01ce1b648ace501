package copies

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/nearest"
	"pakdb/query/portable"
	"pakdb/schema"
)

// gcPercent bounds garbage while rows are sorted and row groups made. Little of what is kept
// has pointers, so that collecting often costs little: 150 MB in place of 180.
const gcPercent = 50

// chosenViews returns the views of these names, all if there are none.
func chosenViews(names []string) ([]*portable.View, error) {
	if len(names) == 0 {
		return portable.Views(), nil
	}
	var views []*portable.View
	for _, name := range names {
		v, ok := portable.Of(name)
		if !ok {
			return nil, cli.WithHint(fmt.Errorf("%w: no portable view %q", cli.ErrUsage, name), nearest.Hint(nearest.Names(name, portable.Names())))
		}
		if !slices.Contains(views, v) {
			views = append(views, v)
		}
	}
	return views, nil
}

// knownBuilds returns each of the labels once, and fails if the catalog
// lacks one.
func knownBuilds(ctx context.Context, db *sql.DB, labels []string) ([]string, error) {
	known, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return nil, err
	}
	return among(known, labels, "pakdb query @builds")
}

// among returns each of the labels once, and fails if one is not known; list is the command
// that lists those that are.
func among(known, labels []string, list string) (all []string, err error) {
	for _, label := range labels {
		if !slices.Contains(known, label) {
			hint := cmp.Or(nearest.Hint(nearest.Names(label, known)), list+" lists them")
			return nil, cli.WithHint(fmt.Errorf("%w: %q", schema.ErrNoBuild, label), hint)
		}
		if !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all, nil
}
