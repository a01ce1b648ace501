package compare

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/terminal"
)

func kindColour(k diff.Kind) string {
	switch k {
	case diff.Added:
		return cli.Green
	case diff.Removed:
		return cli.Red
	case diff.Modified:
		return cli.Yellow
	case diff.Renamed, diff.Moved:
		return cli.Cyan
	}
	return cli.Faint
}

// signed writes a difference of sizes.
func signed(n int64) string {
	switch {
	case n > 0:
		return "+" + cli.HumanSize(n)
	case n < 0:
		return "-" + cli.HumanSize(-n)
	}
	return "0"
}

// changedName is the path; of a rename both.
func changedName(c *diff.Change) string {
	if c.Kind == diff.Renamed {
		return terminal.Printable(c.Old.Name()) + " -> " + terminal.Printable(c.New.Name())
	}
	return terminal.Printable(c.Name())
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
		all = append(all, partText(c))
	}
	if c.Also != 0 {
		all = append(all, "also "+strings.ReplaceAll(c.Also.String(), ",", ", "))
	}
	happened := c.Kind | c.Also
	if happened&diff.Moved != 0 && c.Old != nil && c.New != nil {
		all = append(all, terminal.Printable(c.Old.Archive)+" -> "+terminal.Printable(c.New.Archive))
	}
	if happened&diff.Restored != 0 && c.Old != nil && c.New != nil {
		all = append(all, fmt.Sprintf("%s %d -> %s %d", c.Old.Method, c.Old.Stored, c.New.Method, c.New.Stored))
	}
	if happened&diff.Copies != 0 && c.Old != nil && c.New != nil {
		all = append(all, fmt.Sprintf("%d -> %d copies", c.Old.Copies, c.New.Copies))
	}
	for _, n := range c.Notes {
		all = append(all, terminal.Printable(n))
	}
	if all == nil {
		return ""
	}
	return "  (" + strings.Join(all, "; ") + ")"
}

// partText names the files of an asset that changed: ".uasset .uexp, .ubulk lost".
func partText(c *diff.Change) string {
	var changed, all []string
	for _, p := range c.Parts {
		switch {
		case p.Kind == c.Kind || p.Kind&(diff.Added|diff.Removed) == 0:
			changed = append(changed, p.Ext)
		case p.Kind == diff.Removed:
			all = append(all, p.Ext+" lost")
		default:
			all = append(all, p.Ext+" new")
		}
	}
	if changed != nil {
		all = slices.Insert(all, 0, strings.Join(changed, " "))
	}
	return strings.Join(all, ", ")
}

// diffList is what a person sees: a line a change, and the sums.
func diffList(ctx context.Context, a *cli.App, c *changes) (int, error) {
	w := bufio.NewWriterSize(c.out, 1<<16)
	p := cli.NewPalette(a)
	totals := diff.NewTotals("kind")
	if !a.Quiet {
		if err := listFolders(ctx, w, c); err != nil {
			return 0, err
		}
	}
	width := cli.OutputOf(a, "").Width
	kinds := map[diff.Kind]string{}
	for _, k := range diff.Kinds() {
		kinds[k] = p.Paint(kindColour(k), fmt.Sprintf("%-8s", k)) + "  "
	}
	var line []byte // formatting each by package fmt took a twelfth of the CPU of a diff
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		s := ch.Sizes()
		name, more := fitChange(ch, width)
		size := signed(s.NewSize - s.OldSize)
		line = append(append(append(line[:0], kinds[ch.Kind]...), "          "[min(len(size), 10):]...), size...)
		line = append(append(append(line, "  "...), name...), p.Paint(cli.Faint, more)...)
		_, err := w.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return n, err
	}
	if !a.Quiet {
		_, _ = fmt.Fprintln(w, diffSums(c, totals))
	}
	return n, w.Flush()
}

// listBeside is how many cells a line of diffList has before the name.
const listBeside = 8 + 2 + 10 + 2

// fitChange returns the name of a change and its remarks, such that a line of diffList
// fits a terminal of that width: remarks lose their end first, down to half of the line.
// 0 is no terminal.
func fitChange(c *diff.Change, width int) (name, more string) {
	name, more = changedName(c), remarks(c)
	room := max(width-listBeside, terminal.LeastWidth)
	if width == 0 || terminal.Width(name)+terminal.Width(more) <= room {
		return name, more
	}
	more = terminal.ShortenEnd(more, max(room-terminal.Width(name), room/2))
	room -= terminal.Width(more)
	if c.Kind != diff.Renamed {
		return terminal.Shorten(name, room), more
	}
	const arrow = " -> "
	from, to := terminal.Printable(c.Old.Name()), terminal.Printable(c.New.Name())
	from = terminal.Shorten(from, max((room-len(arrow))/2, room-len(arrow)-terminal.Width(to)))
	return from + arrow + terminal.Shorten(to, room-len(arrow)-terminal.Width(from)), more
}

// nothingChanged says what else there is to say where no change is shown.
func nothingChanged(c *changes) string {
	how := "are the same"
	switch {
	case c.Len() > 0:
		return c.noneMatch()
	case codecs.HidesEntries(c.damaged):
		how += ", as far as the damaged archives show"
	case c.unknown > 0:
		how += ", as far as they could be compared"
	case len(c.Reordered) > 0:
		how = "hold the same entries, in another order"
	case len(c.exec) > 0:
		how = "hold the same entries, and differ in which files are executable"
	}
	return fmt.Sprintf("%s and %s %s", terminal.Printable(c.OldBuild), terminal.Printable(c.NewBuild), how)
}

// diffSums is the line below everything.
func diffSums(c *changes, t *diff.Totals) string {
	var parts []string
	for _, k := range diff.Kinds() {
		if n := t.Get(k.String()).Count; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, k))
		}
	}
	if parts == nil {
		return nothingChanged(c)
	}
	s := t.All
	text := fmt.Sprintf("%s; changed files: %s -> %s, stored %s -> %s, to download about %s", strings.Join(parts, ", "),
		cli.HumanSize(s.OldSize), cli.HumanSize(s.NewSize), cli.HumanSize(s.OldStored), cli.HumanSize(s.NewStored), cli.HumanSize(s.Download))
	if s.Cosmetic > 0 {
		text += fmt.Sprintf(", of which %s is cook noise", cli.HumanSize(s.CosmeticDownload))
	}
	if c.unknown > 0 {
		text += "; " + c.unknownText()
	}
	return text
}

func diffNames(ctx context.Context, a *cli.App, c *changes, status bool) (int, error) {
	w := bufio.NewWriterSize(c.out, 1<<16)
	n, err := c.each(ctx, func(ch *diff.Change) error {
		name := terminal.Printable(ch.Name())
		if status {
			_ = w.WriteByte(ch.Kind.Letter())
			if ch.Kind == diff.Renamed {
				if ch.Similarity > 0 {
					_, _ = fmt.Fprintf(w, "%03d", ch.Similarity)
				}
				_, _ = w.WriteString("\t" + terminal.Printable(ch.Old.Name()))
			}
			_ = w.WriteByte('\t')
		}
		_, _ = w.WriteString(name)
		return w.WriteByte('\n') // a write that failed fails all that follow
	})
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
func diffStat(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, opts diffOptions) (int, error) {
	downloads, err := diff.Ways(ctx, s.DB, c.Result)
	if err != nil {
		return 0, err
	}
	if opts.format != "" {
		n, err := c.each(ctx, func(*diff.Change) error { return nil })
		return n, errors.Join(err, cli.WriteRows(a, downloads, opts.format))
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
	widest, signs := fitStat(cli.OutputOf(a, "").Width, widest)
	w := bufio.NewWriter(c.out)
	p := cli.NewPalette(a)
	_, err = c.each(ctx, func(ch *diff.Change) error {
		plus, minus := replaced(ch)
		s := ch.Sizes()
		drawn := p.Paint(cli.Green, bar('+', plus, largest, signs)) + p.Paint(cli.Red, bar('-', minus, largest, signs))
		if s.Cosmetic > 0 {
			drawn = p.Paint(cli.Faint, bar('~', plus+minus, largest, signs))
		}
		_, err := fmt.Fprintf(w, " %s | %10s -> %10s %s\n", terminal.Pad(changedName(ch), widest), cli.HumanSize(s.OldSize), cli.HumanSize(s.NewSize), drawn)
		return err
	})
	if err == nil && !a.Quiet {
		_, _ = fmt.Fprintln(w, diffSums(c, totals))
		_, _ = fmt.Fprintln(w, "\nto download as")
		err = cli.Print(w, downloads)
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

func diffSummary(ctx context.Context, a *cli.App, c *changes, by, format string) (int, error) {
	totals := diff.NewTotals(by)
	n, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		return nil
	})
	if err != nil {
		return n, err
	}
	c.begin()
	rows, err := a.Brief(format, []string{by, "changes", "difference", "download"}, by, "changes", "old_size", "new_size", "difference", "old_stored", "new_stored", "download",
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

func diffRows(ctx context.Context, a *cli.App, c *changes, format string) (int, error) {
	rows, err := a.Rows(format, diff.RowColumns()...)
	if err != nil {
		return 0, err
	}
	for _, d := range c.damaged {
		if err := rows.Write(diff.DamagedRow(d.Archive, d.String())...); err != nil {
			return 0, cmp.Or(err, rows.Close())
		}
	}
	n, err := c.each(ctx, func(ch *diff.Change) error { return rows.Write(ch.Row()...) })
	return n, cmp.Or(err, rows.Close())
}
