package archive

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/mods"
	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/internal/terminal"
	"pakdb/query"
)

type rebaseOptions struct {
	mergeOptions
	from, onto string
	partial    bool
}

func newModRebaseCommand(a *cli.App) *cobra.Command {
	var opts rebaseOptions
	cmd := &cobra.Command{
		Use:   "rebase [flags] MOD --base BUILD --onto BUILD -o OUT",
		Short: "Carry a mod over to another build",
		Long: `Take what MOD changes of the build --base, and make it on the build --onto. For
each asset the report says what became of it:

  carried over  the game did not change the asset
  already in    the game makes the change itself
  adapted       the game changed other values of it; both changes are in OUT
  conflict      the game changed the same thing: it is listed
  gone          the game has the asset no longer; renames are followed

With a conflict, or an asset that is gone, nothing is written, and the exit code
is 1. --prefer mod or game decides all; --resolve FILE decides each
as in "pakdb mod merge"; --partial writes what carries and lists the rest.`,
		Example: `  pakdb mod rebase Rifles_1_P.pak --base 1.0 --onto 1.1 -o New_1_P.pak`,
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case opts.out == "":
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT"))
			case !slices.Contains([]string{"", "mod", "game"}, opts.prefer):
				return cli.UsageError(cmd, fmt.Errorf("--prefer %s: want mod or game", opts.prefer))
			}
			return runModRebase(cmd.Context(), a, opts, args[0])
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "base", &opts.from)
	flags.StringVar(&opts.onto, "onto", "", "the `BUILD` that it is to change")
	cli.RequireBuilds(a, cmd, "base", "onto")
	flags.StringVar(&opts.prefer, "prefer", "", "let `SIDE` win all conflicts")
	flags.BoolVar(&opts.partial, "partial", false, "write what carries over, without the rest")
	opts.addOutput(cmd)
	cli.AddFormat(cmd, &opts.format)
	cli.ReadsValues(cmd)
	return cmd
}

// rebase carries one mod.
type rebase struct {
	*modRun
	mods.Rebase
	opts rebaseOptions
	take map[string]string // by conflictKey

	w      *bufio.Writer
	rows   *query.Rows // nil: for people
	p      cli.Palette
	counts map[mods.Fate]int64
	open   []*mods.MergedUnit
	files  []mods.File
}

func runModRebase(ctx context.Context, a *cli.App, opts rebaseOptions, name string) (err error) {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil {
		return err
	}
	r := &rebase{modRun: &modRun{a: a, opts: &modOptions{}}, opts: opts, counts: map[mods.Fate]int64{}, w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a)}
	defer r.close()
	if r.Mod, err = r.openMod(ctx, name); err != nil {
		return err
	}
	if err := r.builds(ctx); err != nil {
		return err
	}
	if r.take, err = readDecisions(opts.resolve, r.labels()); err != nil {
		return err
	}
	r.Take = func(path, object, field string) (int, bool) {
		return taken(r.take[conflictKey(path, object, field)], r.labels())
	}
	r.Prefer, r.Partial = map[string][]int{"mod": {0, 1}, "game": {1, 0}}[opts.prefer], opts.partial
	if opts.format != "" {
		if r.rows, err = a.Rows(opts.format, "path", "status", "field", "base", "mod", "game", "taken", "why"); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.Mod.Units)) {
		u, err := r.Unit(ctx, key)
		if err != nil {
			return err
		}
		if u == nil {
			continue
		}
		if err := r.report(u); err != nil {
			return err
		}
		if u.Open() > 0 {
			r.open = append(r.open, u.MergedUnit)
		}
		r.files = append(r.files, u.Files...)
	}
	if err := r.closeReport(); err != nil {
		return err
	}
	if r.Is < r.Was {
		a.Warn(fmt.Sprintf("%s differs less from %s than from %s (%d and %d changes), and may be made for it", r.Mod.Label, r.Onto.Label, r.From.Label, r.Is, r.Was))
	}
	if len(r.open) > 0 && !opts.partial {
		return unresolved(ctx, a, opts.resolve, r.open, r.labels(), "--prefer mod or game decides all, --resolve FILE each; --partial writes the rest")
	}
	return r.write(ctx)
}

func (r *rebase) labels() []string { return []string{r.Mod.Label, r.Onto.Label} }

// builds opens both builds, as far as the mod touches them.
func (r *rebase) builds(ctx context.Context) (err error) {
	wanted := func(key string) bool { return r.Mod.Units[key] != nil }
	if r.From, err = r.openBase(ctx, r.opts.from, wanted); err != nil {
		return err
	}
	if r.Onto, err = r.openBase(ctx, r.opts.onto, wanted); err != nil {
		return err
	}
	if n := len(r.Mod.Units); len(r.From.Units)*2 < n {
		r.a.Warn(fmt.Sprintf("%s: %d of %s are in %s", r.Mod.Label, len(r.From.Units), cli.Plural(int64(n), "asset", "assets"), r.From.Label))
	}
	missing := false
	for key := range r.From.Units {
		missing = missing || r.Onto.Units[key] == nil
	}
	if !missing {
		return nil
	}
	if r.Renamed, err = r.renames(ctx); err != nil || len(r.Renamed) == 0 {
		return err
	}
	new := map[string]bool{}
	for _, key := range r.Renamed {
		new[key] = true
	}
	more, err := r.openBase(ctx, r.opts.onto, func(key string) bool { return new[key] })
	if err == nil {
		maps.Copy(r.Onto.Units, more.Units)
	}
	return err
}

// renames returns which units of the one build are which of the other, of those that the mod
// touches.
func (r *rebase) renames(ctx context.Context) (map[string]string, error) {
	db, err := r.a.OpenCatalog(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	result, err := diff.Compare(ctx, db, r.From.Label, r.Onto.Label, diff.Options{})
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for c, err := range result.Changes(ctx) {
		if err != nil {
			return nil, err
		}
		if c.Old == nil || c.New == nil || (c.Kind|c.Also)&(diff.Renamed|diff.Moved) == 0 {
			continue
		}
		for key, u := range r.From.Units {
			if h := u.Header(); r.Onto.Units[key] == nil && strings.EqualFold(h.Entry.Name, c.Old.Path) {
				all[key] = mods.UnitKey(h.Archive.MountPoint() + c.New.Path)
			}
		}
	}
	return all, nil
}

// report shows what became of an asset.
func (r *rebase) report(u *mods.Rebased) error {
	r.counts[u.Fate]++
	shown := string(u.Fate)
	if u.Fate == mods.AlreadyIn {
		shown += " " + r.Onto.Label
	}
	path, now := strings.TrimLeft(u.Path, "./"), ""
	if u.Onto != nil {
		if now = strings.TrimLeft(u.Onto.Header().Path, "./"); asset.Same(path, now) || mods.UnitKey(path) == mods.UnitKey(now) {
			now = ""
		}
	}
	if r.rows != nil {
		return r.reportRows(u, cmp.Or(now, path))
	}
	text := fmt.Sprintf("%-12s  %s", shown, path)
	if now != "" {
		text += " -> " + now
	}
	colour := map[mods.Fate]string{mods.Conflicting: cli.Red, mods.Gone: cli.Red, mods.AlreadyIn: cli.Faint}[u.Fate]
	if _, err := fmt.Fprintln(r.w, r.p.Paint(cmp.Or(colour, cli.Green), terminal.Printable(text))); err != nil {
		return err
	}
	c := &conflictWriter{a: r.a, w: r.w, p: r.p, base: r.From.Label, labels: r.labels()}
	for i := range u.Items {
		item := &u.Items[i]
		if u.Whole && item.Why == "" {
			continue
		}
		if err := c.line(itemStatus(item), itemName(item), u.Whole, item); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebase) reportRows(u *mods.Rebased, path string) error {
	for i := range u.Items {
		item := &u.Items[i]
		taken := ""
		if item.Taken >= 0 {
			taken = r.labels()[item.Taken]
		}
		err := r.rows.Write([]driver.Value{path, string(u.Fate), cli.TextOrNull(itemName(item)), cli.TextOrNull(shownItem(item.Base, u.Whole)),
			cli.TextOrNull(shownItem(item.Values[0], u.Whole)), cli.TextOrNull(shownItem(item.Values[1], u.Whole)), cli.TextOrNull(taken), cli.TextOrNull(item.Why)}...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rebase) closeReport() error {
	if r.rows != nil {
		return r.rows.Close()
	}
	var parts []string
	for _, status := range []mods.Fate{mods.CarriedOver, mods.AlreadyIn, mods.Adapted, mods.Conflicting, mods.Gone} {
		if n := r.counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) == 0 {
		parts = []string{"the mod changes nothing of " + r.From.Label}
	}
	_, err := fmt.Fprintln(r.w, strings.Join(parts, ", "))
	return errors.Join(err, r.w.Flush())
}

// write writes the mod for the new build.
func (r *rebase) write(ctx context.Context) error {
	out := r.a.Stdout
	if r.rows != nil {
		out = r.a.Stderr
	}
	if len(r.files) == 0 {
		_, err := fmt.Fprintln(out, "nothing is left to change in "+r.Onto.Label+", and nothing is written")
		return err
	}
	name, size, err := r.modRun.write(ctx, r.opts.out, r.opts.overwrite, r.Onto, r.files)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s written: %s, %s\n", terminal.Printable(name), cli.Plural(int64(len(r.files)), "file", "files"), cli.HumanSize(size))
	}
	return err
}
