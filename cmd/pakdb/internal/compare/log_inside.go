package compare

import (
	"bufio"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/glob"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

type logOptions struct {
	format   string
	semantic bool
	field    string
}

// buildRange is the builds from one to another, in the order in which they were indexed.
type buildRange struct {
	labels      []string // of all builds
	first, last int
}

// newBuildRange reads FIRST..LAST; without it, the range is all builds.
func newBuildRange(ctx context.Context, db *sql.DB, args []string) (*buildRange, error) {
	labels, err := cli.BuildLabels(ctx, db)
	if err != nil {
		return nil, err
	}
	r := &buildRange{labels, 0, len(labels) - 1}
	if len(args) == 0 {
		return r, nil
	}
	for at := 0; ; at++ { // a label may have dots, and two of them
		next := strings.Index(args[0][at:], "..")
		if next < 0 {
			break
		}
		at += next
		first, last := args[0][:at], args[0][at+2:]
		if i, ok := r.find(first, 0); ok {
			if j, ok := r.find(last, len(labels)-1); ok {
				r.first, r.last = i, j
				return r, nil
			}
		}
	}
	err = fmt.Errorf("%w: %q; want FIRST..LAST", schema.ErrNoBuild, args[0])
	return nil, cli.WithHint(err, glob.NearestHint(glob.Nearest(strings.Trim(args[0], "."), labels)))
}

func (r *buildRange) find(label string, none int) (int, bool) {
	if label == "" {
		return none, true
	}
	i := slices.Index(r.labels, label)
	return i, i >= 0
}

func (r *buildRange) has(label string) bool {
	i := slices.Index(r.labels, label)
	return i >= r.first && i <= r.last
}

// before returns the build before another one, "" for the first.
func (r *buildRange) before(label string) string {
	if i := slices.Index(r.labels, label); i > 0 {
		return r.labels[i-1]
	}
	return ""
}

func widestBuild(events []diff.Event) (widest int) {
	for _, e := range events {
		widest = max(widest, len([]rune(terminal.Printable(e.Build))))
	}
	return widest
}

func logLine(w *bufio.Writer, p cli.Palette, e *diff.Event, widest int) {
	size := ""
	if e.New != nil {
		size = cli.HumanSize(e.New.Size)
	}
	_, _ = fmt.Fprintf(w, "%-*s  %s  %10s  %s%s\n", widest, terminal.Printable(e.Build), p.Paint(kindColour(e.Kind), fmt.Sprintf("%-8s", e.Kind)),
		size, changedName(&e.Change), p.Paint(cli.Faint, remarks(&e.Change)))
}

// logInside shows what changed inside of an entry from build to build, or one value of it.
func logInside(ctx context.Context, a *cli.App, db *sql.DB, name string, events []diff.Event, between *buildRange, opts logOptions) (err error) {
	events = slices.DeleteFunc(events, func(e diff.Event) bool { return !between.has(e.Build) })
	slices.Reverse(events)
	contents := cli.Contents(a, a.Catalog)
	defer func() { _ = contents.Close() }()
	comparer := func(old, new string) *show.Comparer { return show.NewComparer(db, contents, a.Registry(), old, new) }
	l := &insideLog{events: events, opts: opts, widest: widestBuild(events), stderr: a.Stderr,
		insideWriter: &insideWriter{w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a), with: comparer("", "")}}
	if opts.format != "" {
		if l.rows, err = a.Rows(opts.format, append([]string{"build", "kind", "path"}, semantic.Columns()...)...); err != nil {
			return err
		}
	}
	for i := range events {
		if err := l.with.Close(); err != nil {
			return err
		}
		l.with = comparer(between.before(events[i].Build), events[i].Build)
		if err := l.event(ctx, &events[i]); err != nil {
			return cmp.Or(err, l.close())
		}
	}
	if err := l.close(); err != nil {
		return err
	}
	if opts.field != "" && !l.found {
		return cli.WithHint(fmt.Errorf("%w: %s has no value %q", cli.ErrUsage, name, opts.field), "pakdb log "+name+" --semantic shows the names")
	}
	return nil
}

// insideLog shows what changed inside of one entry.
type insideLog struct {
	*insideWriter
	events []diff.Event
	opts   logOptions
	widest int
	found  bool // the field
	stderr io.Writer
}

func (l *insideLog) event(ctx context.Context, e *diff.Event) error {
	in, err := l.compare(ctx, e)
	if err != nil {
		return err
	}
	if l.opts.field != "" {
		in.Fields = slices.DeleteFunc(in.Fields, func(f semantic.Field) bool { return !isField(f.Name, l.opts.field) })
		in.Functions = slices.DeleteFunc(in.Functions, func(f semantic.Function) bool { return !isField(f.Path, l.opts.field) })
		in.Text, in.Ranges = "", nil
		if len(in.Fields)+len(in.Functions) == 0 {
			return nil
		}
		l.found = true
	}
	if l.rows == nil {
		logLine(l.w, l.p, e, l.widest)
		return l.inside(&e.Change, in)
	}
	for _, f := range in.AllFields() {
		row := append([]driver.Value{e.Build}, e.RowOf("kind", "path")...)
		if err := l.rows.Write(append(row, f.Row()...)...); err != nil {
			return err
		}
	}
	return nil
}

// compare returns what changed, never nil. Of an entry that came or went all values of a
// package are reported.
func (l *insideLog) compare(ctx context.Context, e *diff.Event) (*semantic.Difference, error) {
	if e.Old == nil || e.New == nil {
		return l.with.Values(ctx, &e.Change)
	}
	in, err := l.with.Compare(ctx, &e.Change)
	if errors.Is(err, query.ErrNoContent) || errors.Is(err, query.ErrTooLarge) || show.IsDamage(err) {
		_, _ = fmt.Fprintf(l.stderr, "pakdb: %s: %v\n", e.Build, err)
		err = nil
	}
	if in == nil {
		in = &semantic.Difference{}
	}
	return in, err
}

// isField reports whether a value is meant by its name or the end of it, in any case: the
// names of Unreal have none, and builds spell them differently.
func isField(name, wanted string) bool {
	name, wanted = plainField(name), plainField(wanted)
	return name == wanted || strings.HasSuffix(name, "."+wanted)
}

// plainField folds the name of a value; an element is written as a field.
func plainField(name string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(name, "[", "."), "]", ""))
}
