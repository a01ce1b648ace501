package compare

import (
	"context"
	"errors"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/query/show"
	"pakdb/web"
)

// diffMarkdown writes a summary for a pull request.
func diffMarkdown(ctx context.Context, a *cli.App, c *changes) (int, error) {
	totals := diff.NewTotals("kind")
	if _, err := c.each(ctx, func(ch *diff.Change) error { totals.Add(ch); return nil }); err != nil {
		return 0, err
	}
	return web.Markdown(a.Stdout, c.OldBuild, c.NewBuild, codecs.DamageTexts(c.damaged), diffSums(c, totals), cli.HumanSize,
		func(do func(*diff.Change) error) (int, error) { return c.each(ctx, do) })
}

// diffPage writes the changes as one page, with what the whole update takes by each
// way of transport.
func diffPage(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, opts diffOptions) (int, error) {
	downloads, err := diff.Ways(ctx, s.DB, c.Result)
	if err != nil {
		return 0, err
	}
	w := web.NewReport(a.Stdout, c.OldBuild, c.NewBuild, int64(opts.most), codecs.DamageTexts(c.damaged)...)
	w.SetDownloads(downloads)
	w.SetUnknown(c.unknown)
	in := newInsider(a, s, opts, c)
	var files []show.Placed
	n, err := c.each(ctx, func(ch *diff.Change) error {
		difference, err := in.Inside(ctx, ch)
		if err != nil {
			return err
		}
		files = append(files, show.NewerSide(c.OldBuild, c.NewBuild, ch))
		return w.Add(ch, difference, in.Pictures, in.Warnings)
	})
	if err == nil {
		var classes []string
		classes, err = show.ClassesOf(ctx, s.DB, files)
		w.SetClasses(classes)
	}
	return n, errors.Join(err, in.Close(), w.Close())
}
