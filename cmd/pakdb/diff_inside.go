package main

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"pakdb/diff"
	"pakdb/query"
)

// insideWriter shows what changed inside of contents, for people or as rows.
type insideWriter struct {
	a    *app
	with *diff.Semantic
	w    *bufio.Writer
	rows *query.Rows // nil: for people
	p    palette
}

func newInsideWriter(a *app, s *sides, format string) (*insideWriter, error) {
	w := &insideWriter{a: a, w: bufio.NewWriter(a.stdout), p: newPalette(a), with: &diff.Semantic{
		DB: s.db, Contents: s.contents, OldBuild: s.old.label, NewBuild: s.new.label}}
	if format == "" {
		return w, nil
	}
	var err error
	w.rows, err = a.rows(format, "kind", "path", "old_path", "field", "old", "new")
	return w, err
}

// diffSemantic shows every change, and what changed inside of those that have
// another content.
func diffSemantic(ctx context.Context, a *app, c *changes, s *sides, format string) (int, error) {
	w, err := newInsideWriter(a, s, format)
	if err != nil {
		return 0, err
	}
	n, err := c.each(ctx, c.limited(func(ch *diff.Change) error { return w.change(ctx, ch) }))
	return n, errors.Join(err, w.close())
}

// diffEntries compares one entry with another.
func diffEntries(ctx context.Context, a *app, opts diffOptions, s *sides) error {
	old, err := findEntry(ctx, s.db, s.old.label, s.old.entry)
	if err != nil {
		return err
	}
	new, err := findEntry(ctx, s.db, s.new.label, s.new.entry)
	if err != nil {
		return err
	}
	w, err := newInsideWriter(a, s, opts.format)
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
	return errProblems
}

// findEntry returns the entry of a build that a game sees under a path, or under the
// only path that ends so.
func findEntry(ctx context.Context, db *sql.DB, build, entry string) (*diff.File, error) {
	f, err := diff.Find(ctx, db, build, entry)
	if !errors.Is(err, diff.ErrNoFile) {
		return f, err
	}
	path, err := entryPath(ctx, db, build, entry)
	if err != nil {
		return nil, err
	}
	return diff.Find(ctx, db, build, path)
}

func (w *insideWriter) close() error {
	if w.rows != nil {
		return w.rows.Close()
	}
	return w.w.Flush()
}

func (w *insideWriter) change(ctx context.Context, c *diff.Change) error {
	if w.rows == nil {
		_, _ = fmt.Fprintf(w.w, "%s  %s%s\n", w.p.paint(kindColour(c.Kind), c.Kind.String()), changedName(c), w.p.paint(faint, remarks(c)))
	}
	if (c.Kind|c.Also)&(diff.Modified|diff.Cosmetic) == 0 {
		return w.row(c, nil, nil, nil)
	}
	in, err := w.with.Compare(ctx, c)
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) {
		_, _ = fmt.Fprintf(w.a.stderr, "pakdb: %s: %v\n", printable(c.Name()), err)
		return w.row(c, nil, nil, nil)
	}
	if err != nil || in == nil {
		return err
	}
	return w.inside(c, in)
}

func (w *insideWriter) inside(c *diff.Change, in *diff.Inside) error {
	for _, f := range in.Fields {
		if err := w.field(c, f); err != nil {
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

// row writes a row where there are rows; old and new are nil for none.
func (w *insideWriter) row(c *diff.Change, field, old, new driver.Value) error {
	if w.rows == nil {
		return nil
	}
	return w.rows.Write(append(c.RowOf("kind", "path", "old_path"), field, old, new)...)
}

func (w *insideWriter) field(c *diff.Change, f diff.FieldChange) error {
	value := func(s *string) driver.Value {
		if s == nil {
			return nil
		}
		return *s
	}
	if w.rows != nil {
		return w.row(c, f.Field, value(f.Old), value(f.New))
	}
	name := printable(f.Field)
	var err error
	switch {
	case f.New == nil:
		_, err = fmt.Fprintf(w.w, "  %s\n", w.p.paint(red, "- "+name+behind(*f.Old)))
	case f.Old == nil:
		_, err = fmt.Fprintf(w.w, "  %s\n", w.p.paint(green, "+ "+name+behind(*f.New)))
	default:
		_, err = fmt.Fprintf(w.w, "  ~ %s: %s -> %s\n", name, w.p.paint(red, printable(*f.Old)), w.p.paint(green, printable(*f.New)))
	}
	return err
}

// behind is the value behind the name of a field, nothing for what is there or not.
func behind(value string) string {
	if value == "yes" {
		return ""
	}
	return ": " + printable(value)
}

func (w *insideWriter) text(c *diff.Change, text string) error {
	if w.rows != nil {
		return w.row(c, "text", nil, text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		colour := ""
		switch {
		case strings.HasPrefix(line, "-"):
			colour = red
		case strings.HasPrefix(line, "+"):
			colour = green
		case strings.HasPrefix(line, "@@"):
			colour = cyan
		}
		shown := strings.ReplaceAll(line, "\t", "    ")
		if _, err := fmt.Fprintln(w.w, w.p.paint(colour, printable(strings.TrimSuffix(shown, "\r")))); err != nil {
			return err
		}
	}
	return nil
}

func (w *insideWriter) bytes(c *diff.Change, r diff.Range) error {
	if w.rows != nil {
		return w.row(c, "bytes", fmt.Sprintf("%d+%d", r.OldOffset, r.OldSize), fmt.Sprintf("%d+%d", r.NewOffset, r.NewSize))
	}
	_, err := fmt.Fprintf(w.w, "  ~ %s at %#x -> %s at %#x\n", plural(r.OldSize, "byte", "bytes"), r.OldOffset,
		plural(r.NewSize, "byte", "bytes"), r.NewOffset)
	return err
}

// diffImpact shows what depends on what changed.
func diffImpact(ctx context.Context, a *app, c *changes, format string) (int, error) {
	n, err := c.each(ctx, func(*diff.Change) error { return nil })
	if err != nil {
		return n, err
	}
	rows, err := a.rows(format, "depth", "path", "kind", "via", "changed")
	if err != nil {
		return n, err
	}
	for i, err := range c.Impact(ctx, 0, c.takes) {
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
