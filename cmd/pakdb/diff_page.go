package main

import (
	"context"
	"errors"
	"fmt"

	"pakdb/diff"
	"pakdb/diff/page"
	"pakdb/query"
)

// formatHTML is a page to look at; only the changes themselves have one.
const formatHTML = "html"

func (opts *diffOptions) checkFormat(a *app) error {
	if opts.format != formatHTML {
		return query.Output{W: a.stdout, Format: opts.format}.Check()
	}
	if opts.stat || opts.summary != "" || opts.nameOnly || opts.nameStatus || opts.semantic || opts.impact {
		return fmt.Errorf("%w: --format html shows the changes as they are; it goes with no other view", errUsage)
	}
	return nil
}

// diffPage writes the changes as one page, with what the whole update takes by each
// way of transport.
func diffPage(ctx context.Context, a *app, c *changes) (int, error) {
	downloads, err := c.Downloads(ctx)
	if err != nil {
		return 0, err
	}
	w := page.New(a.stdout, c.OldBuild, c.NewBuild, damageTexts(c.damaged)...)
	w.SetDownloads(downloads)
	n, err := c.each(ctx, func(ch *diff.Change) error { return w.Add(ch) })
	return n, errors.Join(err, w.Close())
}
