package compare

import (
	"context"
	"errors"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/page"
	"pakdb/query/show"
)

// diffMarkdown writes a summary for a pull request.
func diffMarkdown(ctx context.Context, a *cli.App, c *changes) (int, error) {
	totals := diff.NewTotals("kind")
	if _, err := c.each(ctx, func(ch *diff.Change) error { totals.Add(ch); return nil }); err != nil {
		return 0, err
	}
	return page.Markdown(a.Stdout, c.OldBuild, c.NewBuild, codecs.DamageTexts(c.damaged), diffSums(c, totals), cli.HumanSize,
		func(do func(*diff.Change) error) (int, error) { return c.each(ctx, do) })
}

// diffPage writes the changes as one page, with what the whole update takes by each
// way of transport.
func diffPage(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, opts diffOptions) (int, error) {
	downloads, err := diff.Ways(ctx, s.DB, c.Result)
	if err != nil {
		return 0, err
	}
	w := page.New(a.Stdout, c.OldBuild, c.NewBuild, codecs.DamageTexts(c.damaged)...)
	w.SetDownloads(downloads)
	w.SetUnknown(c.unknown)
	var in *show.Comparer
	if opts.semantic {
		in = newInsider(a, s, opts, c)
	}
	n, err := c.each(ctx, func(ch *diff.Change) error {
		difference, err := in.Changed(ctx, ch)
		if err != nil {
			return err
		}
		w.AddPictures(in.Pictures())
		return w.Add(ch, difference)
	})
	return n, errors.Join(err, in.Close(), w.Close())
}
