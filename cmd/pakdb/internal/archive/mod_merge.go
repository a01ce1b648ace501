package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/property"
	"pakdb/internal/regular"
	"pakdb/query"
)

// mergeOptions say how mods are merged.
type mergeOptions struct {
	base, prefer, resolve string
	out, format           string
	overwrite             bool
}

func newModMergeCommand(a *cli.App) *cobra.Command {
	var opts mergeOptions
	cmd := &cobra.Command{
		Use:   "merge [flags] --base BUILD MOD... -o OUT",
		Short: "Make one mod of many, value by value",
		Long: `Write one archive with what all mods change of BUILD. Values, rows, functions,
and lines of texts that one mod changes are taken; equal changes count once.
Two different changes of one thing are a conflict: it is listed, nothing is
written, and the exit code is 1. What pakdb does not understand is merged by
files. MOD is an archive, or a folder of them.

--prefer lets the first or the last mod in mount order win all conflicts, or the
MOD of that name. --resolve FILE decides each: a FILE that does not exist
is written with the conflicts; set "take" to a mod or "base", and run again.

The result is read back. The report ends with the mods that are wholly inside
of it: these can be disabled. A warning names a build of the catalog from which
a mod differs less than from BUILD.`,
		Example: `  pakdb mod merge --base 1.52 Rifles_1_P.pak Ammo_2_P.pak -o Merged_9_P.pak
  pakdb mod merge --base 1.52 Mods/*.pak --resolve open.json -o All_9_P.pak`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" {
				return cli.UsageError(cmd, errors.New("write where to? pass -o OUT"))
			}
			return runModMerge(cmd.Context(), a, opts, args)
		},
	}
	opts.add(a, cmd)
	cmd.Flags().StringVar(&opts.prefer, "prefer", "", "let `SIDE` win all conflicts")
	opts.addOutput(cmd)
	return cmd
}

func (o *mergeOptions) add(a *cli.App, cmd *cobra.Command) {
	cli.Flag(cmd, "base", &o.base)
	cli.RequireBuilds(a, cmd, "base")
	cli.AddFormat(cmd, &o.format)
	cli.ReadsValues(cmd)
}

func (o *mergeOptions) addOutput(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.resolve, "resolve", "", "read or write decisions in `FILE`")
	cli.Flag(cmd, "output", &o.out)
	cli.Flag(cmd, "overwrite", &o.overwrite)
}

func newModConflictsCommand(a *cli.App) *cobra.Command {
	var opts mergeOptions
	cmd := &cobra.Command{
		Use:   "conflicts --base BUILD MOD...",
		Short: "Show which entries and values several mods change",
		Long: `Show the entries that several mods change in different ways, and of each the
values: "conflict" where two mods give different values, "same" where they give
one value, "one" where one mod changes it. A game takes each entry whole from
the mod that it mounts last; "pakdb mod merge" makes one mod of all changes but
the conflicts, which it lists as this command does.

An entry whose values are not understood is a conflict as a whole. The exit code
is 1 if there is a conflict. --format html is a page to decide each conflict on:
it has the list for "pakdb mod merge --resolve", and the command.`,
		Example: `  pakdb mod conflicts --base 1.52 Rifles_P.pak Ammo_P.pak
  pakdb mod conflicts --base 1.52 Mods/*.pak --format html > mods.html`,
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runModConflicts(cmd.Context(), a, opts, args)
		},
	}
	opts.add(a, cmd)
	cli.AddFormat(cmd, &opts.format, append(query.Formats(), "html")...)
	return cmd
}

// modMerge is several mods and the build that they change.
type modMerge struct {
	*modRun
	base  *modSide
	sides []*modSide // in mount order
	keys  []string   // of all units of mods
	opts  mergeOptions
	take  map[string]string // by conflictKey: the mod to take, or "base"
}

// openMods opens mods and the build that they change.
func openMods(ctx context.Context, a *cli.App, opts mergeOptions, names []string) (_ *modMerge, err error) {
	m := &modMerge{modRun: &modRun{a: a, opts: &modOptions{out: opts.out, overwrite: opts.overwrite}}, opts: opts}
	defer func() {
		if err != nil {
			m.close()
		}
	}()
	wanted := map[string]bool{}
	for _, name := range names {
		s, err := m.openMod(ctx, name)
		if err != nil {
			return nil, err
		}
		for n, of := 2, s.label; s.label == opts.base || slices.ContainsFunc(m.sides, func(o *modSide) bool { return o.label == s.label }); n++ {
			s.label = fmt.Sprintf("%s (%d)", of, n)
		}
		m.sides = append(m.sides, s)
		for key := range s.units {
			wanted[key] = true
		}
	}
	slices.SortStableFunc(m.sides, func(a, b *modSide) int { return cmp.Compare(a.order, b.order) })
	m.keys = slices.Sorted(maps.Keys(wanted))
	if m.base, err = m.openBase(ctx, opts.base, func(key string) bool { return wanted[key] }); err != nil {
		return nil, err
	}
	for _, s := range m.sides {
		there := 0
		for key := range s.units {
			if m.base.units[key] != nil {
				there++
			}
		}
		if there*2 < len(s.units) {
			a.Warn(fmt.Sprintf("%s: %d of %s are in %s", s.label, there, cli.Plural(int64(len(s.units)), "asset", "assets"), m.base.label))
		}
	}
	return m, nil
}

// mergedUnit is what becomes of an asset or file.
type mergedUnit struct {
	path  string
	mods  []int // that change it
	items []mods.MergeItem
	frame int // the mod whose tables, code and bulk data it has; -1 for none
	files []modFile
	whole bool // it is taken as a whole
}

func (u *mergedUnit) open() (n int) {
	for i := range u.items {
		if u.items[i].Open {
			n++
		}
	}
	return n
}

// prefers returns mods by what --prefer says, those that win first.
func (m *modMerge) prefers() (all []int, err error) {
	for i := range m.sides {
		all = append(all, i)
	}
	switch m.opts.prefer {
	case "":
		return nil, nil
	case "first":
		return all, nil
	case "last":
		slices.Reverse(all)
		return all, nil
	}
	i := slices.IndexFunc(m.sides, func(s *modSide) bool { return s.label == m.opts.prefer })
	if i < 0 {
		return nil, fmt.Errorf("%w: --prefer %s: there is no such mod: write first, last, or a name such as %s", cli.ErrUsage, m.opts.prefer, m.sides[0].label)
	}
	return []int{i}, nil
}

// mergeSides merges a unit: what sides make of base. Versions of items are positions in sides.
func (r *modRun) mergeSides(ctx context.Context, base *modUnit, sides []*modUnit, o mods.MergeOptions) (*mergedUnit, error) {
	out := &mergedUnit{frame: -1}
	was, err := base.sum(ctx, everyPart)
	if err != nil {
		return nil, err
	}
	sums, values := map[int]string{}, map[string]bool{}
	for i, u := range sides {
		if u == nil {
			continue
		}
		sum, err := u.sum(ctx, everyPart)
		if err != nil {
			return nil, err
		}
		if out.path = u.header().path; sum != was {
			out.mods, sums[i], values[sum] = append(out.mods, i), sum, true
		}
	}
	if base != nil {
		out.path = base.header().path
	}
	switch len(values) {
	case 0:
		return out, nil
	case 1:
		out.whole, out.files = true, sides[out.mods[0]].asFiles(nil)
		out.items = []mods.MergeItem{{Taken: out.mods[0], Values: sums, Base: was}}
		return out, nil
	}
	merged, err := r.mergeContents(ctx, base, sides, out.mods, o)
	switch {
	case err == nil && merged != nil:
		if out.items = merged.Items; isPackage(base.header().e) {
			out.frame = merged.Frame
		}
		if merged.Open() > 0 {
			return out, nil
		}
		of := base
		if merged.Frame >= 0 {
			of = sides[merged.Frame]
		}
		data := map[string][]byte{of.header().ext(): merged.Asset}
		if b := of.body(); b != nil {
			data[b.ext()] = merged.Uexp
		}
		out.files = of.asFiles(data)
		return out, nil
	case err != nil && !isUnmergeable(err):
		return nil, err
	}
	// By the entry as a whole.
	item := mods.MergeItem{Taken: -1, Values: sums, Base: was, Why: "its values are not understood", Open: true}
	if base == nil {
		item.Why = "both add it"
	} else if err != nil {
		item.Why = err.Error()
	}
	if o.Take != nil {
		if v, ok := o.Take("", ""); ok {
			item.Taken, item.Open = v, false
		}
	}
	for _, v := range o.Prefer {
		if _, ok := sums[v]; ok && item.Open {
			item.Taken, item.Open = v, false
		}
	}
	out.whole, out.items = true, []mods.MergeItem{item}
	if !item.Open && item.Taken >= 0 {
		out.files = sides[item.Taken].asFiles(nil)
	}
	return out, nil
}

// isUnmergeable reports errors about contents that are merged as a whole.
func isUnmergeable(err error) bool {
	for _, known := range []error{property.ErrRefused, unreal.ErrNoWriting, mods.ErrProof, codecs.ErrCorrupt, codecs.ErrUnknown, codecs.ErrNotFound, codecs.ErrTruncated, codecs.ErrLimit, errors.ErrUnsupported} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// mergeContents merges the contents of a unit by their values. It returns nil for contents
// that have none.
func (r *modRun) mergeContents(ctx context.Context, base *modUnit, sides []*modUnit, changed []int, o mods.MergeOptions) (merged *mods.Merged, err error) {
	if base == nil {
		return nil, nil
	}
	local := o
	local.Prefer = nil
	for _, v := range o.Prefer {
		if i := slices.Index(changed, v); i >= 0 {
			local.Prefer = append(local.Prefer, i)
		}
	}
	if o.Take != nil {
		local.Take = func(object, field string) (int, bool) {
			v, ok := o.Take(object, field)
			if v >= 0 {
				v = slices.Index(changed, v)
			}
			return v, ok
		}
	}
	switch h := base.header(); {
	case isPackage(h.e):
		merged, err = mergePackages(ctx, base, sides, changed, local)
	case mods.Mergeable(h.path) && len(base.files) == 1:
		merged, err = mergeFiles(ctx, base, sides, changed, local)
	}
	if merged == nil || err != nil {
		return nil, err
	}
	for i := range merged.Items {
		item := &merged.Items[i]
		values := map[int]string{}
		for v, text := range item.Values {
			values[changed[v]] = text
		}
		if item.Values = values; item.Taken >= 0 {
			item.Taken = changed[item.Taken]
		}
	}
	if merged.Frame >= 0 {
		merged.Frame = changed[merged.Frame]
	}
	return merged, nil
}

func mergePackages(ctx context.Context, base *modUnit, sides []*modUnit, changed []int, o mods.MergeOptions) (*mods.Merged, error) {
	b, err := base.pack(ctx, base)
	if err != nil {
		return nil, err
	}
	beside, err := base.sum(ctx, isBulk)
	o.Beside = []string{beside}
	var versions []*mods.Package
	for _, i := range changed {
		p, openErr := sides[i].pack(ctx, base)
		beside, sumErr := sides[i].sum(ctx, isBulk)
		if err = errors.Join(err, openErr, sumErr); err != nil {
			return nil, err
		}
		versions, o.Beside = append(versions, p), append(o.Beside, beside)
	}
	return mods.Merge(ctx, b, versions, o)
}

func mergeFiles(ctx context.Context, base *modUnit, sides []*modUnit, changed []int, o mods.MergeOptions) (*mods.Merged, error) {
	b, err := base.header().read(ctx)
	var versions [][]byte
	for _, i := range changed {
		v, readErr := sides[i].header().read(ctx)
		versions, err = append(versions, v), errors.Join(err, readErr)
	}
	if err != nil {
		return nil, err
	}
	h := base.header()
	return mods.MergeFile(h.e.Name, b, versions, func() *mods.Database { return h.ar.database(ctx) }, o)
}

// all merges all units, in the order of their paths.
func (m *modMerge) all(ctx context.Context, each func(u *mergedUnit) error) error {
	prefer, err := m.prefers()
	if err != nil {
		return err
	}
	for _, key := range m.keys {
		sides := make([]*modUnit, len(m.sides))
		shown := ""
		for i, s := range m.sides {
			if sides[i] = s.units[key]; sides[i] != nil {
				shown = sides[i].header().path
			}
		}
		if base := m.base.units[key]; base != nil {
			shown = base.header().path
		}
		o := mods.MergeOptions{Prefer: prefer, Take: func(object, field string) (int, bool) {
			return taken(m.take[conflictKey(shown, object, field)], m.labels())
		}}
		u, err := m.mergeSides(ctx, m.base.units[key], sides, o)
		if err == nil && len(u.mods) > 0 {
			err = each(u)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *modMerge) labels() (all []string) {
	for _, s := range m.sides {
		all = append(all, s.label)
	}
	return all
}

func conflictKey(path, object, field string) string {
	return strings.ToLower(path + "\x00" + object + "\x00" + field)
}

// taken returns the version that a decision takes; ok is false for none.
func taken(decision string, labels []string) (version int, ok bool) {
	if decision == "base" {
		return -1, true
	}
	i := slices.Index(labels, decision)
	return i, i >= 0
}

// conflictFile is an entry of a file of decisions.
type conflictFile struct {
	Path   string            `json:"path"`
	Object string            `json:"object"`
	Field  string            `json:"field"`
	Why    string            `json:"why"`
	Base   string            `json:"base"`
	Values map[string]string `json:"values"`
	Take   string            `json:"take"`
}

// readDecisions reads the file of --resolve, if it is there.
func readDecisions(name string, labels []string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	b, err := regular.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var all []conflictFile
	if err == nil {
		if err = json.Unmarshal(b, &all); err != nil {
			err = fmt.Errorf("%w: %s: %w", cli.ErrUsage, name, err)
		}
	}
	take := map[string]string{}
	for _, c := range all {
		if c.Take != "" && c.Take != "base" && !slices.Contains(labels, c.Take) {
			return nil, fmt.Errorf("%w: %s: take %q of %s %s: want base, %s", cli.ErrUsage, name, c.Take, c.Path, c.Field, strings.Join(labels, " or "))
		}
		take[conflictKey(c.Path, c.Object, c.Field)] = c.Take
	}
	return take, err
}

// writeDecisions writes the open conflicts for --resolve. It keeps a file that is there.
func writeDecisions(ctx context.Context, a *cli.App, name string, units []*mergedUnit, labels []string) error {
	if _, err := os.Stat(name); name == "" || err == nil {
		return nil
	}
	var all []conflictFile
	for _, u := range units {
		for i := range u.items {
			item := &u.items[i]
			if !item.Open {
				continue
			}
			c := conflictFile{Path: u.path, Object: item.Object, Field: item.Field, Why: item.Why, Base: item.Base, Values: map[string]string{}}
			if u.whole {
				c.Base = ""
			}
			for v, text := range item.Values {
				if u.whole {
					text = "other bytes"
				}
				c.Values[labels[v]] = text
			}
			all = append(all, c)
		}
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = writeText(ctx, name, append(b, '\n'))
	}
	if err == nil {
		a.Warn("decide in " + name + ", and run the command again")
	}
	return err
}

func runModConflicts(ctx context.Context, a *cli.App, opts mergeOptions, names []string) error {
	m, err := openMods(ctx, a, opts, names)
	if err != nil {
		return err
	}
	defer m.close()
	w, err := newConflictWriter(a, opts.format, m.base.label, m.labels(), names)
	if err != nil {
		return err
	}
	if err := m.all(ctx, w.unit); err != nil {
		return errors.Join(err, w.close())
	}
	if err := errors.Join(w.close(), m.warnOfBase(ctx)); err != nil || w.conflicts == 0 {
		return err
	}
	return cli.ErrProblems
}

func runModMerge(ctx context.Context, a *cli.App, opts mergeOptions, names []string) error {
	if err := cli.RefuseExisting(opts.out, opts.overwrite); err != nil {
		return err
	}
	m, err := openMods(ctx, a, opts, names)
	if err != nil {
		return err
	}
	defer m.close()
	if m.take, err = readDecisions(opts.resolve, m.labels()); err != nil {
		return err
	}
	w, err := newConflictWriter(a, opts.format, m.base.label, m.labels(), names)
	if err != nil {
		return err
	}
	w.frames = true
	var files []modFile
	var open []*mergedUnit
	lost := make([]int, len(m.sides))
	for i, s := range m.sides {
		lost[i] = s.deleted
	}
	err = m.all(ctx, func(u *mergedUnit) error {
		files = append(files, u.files...)
		if u.open() > 0 {
			open = append(open, u)
		}
		for i := range u.items {
			for v, text := range u.items[i].Values {
				if item := &u.items[i]; item.Why != "" && (item.Taken < 0 || item.Values[item.Taken] != text) {
					lost[v]++
				}
			}
		}
		return w.unit(u)
	})
	if err = errors.Join(err, w.close()); err == nil {
		err = m.warnOfBase(ctx)
	}
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return unresolved(ctx, a, opts.resolve, open, m.labels(), "--prefer first, last or MOD decides all, --resolve FILE each")
	}
	if len(files) == 0 {
		_, err := fmt.Fprintln(w.words(), "the mods change nothing of "+m.base.label+", and nothing is written")
		return err
	}
	name, size, err := m.write(ctx, opts.out, opts.overwrite, m.base, files)
	if err != nil {
		return err
	}
	return m.reportMerged(w, name, size, len(files), lost)
}

// unresolved lists what is open, and is an error.
func unresolved(ctx context.Context, a *cli.App, file string, open []*mergedUnit, labels []string, hint string) error {
	n := 0
	for _, u := range open {
		n += u.open()
	}
	if err := writeDecisions(ctx, a, file, open, labels); err != nil {
		return err
	}
	return cli.WithHint(cli.Refusal(fmt.Errorf("%s: nothing is written", cli.Plural(int64(n), "conflict is open", "conflicts are open"))), hint)
}

// reportMerged says what was written, and which mods are wholly inside.
func (m *modMerge) reportMerged(w *conflictWriter, name string, size int64, files int, lost []int) error {
	out := w.words()
	_, err := fmt.Fprintf(out, "%s written: %s, %s\n", name, cli.Plural(int64(files), "file", "files"), cli.HumanSize(size))
	var inside, outside []string
	for i, s := range m.sides {
		if lost[i] == 0 {
			inside = append(inside, s.label)
		} else {
			outside = append(outside, fmt.Sprintf("%s (%s lost)", s.label, cli.Plural(int64(lost[i]), "change", "changes")))
		}
	}
	if len(inside) > 0 && err == nil {
		_, err = fmt.Fprintf(out, "wholly inside, to be disabled: %s\n", strings.Join(inside, ", "))
	}
	if len(outside) > 0 && err == nil {
		_, err = fmt.Fprintf(out, "not wholly inside: %s\n", strings.Join(outside, ", "))
	}
	return err
}
