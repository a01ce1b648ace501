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
	"pakdb/codecs"
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
				return cli.UsageError(cmd, errors.New("write where to? pass -o OUT"))
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

// What becomes of an asset.
const (
	rebaseCarried  = "carried over"
	rebaseIn       = "already in"
	rebaseAdapted  = "adapted"
	rebaseConflict = "conflict"
	rebaseGone     = "gone"
)

// rebase carries one mod.
type rebase struct {
	*modRun
	opts       rebaseOptions
	mod        *modSide
	from, onto *modSide
	renamed    map[string]string // units of onto, by those of from
	take       map[string]string

	w      *bufio.Writer
	rows   *query.Rows // nil: for people
	p      cli.Palette
	counts map[string]int64
	open   []*mergedUnit
	files  []modFile
	was    int // changes of the mod against each build
	is     int
}

func runModRebase(ctx context.Context, a *cli.App, opts rebaseOptions, name string) (err error) {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil {
		return err
	}
	r := &rebase{modRun: &modRun{a: a, opts: &modOptions{}}, opts: opts, counts: map[string]int64{}, w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a)}
	defer r.close()
	if r.mod, err = r.openMod(ctx, name); err != nil {
		return err
	}
	if err := r.builds(ctx); err != nil {
		return err
	}
	if r.take, err = readDecisions(opts.resolve, r.labels()); err != nil {
		return err
	}
	if opts.format != "" {
		if r.rows, err = a.Rows(opts.format, "path", "status", "field", "base", "mod", "game", "taken", "why"); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.mod.units)) {
		if err := r.unit(ctx, key); err != nil {
			return err
		}
	}
	if err := r.closeReport(); err != nil {
		return err
	}
	if r.is < r.was {
		a.Warn(fmt.Sprintf("%s differs less from %s than from %s (%d and %d changes), and may be made for it", r.mod.label, r.onto.label, r.from.label, r.is, r.was))
	}
	if len(r.open) > 0 && !opts.partial {
		return unresolved(ctx, a, opts.resolve, r.open, r.labels(), "--prefer mod or game decides all, --resolve FILE each; --partial writes the rest")
	}
	return r.write(ctx)
}

func (r *rebase) labels() []string { return []string{r.mod.label, r.onto.label} }

// builds opens both builds, as far as the mod touches them.
func (r *rebase) builds(ctx context.Context) (err error) {
	wanted := func(key string) bool { return r.mod.units[key] != nil }
	if r.from, err = r.openBase(ctx, r.opts.from, wanted); err != nil {
		return err
	}
	if r.onto, err = r.openBase(ctx, r.opts.onto, wanted); err != nil {
		return err
	}
	if n := len(r.mod.units); len(r.from.units)*2 < n {
		r.a.Warn(fmt.Sprintf("%s: %d of %s are in %s", r.mod.label, len(r.from.units), cli.Plural(int64(n), "asset", "assets"), r.from.label))
	}
	missing := false
	for key := range r.from.units {
		missing = missing || r.onto.units[key] == nil
	}
	if !missing {
		return nil
	}
	if r.renamed, err = r.renames(ctx); err != nil || len(r.renamed) == 0 {
		return err
	}
	new := map[string]bool{}
	for _, key := range r.renamed {
		new[key] = true
	}
	more, err := r.openBase(ctx, r.opts.onto, func(key string) bool { return new[key] })
	if err == nil {
		maps.Copy(r.onto.units, more.units)
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
	result, err := diff.Compare(ctx, db, r.from.label, r.onto.label, diff.Options{})
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
		for key, u := range r.from.units {
			if h := u.header(); r.onto.units[key] == nil && strings.EqualFold(h.e.Name, c.Old.Path) {
				all[key] = unitKey(h.ar.mount + c.New.Path)
			}
		}
	}
	return all, nil
}

// unit carries one asset, and reports what became of it.
func (r *rebase) unit(ctx context.Context, key string) error {
	mod, from, onto := r.mod.units[key], r.from.units[key], r.onto.units[key]
	to := r.renamed[key]
	if onto == nil && to != "" {
		onto = r.onto.units[to]
	}
	path := mod.header().path
	if from != nil {
		path = from.header().path
	}
	o := mods.MergeOptions{Take: func(object, field string) (int, bool) {
		return taken(r.take[conflictKey(path, object, field)], r.labels())
	}}
	switch r.opts.prefer {
	case "mod":
		o.Prefer = []int{0, 1}
	case "game":
		o.Prefer = []int{1, 0}
	}
	if from != nil && onto == nil {
		return r.gone(ctx, path, mod, from, o)
	}
	u, err := r.mergeSides(ctx, from, []*modUnit{mod, onto}, o)
	if err != nil {
		return err
	}
	u.path = path
	status := rebaseConflict
	switch {
	case !slices.Contains(u.mods, 0):
		return nil // the mod has what it is made for
	case len(u.mods) == 1:
		status = rebaseCarried
		r.was, r.is = r.was+1, r.is+1
	default:
		status = r.judge(u)
	}
	if u.open() > 0 && r.opts.partial {
		if u, err = r.rest(ctx, from, mod, onto, u, o); err != nil {
			return err
		}
	}
	if err := r.report(u, status, onto); err != nil {
		return err
	}
	if u.open() > 0 {
		r.open = append(r.open, u)
	}
	if status != rebaseIn {
		r.takeFiles(u, onto)
	}
	return nil
}

// judge says what became of an asset that both changed, and drops what the game alone did.
func (r *rebase) judge(u *mergedUnit) string {
	changed, conflict := false, false
	for i := range u.items {
		item := &u.items[i]
		_, ours := item.Values[0]
		_, theirs := item.Values[1]
		same := ours && theirs && item.Values[0] == item.Values[1] && item.Why == ""
		if ours {
			r.was++
		}
		if !same {
			r.is++
		}
		changed = changed || ours && !same && item.Taken == 0
		conflict = conflict || item.Open
	}
	u.items = slices.DeleteFunc(u.items, func(item mods.MergeItem) bool { _, ours := item.Values[0]; return !ours })
	switch {
	case conflict:
		return rebaseConflict
	case changed:
		return rebaseAdapted
	}
	return rebaseIn
}

// rest merges an asset with conflicts again: the game has what is open.
func (r *rebase) rest(ctx context.Context, from, mod, onto *modUnit, open *mergedUnit, o mods.MergeOptions) (*mergedUnit, error) {
	o.Prefer = []int{1, 0}
	u, err := r.mergeSides(ctx, from, []*modUnit{mod, onto}, o)
	if err != nil {
		return nil, err
	}
	if r.judge(u) == rebaseAdapted {
		open.files, open.frame = u.files, u.frame
	}
	return open, nil
}

// gone reports an asset that the new build lacks.
func (r *rebase) gone(ctx context.Context, path string, mod, from *modUnit, o mods.MergeOptions) error {
	was, err := from.sum(ctx, everyPart)
	is, sumErr := mod.sum(ctx, everyPart)
	if err = errors.Join(err, sumErr); err != nil || was == is {
		return err
	}
	item := mods.MergeItem{Base: was, Values: map[int]string{0: is}, Taken: -1, Open: true, Why: r.onto.label + " has no such asset"}
	u := &mergedUnit{path: path, mods: []int{0}, frame: -1, whole: true}
	v, ok := o.Take("", "")
	switch {
	case r.opts.prefer == "mod" || ok && v == 0:
		item.Taken, item.Open = 0, false
		u.files = mod.asFiles(nil)
	case r.opts.prefer == "game" || ok:
		item.Open = false
	}
	u.items = []mods.MergeItem{item}
	if err := r.report(u, rebaseGone, nil); err != nil {
		return err
	}
	if item.Open {
		r.open = append(r.open, u)
	}
	r.takeFiles(u, nil)
	return nil
}

// takeFiles takes the files of an asset, under the name that it has in the new build.
func (r *rebase) takeFiles(u *mergedUnit, onto *modUnit) {
	for _, f := range u.files {
		if onto != nil && f.like.ID.Bits != codecs.ChunkBits {
			old, ext, part := asset.Split(f.path)
			new, _, _ := asset.Split(onto.header().path)
			if part != asset.None && !strings.EqualFold(old, new) {
				f.path = new + ext
			} else if part == asset.None {
				f.path = onto.header().path
			}
		}
		r.files = append(r.files, f)
	}
}

// report shows what became of an asset.
func (r *rebase) report(u *mergedUnit, status string, onto *modUnit) error {
	r.counts[status]++
	shown := status
	if status == rebaseIn {
		shown += " " + r.onto.label
	}
	path, now := strings.TrimLeft(u.path, "./"), ""
	if onto != nil {
		if now = strings.TrimLeft(onto.header().path, "./"); asset.Same(path, now) || unitKey(path) == unitKey(now) {
			now = ""
		}
	}
	if r.rows != nil {
		return r.reportRows(u, status, cmp.Or(now, path))
	}
	text := fmt.Sprintf("%-12s  %s", shown, path)
	if now != "" {
		text += " -> " + now
	}
	colour := map[string]string{rebaseConflict: cli.Red, rebaseGone: cli.Red, rebaseIn: cli.Faint}[status]
	if _, err := fmt.Fprintln(r.w, r.p.Paint(cmp.Or(colour, cli.Green), terminal.Printable(text))); err != nil {
		return err
	}
	c := &conflictWriter{a: r.a, w: r.w, p: r.p, base: r.from.label, labels: r.labels()}
	for i := range u.items {
		item := &u.items[i]
		if u.whole && item.Why == "" {
			continue
		}
		if err := c.line(itemStatus(item), itemName(item), u.whole, item); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebase) reportRows(u *mergedUnit, status, path string) error {
	for i := range u.items {
		item := &u.items[i]
		taken := ""
		if item.Taken >= 0 {
			taken = r.labels()[item.Taken]
		}
		err := r.rows.Write([]driver.Value{path, status, cli.TextOrNull(itemName(item)), cli.TextOrNull(shownItem(item.Base, u.whole)),
			cli.TextOrNull(shownItem(item.Values[0], u.whole)), cli.TextOrNull(shownItem(item.Values[1], u.whole)), cli.TextOrNull(taken), cli.TextOrNull(item.Why)}...)
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
	for _, status := range []string{rebaseCarried, rebaseIn, rebaseAdapted, rebaseConflict, rebaseGone} {
		if n := r.counts[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if len(parts) == 0 {
		parts = []string{"the mod changes nothing of " + r.from.label}
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
		_, err := fmt.Fprintln(out, "nothing is left to change in "+r.onto.label+", and nothing is written")
		return err
	}
	name, size, err := r.modRun.write(ctx, r.opts.out, r.opts.overwrite, r.onto, r.files)
	if err == nil {
		_, err = fmt.Fprintf(out, "%s written: %s, %s\n", terminal.Printable(name), cli.Plural(int64(len(r.files)), "file", "files"), cli.HumanSize(size))
	}
	return err
}
