package compare

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/query/show"
	"pakdb/schema"
)

// ModCommands returns the commands of the group mod that compare.
func ModCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newModShowCommand(a)}
}

type modsOptions struct {
	base, format string
}

func (o *modsOptions) add(a *cli.App, cmd *cobra.Command) {
	cli.Flag(cmd, "base", &o.base)
	cli.RequireBuilds(a, cmd, "base")
	cli.AddFormat(cmd, &o.format)
}

func newModShowCommand(a *cli.App) *cobra.Command {
	var opts modsOptions
	cmd := &cobra.Command{
		Use:   "show --base BUILD MOD",
		Short: "Show which values a mod changes",
		Long: `Show the entries of a mod that differ from those of the build that it changes,
and the values, functions and lines that do, as "pakdb diff --semantic" shows
them. MOD is an archive, or a folder of them. A warning names the build from
which the mod differs less, if there is one.`,
		Example: `  pakdb mod show --base 1.52 BetterRifles_P.pak`,
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runModShow(cmd.Context(), a, args[0], opts)
		},
	}
	opts.add(a, cmd)
	return cmd
}

func runModShow(ctx context.Context, a *cli.App, mod string, opts modsOptions) error {
	c, err := openMod(ctx, a, opts.base, mod)
	if err != nil {
		return err
	}
	defer c.Close()
	w := &insideWriter{w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a), with: newWarning(a, c.DB, c.Contents, c.Base, c.Label)}
	if opts.format != "" {
		if w.rows, err = a.Rows(opts.format, append([]string{"kind", "path", "old_path"}, semantic.Columns()...)...); err != nil {
			return err
		}
	}
	for i := range c.changes {
		if err := w.change(ctx, &c.changes[i]); err != nil {
			return errors.Join(err, w.close())
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	if err := c.warnOfBase(ctx, a); err != nil || !c.Damaged {
		return err
	}
	return cli.ErrProblems
}

// comparedMod is how a mod changes a build.
type comparedMod struct {
	*operand.Mod
	changes []diff.Change
}

// openMod compares a mod with the build that it changes.
func openMod(ctx context.Context, a *cli.App, base, archive string) (c *comparedMod, err error) {
	c = &comparedMod{}
	if c.Mod, err = operand.OpenMod(ctx, a, base, archive); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if c.changes, err = c.of(ctx); err != nil {
		return nil, err
	}
	if n, came := int64(len(c.changes)), added(c.changes); came*2 > n {
		a.Warn(fmt.Sprintf("%s: %d of %s are in %s", c.Label, n-came, cli.Plural(n, "changed entry", "changed entries"), c.Base))
	}
	return c, nil
}

// of returns the changes that the mod makes of its base, which keeps what the mod lacks.
func (c *comparedMod) of(ctx context.Context) (changes []diff.Change, err error) {
	r, err := diff.Compare(ctx, c.DB, c.Base, c.Label, diff.Options{NoRenames: true})
	if err != nil {
		return nil, err
	}
	for ch, err := range r.Changes(ctx) {
		if err != nil {
			return nil, err
		}
		if ch.New != nil && ch.Kind|ch.Also != diff.Moved {
			changes = append(changes, ch)
		}
	}
	return changes, nil
}

// added counts the entries that a mod has and the build lacks.
func added(changes []diff.Change) (n int64) {
	for i := range changes {
		if changes[i].Kind == diff.Added {
			n++
		}
	}
	return n
}

// warnOfBase warns if a mod changes fewer values of another build: it was made for that one,
// and what the game changed since looks like changes of the mod.
func (c *comparedMod) warnOfBase(ctx context.Context, a *cli.App) error {
	bases, err := c.bases(ctx)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for base, changes := range bases {
		if counts[base], err = c.count(ctx, a, base, changes); err != nil {
			return err
		}
	}
	best := c.Base
	for _, base := range slices.Sorted(maps.Keys(counts)) {
		if counts[base] < counts[best] {
			best = base
		}
	}
	if best != c.Base {
		a.Warn(fmt.Sprintf("%s differs less from %s than from %s, and may be made for it", c.Label, best, c.Base))
	}
	return nil
}

// bases returns the changes that the mod makes of each build that has all of what it
// changes of its base. Of builds with the same contents there it returns one.
func (c *comparedMod) bases(ctx context.Context) (bases map[string][]diff.Change, err error) {
	asked := schema.NewStatements(c.DB)
	defer func() { err = errors.Join(err, asked.Close()) }()
	bases, contents := map[string][]diff.Change{}, map[string]string{}
	for _, ch := range c.changes {
		if ch.Old == nil {
			continue
		}
		stem, ext, _ := asset.Split(ch.Old.Path)
		exts := []string{ext}
		for _, part := range ch.Parts {
			exts = append(exts, part.Ext)
		}
		for i, ext := range exts {
			found, err := diff.FindAll(ctx, asked, stem+ext)
			if err != nil {
				return nil, err
			}
			for base, f := range found {
				contents[base] += stem + ext + " " + f.Content + "\n"
				if i == 0 {
					of := ch
					of.Old = f
					bases[base] = append(bases[base], of)
				}
			}
		}
	}
	taken := map[string]bool{contents[c.Base]: true}
	for _, base := range slices.Sorted(maps.Keys(bases)) {
		of := contents[base]
		if base != c.Base && (taken[of] || len(bases[base]) < len(bases[c.Base]) || base == c.Label) {
			delete(bases, base)
			continue
		}
		taken[of] = true
	}
	return bases, nil
}

// count returns how many values changes change of a build: one each, and those inside.
func (c *comparedMod) count(ctx context.Context, a *cli.App, base string, changes []diff.Change) (n int, err error) {
	in := show.NewComparer(c.DB, c.Contents, a.Registry(), base, c.Label)
	defer func() { err = errors.Join(err, in.Close()) }()
	for i := range changes {
		ch := &changes[i]
		if ch.Old.Content == ch.New.Content && len(ch.Parts) == 0 {
			continue
		}
		d, err := in.Changed(ctx, ch)
		if err != nil {
			return 0, err
		}
		if n++; d != nil {
			n += len(d.Fields) + len(d.Functions)
		}
	}
	return n, nil
}
