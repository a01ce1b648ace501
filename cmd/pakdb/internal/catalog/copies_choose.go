package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/internal/glob"
	"pakdb/query/export"
	"pakdb/schema"
)

// chosenViews returns the views of these names, all if there are none.
func chosenViews(names []string) (views []*export.View, err error) {
	for _, v := range export.Views() {
		if len(names) == 0 || slices.Contains(names, v.Name) {
			views = append(views, v)
		}
	}
	for _, name := range names {
		if all := export.Names(); !slices.Contains(all, name) {
			return nil, cli.WithHint(fmt.Errorf("%w: no view %q has rows of builds", cli.ErrUsage, name), glob.NearestHint(glob.Nearest(name, all)))
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
			hint := cmp.Or(glob.NearestHint(glob.Nearest(label, known)), list+" lists them")
			return nil, cli.WithHint(fmt.Errorf("%w: %q", schema.ErrNoBuild, label), hint)
		}
		if !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all, nil
}
