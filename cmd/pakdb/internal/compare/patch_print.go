package compare

import (
	"bufio"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/terminal"
)

func warnPatch(a *cli.App, p *overlay.Plan) {
	for _, d := range p.Damaged {
		a.Warn("damaged archive: " + d)
	}
	for _, w := range p.Warnings {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: warning: "+terminal.Printable(w))
	}
}

// printPlan shows what goes in, why, how big, and what it hides.
func printPlan(a *cli.App, p *overlay.Plan, format string) error {
	warnPatch(a, p)
	if format == "" {
		return drawPlan(a, p)
	}
	rows, err := a.Rows(format, "action", "path", "reason", "archive", "size", "stored", "content", "source", "over", "hides")
	if err != nil {
		return err
	}
	for _, f := range p.Entries() {
		if err := rows.Write(f.Action, f.Path, f.Reason, f.Archive, f.Size, f.Stored, cli.TextOrNull(f.Content),
			cli.TextOrNull(f.From), cli.TextOrNull(f.Over), int64(f.Hides)); err != nil {
			return err
		}
	}
	return rows.Close()
}

var actionColours = map[string]string{"add": cli.Green, "replace": cli.Yellow, "delete": cli.Red, "carry": cli.Faint}

func drawPlan(a *cli.App, p *overlay.Plan) error {
	w := bufio.NewWriter(a.Stdout)
	c := cli.NewPalette(a)
	entries := p.Entries()
	for n := range p.Parts {
		part := &p.Parts[n]
		_, _ = fmt.Fprintf(w, "%s  %s\n", part.Name, terminal.Printable(part.MountPoint))
		for _, i := range part.Items {
			f := &entries[i]
			size := "-"
			if f.Action != "delete" {
				size = cli.HumanSize(f.Stored)
			}
			_, _ = fmt.Fprintf(w, "  %s %10s  %s%s\n", c.Paint(actionColours[f.Action], fmt.Sprintf("%-7s", f.Action)), size,
				terminal.Printable(f.Path), c.Paint(cli.Faint, "  "+terminal.Printable(because(f))))
		}
	}
	if !a.Quiet {
		_, _ = fmt.Fprintln(w, planSums(p))
	}
	return w.Flush()
}

// because is why a file is in and what it hides.
func because(f *overlay.ManifestFile) string {
	switch {
	case f.Hides == 1:
		return f.Reason + ", over " + f.Over
	case f.Hides > 1:
		return fmt.Sprintf("%s, over %s and %d more", f.Reason, f.Over, f.Hides-1)
	}
	return f.Reason
}

// planSums adds up a plan.
func planSums(p *overlay.Plan) string {
	counts := map[overlay.Action]int64{}
	size, stored := int64(0), int64(0)
	for i := range p.Items {
		it := &p.Items[i]
		counts[it.Action]++
		if it.New != nil {
			size, stored = size+it.New.Size, stored+it.New.Stored
		}
	}
	var words []string
	for _, action := range []overlay.Action{overlay.Add, overlay.Replace, overlay.Carry, overlay.Delete} {
		if n := counts[action]; n > 0 {
			words = append(words, fmt.Sprintf("%d to %s", n, action))
		}
	}
	if len(words) == 0 {
		words = []string{"nothing to do"}
	}
	text := fmt.Sprintf("%s: %s decoded, %s stored", strings.Join(words, ", "), cli.HumanSize(size), cli.HumanSize(stored))
	if n := len(p.Left); n > 0 {
		text += fmt.Sprintf("; %s left out", cli.Plural(int64(n), "change", "changes"))
	}
	return text
}

func printWritten(a *cli.App, p *overlay.Plan, written []overlay.Written, proof *overlay.Report) error {
	if a.Quiet {
		return nil
	}
	w := bufio.NewWriter(a.Stdout)
	for i := range written {
		part := &written[i]
		files, deleted := p.Counts(&part.Part)
		text := cli.Plural(int64(files), "file", "files")
		if deleted > 0 {
			text += ", " + cli.Plural(int64(deleted), "delete record", "delete records")
		}
		place := ""
		switch part.Use {
		case overlay.Over:
			place = fmt.Sprintf("mounted with order %d or higher", part.Order)
		case overlay.Instead:
			text, place = cli.Plural(int64(part.Entries()), "entry", "entries"), "takes the place of the old one"
		case overlay.Beside:
			place = "to be put beside the old ones"
		}
		_, _ = fmt.Fprintf(w, "%s: %s, %s (%s passed through); %s\n", terminal.Printable(part.Path), text,
			cli.HumanSize(part.Size), cli.HumanSize(part.Raw), place)
	}
	_, _ = fmt.Fprintln(w, planSums(p))
	what := "the new build"
	if len(p.Left)+len(p.Kept) > 0 {
		what = "what was planned"
	}
	_, _ = fmt.Fprintf(w, "proved: the old build with the patch is %s, %s%s\n", what, cli.Plural(int64(proof.Files), "file", "files"), outside(p))
	return w.Flush()
}

// outside says how many changed files no archive holds, "" for none.
func outside(p *overlay.Plan) string {
	paths := p.Outside()
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("; not in it: %s outside of archives, as %s", cli.Plural(int64(len(paths)), "changed file", "changed files"), terminal.Printable(paths[0]))
}

// printDifferences shows in what a comparison failed.
func printDifferences(a *cli.App, r *overlay.Report) {
	if r == nil {
		return
	}
	for i := range r.Differences {
		if i == 20 {
			_, _ = fmt.Fprintf(a.Stderr, "  and %d more\n", len(r.Differences)-i)
			return
		}
		d := &r.Differences[i]
		text := d.Kind
		if d.Err != nil {
			text += ": " + d.Err.Error()
		}
		_, _ = fmt.Fprintf(a.Stderr, "  %s  %s\n", terminal.Printable(d.Path), terminal.PrintableLines(text))
	}
}

// explainPatch reports what both builds have at one path, and what the patch does.
func explainPatch(a *cli.App, p *overlay.Plan, path string) error {
	key := p.Find(path)
	w := bufio.NewWriter(a.Stdout)
	found := false
	for _, s := range []*overlay.Stack{p.Old, p.New} {
		seen := s.View()[key]
		_, _ = fmt.Fprintf(w, "%s\n", terminal.Printable(s.Label))
		n := 0
		for i := range s.Files {
			f := &s.Files[i]
			if f.Key != key {
				continue
			}
			n++
			_, _ = fmt.Fprintf(w, "  %s %s  order %d  %s\n", seenMark(f, seen), terminal.Printable(f.Mount.Name), f.Mount.Order, describeFile(f))
		}
		if n == 0 {
			_, _ = fmt.Fprintln(w, "  not there")
		}
		found = found || n > 0
	}
	if !found {
		return fmt.Errorf("%w: %q in neither build", codecs.ErrNotFound, path)
	}
	_, _ = fmt.Fprintln(w, verdict(p, key))
	return w.Flush()
}

// seenMark marks the entry that the game sees.
func seenMark(f, seen *overlay.File) string {
	if f == seen {
		return "*"
	}
	return " "
}

func describeFile(f *overlay.File) string {
	switch {
	case f.Deleted():
		return "delete record"
	case f.Known:
		return fmt.Sprintf("%s, %d bytes, content %x", terminal.Printable(f.Path()), f.Size, f.Content[:8])
	}
	return fmt.Sprintf("%s, %d bytes, content not known", terminal.Printable(f.Path()), f.Size)
}

func verdict(p *overlay.Plan, key overlay.Key) string {
	entries := p.Entries()
	for i := range p.Items {
		if it := &p.Items[i]; it.Key() == key {
			return fmt.Sprintf("%s in %s: %s", it.Action, p.Parts[it.Part].Name, terminal.Printable(because(&entries[i])))
		}
	}
	for _, list := range []struct {
		items []overlay.Item
		text  string
	}{{p.Left, "left out by --only or --exclude"}, {p.Kept, "stays: the archives cannot hold delete records"}} {
		for i := range list.items {
			if it := &list.items[i]; it.Key() == key {
				return fmt.Sprintf("%s, but %s", it.Reason, list.text)
			}
		}
	}
	if seen := p.New.View()[key]; seen != nil && seen.Mount.Loose() {
		return "not in the patch: it is in no archive"
	}
	return "not in the patch: the game sees the same content in both builds"
}
