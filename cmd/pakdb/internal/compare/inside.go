package compare

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/show"
)

// newInsider returns a comparer of the inside of contents: of all changes of c, if there are
// such.
func newInsider(a *cli.App, s *operand.Sides, opts diffOptions, c *changes) *show.Comparer {
	in := newWarning(a, s.DB, s.Contents, s.Old.Label, s.New.Label)
	in.Hashes, in.Media = opts.inside == insideAll, opts.inside == insideAll || opts.format == formatHTML
	if c != nil {
		in.Changes = c.Changes
	}
	return in
}

// newWarning returns a comparer of two builds that warns on stderr.
func newWarning(a *cli.App, db *sql.DB, contents *query.Contents, old, new string) *show.Comparer {
	in := show.NewComparer(db, contents, a.Registry(), old, new)
	in.Warn = func(text string) { _, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.Printable(text)) }
	return in
}

// insideWriter shows what changed inside of contents, for people or as rows.
type insideWriter struct {
	with *show.Comparer
	w    *bufio.Writer
	rows *query.Rows // nil: for people
	p    cli.Palette
}

func newInsideWriter(a *cli.App, s *operand.Sides, opts diffOptions, c *changes) (*insideWriter, error) {
	format := opts.format
	w := &insideWriter{with: newInsider(a, s, opts, c), w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a)}
	if format == "" {
		return w, nil
	}
	var err error
	w.rows, err = a.Rows(format, append([]string{"kind", "path", "old_path"}, semantic.Columns()...)...)
	return w, err
}

// diffSemantic shows every change, and what changed inside of those that have
// another content.
func diffSemantic(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, opts diffOptions) (int, error) {
	w, err := newInsideWriter(a, s, opts, c)
	if err != nil {
		return 0, err
	}
	w.w = bufio.NewWriter(c.out)
	n, err := c.each(ctx, func(ch *diff.Change) error { return w.change(ctx, ch) })
	return n, errors.Join(err, w.close())
}

// diffEntries compares one entry with another.
func diffEntries(ctx context.Context, a *cli.App, opts diffOptions, s *operand.Sides) error {
	old, err := operand.FindEntry(ctx, s.DB, s.Old.Label, s.Old.Entry)
	if err != nil {
		return err
	}
	new, err := operand.FindEntry(ctx, s.DB, s.New.Label, s.New.Entry)
	if err != nil {
		return err
	}
	w, err := newInsideWriter(a, s, opts, nil)
	if err != nil {
		return err
	}
	c := diff.Change{Kind: diff.Modified, Old: old, New: new}
	if old.Content == new.Content && old.Content != "" {
		// Of a package in two files, what its exports are made of may differ.
		if in, err := w.with.Compare(ctx, &c); err != nil || in == nil || len(in.Fields) == 0 {
			return errors.Join(err, w.close())
		}
	}
	if old.Path != new.Path {
		c.Kind, c.Also = diff.Renamed, diff.Modified
	}
	if err := errors.Join(w.change(ctx, &c), w.close()); err != nil {
		return err
	}
	return cli.ErrProblems
}

func (w *insideWriter) close() error {
	err := w.with.Close()
	if w.rows != nil {
		return errors.Join(err, w.rows.Close())
	}
	return errors.Join(err, w.w.Flush())
}

func (w *insideWriter) change(ctx context.Context, c *diff.Change) error {
	if w.rows == nil {
		_, _ = fmt.Fprintf(w.w, "%s  %s%s\n", w.p.Paint(kindColour(c.Kind), c.Kind.String()), changedName(c), w.p.Paint(cli.Faint, remarks(c)))
	}
	in, err := w.with.Changed(ctx, c)
	if err != nil {
		return err
	}
	if in == nil {
		return w.row(c, nil, nil, nil, nil)
	}
	return w.inside(c, in)
}

func (w *insideWriter) inside(c *diff.Change, in *semantic.Difference) error {
	for _, f := range in.Fields {
		if err := w.field(c, f); err != nil {
			return err
		}
	}
	for i := range in.Functions {
		if err := w.function(c, &in.Functions[i]); err != nil {
			return err
		}
	}
	if in.Text != "" {
		if err := w.text(c, in.Text); err != nil {
			return err
		}
	}
	for _, r := range in.Ranges {
		if err := w.bytes(c, r); err != nil {
			return err
		}
	}
	return nil
}

// row writes a row where there are rows: field, old, new and cosmetic, nil for none.
func (w *insideWriter) row(c *diff.Change, values ...driver.Value) error {
	if w.rows == nil {
		return nil
	}
	return w.rows.Write(append(c.RowOf("kind", "path", "old_path"), values...)...)
}

func (w *insideWriter) field(c *diff.Change, f semantic.Field) error {
	if w.rows != nil {
		return w.row(c, f.Row()...)
	}
	name := terminal.Printable(f.Name)
	var err error
	switch {
	case f.New == nil:
		_, err = fmt.Fprintf(w.w, "  %s\n", w.p.Paint(cli.Red, "- "+name+behind(*f.Old)))
	case f.Old == nil:
		_, err = fmt.Fprintf(w.w, "  %s\n", w.p.Paint(cli.Green, "+ "+name+behind(*f.New)))
	default:
		noise := ""
		if f.Cosmetic {
			noise = w.p.Paint(cli.Faint, "  (cosmetic)")
		}
		_, err = fmt.Fprintf(w.w, "  ~ %s: %s -> %s%s\n", name, w.p.Paint(cli.Red, terminal.Printable(*f.Old)),
			w.p.Paint(cli.Green, terminal.Printable(*f.New)), noise)
	}
	return err
}

// behind is the text of a value after the name of a field, "" for a field that says only whether it exists.
func behind(value string) string {
	if value == "yes" {
		return ""
	}
	return ": " + terminal.Printable(value)
}

// function reports what became of a function: calls first, then the text.
func (w *insideWriter) function(c *diff.Change, f *semantic.Function) error {
	if w.rows != nil {
		for _, field := range f.Fields() {
			if err := w.field(c, field); err != nil {
				return err
			}
		}
		if f.Text == "" {
			return nil
		}
		return w.row(c, "function "+f.Path+" text", nil, f.Text, int64(0))
	}
	colour := map[semantic.FunctionKind]string{semantic.FunctionAdded: cli.Green, semantic.FunctionRemoved: cli.Red}[f.Kind]
	line := terminal.Printable(f.Path) + " " + string(f.Kind)
	if f.From != "" {
		line += ", was " + terminal.Printable(f.From)
	}
	_, _ = fmt.Fprintf(w.w, "  %s\n", w.p.Paint(colour, line))
	for i := range f.Calls {
		colour := cli.Green
		if f.Calls[i].More < 0 {
			colour = cli.Red
		}
		_, _ = fmt.Fprintf(w.w, "    %s\n", w.p.Paint(colour, terminal.Printable(f.Calls[i].String())))
	}
	return w.lines("      ", f.Text)
}

func (w *insideWriter) text(c *diff.Change, text string) error {
	if w.rows != nil {
		return w.row(c, "text", nil, text, int64(0))
	}
	return w.lines("", text)
}

// lines writes a unified diff after an indent.
func (w *insideWriter) lines(indent, text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "-"):
			colour = cli.Red
		case strings.HasPrefix(line, "+"):
			colour = cli.Green
		case strings.HasPrefix(line, "@@"):
			colour = cli.Cyan
		}
		shown := strings.ReplaceAll(line, "\t", "    ")
		if _, err := fmt.Fprintln(w.w, indent+w.p.Paint(colour, terminal.Printable(strings.TrimSuffix(shown, "\r")))); err != nil {
			return err
		}
	}
	return nil
}

func (w *insideWriter) bytes(c *diff.Change, r semantic.Range) error {
	if w.rows != nil {
		return w.row(c, "bytes", fmt.Sprintf("%d+%d", r.OldOffset, r.OldSize), fmt.Sprintf("%d+%d", r.NewOffset, r.NewSize), int64(0))
	}
	_, err := fmt.Fprintf(w.w, "  ~ %s at %#x -> %s at %#x\n", cli.Plural(r.OldSize, "byte", "bytes"), r.OldOffset,
		cli.Plural(r.NewSize, "byte", "bytes"), r.NewOffset)
	return err
}

// diffImpact shows what depends on what changed.
func diffImpact(ctx context.Context, a *cli.App, c *changes, s *operand.Sides, format string) (int, error) {
	n, err := c.each(ctx, func(*diff.Change) error { return nil })
	if err != nil {
		return n, err
	}
	rows, err := a.Rows(format, "depth", "path", "kind", "via", "changed")
	if err != nil {
		return n, err
	}
	for i, err := range diff.Impact(ctx, s.DB, c.Result, 0, c.takes) {
		changed := int64(0)
		if i.Changed {
			changed = 1
		}
		if err == nil {
			err = rows.Write(int64(i.Depth), i.Path, i.Kind, i.Via, changed)
		}
		if err != nil {
			return n, cmp.Or(err, rows.Close())
		}
	}
	return n, rows.Close()
}
