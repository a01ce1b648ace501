package compare

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/glob"
)

// changes is a filter over what a comparison found.
type changes struct {
	*diff.Result
	unknown int64           // entries that could not be compared, of those that were asked for
	kinds   diff.Kind       // 0: all
	damaged []codecs.Damage // archives of either build
	exec    [][2]string     // files that are executable in one build alone, with that
	globs   glob.List

	out   io.Writer // stdout; the first write ends the line that says how long it takes
	begin func()    // ends that line
}

func (opts *diffOptions) filter(patterns []string) (*changes, error) {
	c := &changes{}
	for _, name := range opts.kinds {
		k, ok := diff.ParseKind(name)
		if !ok {
			return nil, fmt.Errorf("%w: --kind %q: want one of %s", cli.ErrUsage, name, strings.ReplaceAll(allKinds().String(), ",", ", "))
		}
		c.kinds |= k
	}
	var err error
	c.globs, err = glob.ParseList(patterns, true)
	return c, err
}

func allKinds() (all diff.Kind) {
	for _, k := range diff.Kinds() {
		all |= k
	}
	return all
}

// filters reports whether not all changes were asked for.
func (c *changes) filters() bool { return c.kinds != 0 || c.globs != nil }

// countUnknown sets unknown. An entry that could not be compared may have been modified.
func (c *changes) countUnknown(ctx context.Context) error {
	if c.kinds != 0 && c.kinds&(diff.Modified|diff.Cosmetic) == 0 {
		return nil
	}
	if c.unknown = c.Unknown; c.unknown == 0 || c.globs == nil {
		return nil
	}
	names, err := c.UnknownNames(ctx)
	if err != nil {
		return err
	}
	c.unknown = 0
	for _, name := range names {
		if c.globs.Match(name) {
			c.unknown++
		}
	}
	return nil
}

// unknownText says how many could not be compared.
func (c *changes) unknownText() string {
	return cli.Plural(c.unknown, "entry", "entries") + " could not be compared: not decoded, and of the same size"
}

// noneMatch says that there are changes, of which none was asked for.
func (c *changes) noneMatch() string {
	if c.Len() == 1 {
		return "1 change, which does not match"
	}
	return fmt.Sprintf("%d changes, none match", c.Len())
}

// refuseMissed returns an error for a pattern that matches no path of either
// build. Most patterns match a change, so the paths of builds are rarely read.
func (c *changes) refuseMissed(ctx context.Context, s *operand.Sides) (err error) {
	missed := c.globs.Missed(c.Names())
	if len(missed) == 0 {
		return nil
	}
	var failed error
	paths := func(yield func(string) bool) {
		if s.Reading != nil {
			s.Reading.Paths()(yield)
			return
		}
		for path, err := range diff.Paths(ctx, s.DB, s.Old.Label, s.New.Label) {
			if failed = err; err != nil || !yield(path) {
				return
			}
		}
	}
	err = missed.Check(strconv.Quote(s.Old.Label)+" or "+strconv.Quote(s.New.Label), paths)
	return cmp.Or(failed, err)
}

// takes reports whether a change was asked for: by its kind, or by what else
// happened to the entry.
func (c *changes) takes(ch *diff.Change) bool {
	if c.kinds != 0 && (ch.Kind|ch.Also)&c.kinds == 0 {
		return false
	}
	if c.globs == nil {
		return true
	}
	return ch.Old != nil && c.globs.Match(ch.Old.Name()) || ch.New != nil && c.globs.Match(ch.New.Name())
}

// each calls do for each change that was asked for and returns how many.
func (c *changes) each(ctx context.Context, do func(*diff.Change) error) (n int, err error) {
	var change diff.Change // one for all, as do keeps none
	for ch, err := range c.Changes(ctx) {
		if err != nil {
			return n, err
		}
		if change = ch; !c.takes(&change) {
			continue
		}
		n++
		if err := do(&change); err != nil {
			return n, err
		}
	}
	return n, nil
}

// failsOver says on stderr which figures of the changes that were asked for exceed
// their limits, and reports whether any does.
func (opts *diffOptions) failsOver(ctx context.Context, a *cli.App, c *changes) (bool, error) {
	totals := diff.NewTotals("kind")
	_, err := c.each(ctx, func(ch *diff.Change) error {
		totals.Add(ch)
		return nil
	})
	lines := exceeded(opts.limits, totals, cli.ExactSize)
	for _, line := range lines {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+line)
	}
	return len(lines) > 0, err
}
