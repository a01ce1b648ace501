package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"pakdb/diff"
	"pakdb/internal/terminal"
)

// palette colours lines for people; without a terminal, or with NO_COLOR, it
// does nothing.
type palette struct{ on bool }

func newPalette(a *app) palette {
	return palette{terminal.Colours(a.stdout)}
}

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
	faint  = "2"
)

func (p palette) paint(colour, s string) string {
	if !p.on || s == "" || colour == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

func kindColour(k diff.Kind) string {
	switch k {
	case diff.Added:
		return green
	case diff.Removed:
		return red
	case diff.Modified:
		return yellow
	case diff.Renamed, diff.Moved:
		return cyan
	}
	return faint
}

// signed writes a difference of sizes.
func signed(n int64) string {
	switch {
	case n > 0:
		return "+" + humanSize(n)
	case n < 0:
		return "-" + humanSize(-n)
	}
	return "0"
}

// changedName is the path; of a rename both.
func changedName(c *diff.Change) string {
	if c.Kind == diff.Renamed {
		return printable(c.Old.Name()) + " -> " + printable(c.New.Name())
	}
	return printable(c.Name())
}

// remarks are what else there is to say of a change, for people.
func remarks(c *diff.Change) string {
	var all []string
	if c.RenamedBy != "" {
		text := "by " + c.RenamedBy
		if c.Similarity > 0 && c.Similarity < 100 {
			text += fmt.Sprintf(", %d%% alike", c.Similarity)
		}
		all = append(all, text)
	}
	if len(c.Parts) > 0 {
		all = append(all, c.PartList())
	}
	if c.Also != 0 {
		all = append(all, "also "+strings.ReplaceAll(c.Also.String(), ",", ", "))
	}
	happened := c.Kind | c.Also
	if happened&diff.Moved != 0 && c.Old != nil && c.New != nil {
		all = append(all, printable(c.Old.Archive)+" -> "+printable(c.New.Archive))
	}
	if happened&diff.Restored != 0 && c.Old != nil && c.New != nil {
		all = append(all, fmt.Sprintf("%s %d -> %s %d", c.Old.Method, c.Old.Stored, c.New.Method, c.New.Stored))
	}
	if happened&diff.Copies != 0 && c.Old != nil && c.New != nil {
		all = append(all, fmt.Sprintf("%d -> %d copies", c.Old.Copies, c.New.Copies))
	}
	for _, n := range c.Notes {
		all = append(all, printable(n))
	}
	if all == nil {
		return ""
	}
	return "  (" + strings.Join(all, "; ") + ")"
}

// diffList is what a person sees: a line a change, and the sums.
func diffList(ctx context.Context, a *app, c *changes) (int, error) {
	w := bufio.NewWriter(a.stdout)
	p := newPalette(a)
	totals := diff.NewTotals("kind")
	if !a.quiet {
		if err := listFolders(ctx, w, c); err != nil {
			return 0, err
		}
	}
	list := c.limited(func(ch *diff.Change) error {
		s := ch.Sizes()
		_, err := fmt.Fprintf(w, "%s  %10s  %s%s\n", p.paint(kindColour(ch.Kind), fmt.Sprintf("%-8s", ch.Kind)),
			signed(s.NewSize-s.OldSize), changedName(ch), p.paint(faint, remarks(ch)))
		return err
	})
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		return list(ch)
	})
	if err != nil {
		return n, err
	}
	if !a.quiet {
		_, _ = fmt.Fprintln(w, diffSums(c, totals))
	}
	return n, w.Flush()
}

// diffSums is the line below everything.
func diffSums(c *changes, t *diff.Totals) string {
	var parts []string
	for _, k := range diff.Kinds() {
		if n := t.Get(k.String()).Count; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	switch {
	case parts != nil:
	case c.Len() > 0:
		return c.noneMatch()
	case hidesEntries(c.damaged):
		return fmt.Sprintf("%s and %s are the same, as far as the damaged archives tell", printable(c.OldBuild), printable(c.NewBuild))
	case len(c.Reordered) > 0:
		return fmt.Sprintf("%s and %s hold the same entries, in another order", printable(c.OldBuild), printable(c.NewBuild))
	default:
		return fmt.Sprintf("%s and %s are the same", printable(c.OldBuild), printable(c.NewBuild))
	}
	s := t.All
	text := fmt.Sprintf("%s: decoded %s -> %s, stored %s -> %s, to download about %s", strings.Join(parts, ", "),
		humanSize(s.OldSize), humanSize(s.NewSize), humanSize(s.OldStored), humanSize(s.NewStored), humanSize(s.Download))
	if s.Cosmetic > 0 {
		text += fmt.Sprintf(", of which %s is cook noise", humanSize(s.CosmeticDownload))
	}
	return text
}

func diffNames(ctx context.Context, a *app, c *changes, status bool) (int, error) {
	w := bufio.NewWriter(a.stdout)
	n, err := c.each(ctx, c.limited(func(ch *diff.Change) error {
		if !status {
			_, err := fmt.Fprintln(w, printable(ch.Name()))
			return err
		}
		mark := string(ch.Kind.Letter())
		if ch.Kind != diff.Renamed {
			_, err := fmt.Fprintf(w, "%s\t%s\n", mark, printable(ch.Name()))
			return err
		}
		if ch.Similarity > 0 {
			mark += fmt.Sprintf("%03d", ch.Similarity)
		}
		_, err := fmt.Fprintf(w, "%s\t%s\t%s\n", mark, printable(ch.Old.Name()), printable(ch.New.Name()))
		return err
	}))
	return n, cmp.Or(err, w.Flush()) // a write that failed fails both, with one error
}

// statWidth is how many signs the largest change has.
const statWidth = 40

// statBeside is how many cells a line of diffStat has beside the name and the signs.
const statBeside = 30

// fitStat returns how many cells names and signs get on a terminal of that width, at
// most as many as they need. 0 is no terminal.
func fitStat(width, names int) (fittedNames, signs int) {
	if width == 0 {
		return names, statWidth
	}
	names = min(names, max(width-statBeside-statWidth/2, terminal.LeastWidth))
	return names, min(statWidth, max(width-statBeside-names, 1))
}

// diffStat draws how much must be fetched (+) and how much is gone or replaced
// (-), in the manner of git; cook noise is drawn as ~.
func diffStat(ctx context.Context, a *app, c *changes, s *sides, opts diffOptions) (int, error) {
	downloads, err := listDownloads(ctx, a, c, s, opts.exact)
	if err != nil {
		return 0, err
	}
	if opts.format != "" {
		n, err := c.each(ctx, func(*diff.Change) error { return nil })
		return n, errors.Join(err, downloadRows(a, downloads, opts.format))
	}
	totals := diff.NewTotals("kind")
	widest, largest := 0, int64(1)
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		plus, minus := replaced(ch)
		widest, largest = max(widest, terminal.Width(changedName(ch))), max(largest, plus+minus)
		return nil
	})
	if err != nil {
		return n, err
	}
	widest, signs := fitStat(outputOf(a, "").Width, widest)
	w := bufio.NewWriter(a.stdout)
	p := newPalette(a)
	_, err = c.each(ctx, c.limited(func(ch *diff.Change) error {
		plus, minus := replaced(ch)
		s := ch.Sizes()
		drawn := p.paint(green, bar('+', plus, largest, signs)) + p.paint(red, bar('-', minus, largest, signs))
		if s.Cosmetic > 0 {
			drawn = p.paint(faint, bar('~', plus+minus, largest, signs))
		}
		_, err := fmt.Fprintf(w, " %s | %10s -> %10s %s\n", terminal.Pad(changedName(ch), widest), humanSize(s.OldSize), humanSize(s.NewSize), drawn)
		return err
	}))
	if err == nil && !a.quiet {
		_, _ = fmt.Fprintln(w, diffSums(c, totals))
		_, _ = fmt.Fprintln(w, "\nto download as")
		err = printDownloads(w, downloads)
	}
	return n, cmp.Or(err, w.Flush()) // a write that failed fails both, with one error
}

// replaced estimates the bytes that came and went.
func replaced(c *diff.Change) (plus, minus int64) {
	s := c.Sizes()
	switch {
	case c.Old == nil:
		return s.NewSize, 0
	case c.New == nil:
		return 0, s.OldSize
	case (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0:
		return 0, 0
	}
	kept := min(s.OldSize, s.NewSize) * int64(c.Similarity) / 100
	return s.NewSize - kept, s.OldSize - kept
}

func bar(sign byte, n, largest int64, most int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(string(sign), max(1, int(float64(n)/float64(largest)*float64(most))))
}

func diffSummary(ctx context.Context, a *app, c *changes, by, format string) (int, error) {
	totals := diff.NewTotals(by)
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		return nil
	})
	if err != nil {
		return n, err
	}
	rows, err := a.rows(format, by, "changes", "old_size", "new_size", "difference", "old_stored", "new_stored", "download",
		"cosmetic", "cosmetic_download")
	if err != nil {
		return n, err
	}
	write := func(name string, s diff.Sizes) error {
		return rows.Write(name, s.Count, s.OldSize, s.NewSize, s.NewSize-s.OldSize, s.OldStored, s.NewStored, s.Download, s.Cosmetic, s.CosmeticDownload)
	}
	for _, v := range totals.Values() {
		if err := write(v, totals.Get(v)); err != nil {
			return n, err
		}
	}
	if format == "" && n > 0 {
		err = write("(all)", totals.All)
	}
	return n, cmp.Or(err, rows.Close())
}

func diffRows(ctx context.Context, a *app, c *changes, format string) (int, error) {
	rows, err := a.rows(format, diff.RowColumns()...)
	if err != nil {
		return 0, err
	}
	for _, d := range c.damaged {
		if err := rows.Write(diff.DamagedRow(d.Archive, d.String())...); err != nil {
			return 0, cmp.Or(err, rows.Close())
		}
	}
	n, err := c.each(ctx, c.limited(func(ch *diff.Change) error { return rows.Write(ch.Row()...) }))
	return n, cmp.Or(err, rows.Close())
}
