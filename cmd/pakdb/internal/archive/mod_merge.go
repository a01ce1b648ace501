package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/mods"
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
				return cli.UsageError(cmd, errors.New("no output: pass -o OUT"))
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
	mods.Merging
	opts mergeOptions
	take map[string]string // by conflictKey: the mod to take, or "base"
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
		for n, of := 2, s.Label; s.Label == opts.base || slices.ContainsFunc(m.Sides, func(o *mods.Side) bool { return o.Label == s.Label }); n++ {
			s.Label = fmt.Sprintf("%s (%d)", of, n)
		}
		m.Sides = append(m.Sides, s)
		for key := range s.Units {
			wanted[key] = true
		}
	}
	slices.SortStableFunc(m.Sides, func(a, b *mods.Side) int { return cmp.Compare(a.Order, b.Order) })
	if m.Base, err = m.openBase(ctx, opts.base, func(key string) bool { return wanted[key] }); err != nil {
		return nil, err
	}
	for _, s := range m.Sides {
		there := 0
		for key := range s.Units {
			if m.Base.Units[key] != nil {
				there++
			}
		}
		if there*2 < len(s.Units) {
			a.Warn(fmt.Sprintf("%s: %d of %s are in %s", s.Label, there, cli.Plural(int64(len(s.Units)), "asset", "assets"), m.Base.Label))
		}
	}
	labels := m.labels()
	m.Take = func(path, object, field string) (int, bool) {
		return taken(m.take[conflictKey(path, object, field)], labels)
	}
	m.Prefer, err = m.prefers()
	return m, err
}

// prefers returns mods by what --prefer says, those that win first.
func (m *modMerge) prefers() (all []int, err error) {
	for i := range m.Sides {
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
	i := slices.IndexFunc(m.Sides, func(s *mods.Side) bool { return s.Label == m.opts.prefer })
	if i < 0 {
		return nil, fmt.Errorf("%w: --prefer %s: there is no such mod: write first, last, or a name such as %s", cli.ErrUsage, m.opts.prefer, m.Sides[0].Label)
	}
	return []int{i}, nil
}

func (m *modMerge) labels() (all []string) {
	for _, s := range m.Sides {
		all = append(all, s.Label)
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
func writeDecisions(ctx context.Context, a *cli.App, name string, units []*mods.MergedUnit, labels []string) error {
	if _, err := os.Stat(name); name == "" || err == nil {
		return nil
	}
	var all []conflictFile
	for _, u := range units {
		for i := range u.Items {
			item := &u.Items[i]
			if !item.Open {
				continue
			}
			c := conflictFile{Path: u.Path, Object: item.Object, Field: item.Field, Why: item.Why, Base: item.Base, Values: map[string]string{}}
			if u.Whole {
				c.Base = ""
			}
			for v, text := range item.Values {
				if u.Whole {
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
	w, err := newConflictWriter(a, opts.format, m.Base.Label, m.labels(), names)
	if err != nil {
		return err
	}
	if err := m.Each(ctx, w.unit); err != nil {
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
	w, err := newConflictWriter(a, opts.format, m.Base.Label, m.labels(), names)
	if err != nil {
		return err
	}
	w.frames = true
	var files []mods.File
	var open []*mods.MergedUnit
	lost := make([]int, len(m.Sides))
	for i, s := range m.Sides {
		lost[i] = s.Deleted
	}
	err = m.Each(ctx, func(u *mods.MergedUnit) error {
		files = append(files, u.Files...)
		if u.Open() > 0 {
			open = append(open, u)
		}
		for i := range u.Items {
			for v, text := range u.Items[i].Values {
				if item := &u.Items[i]; item.Why != "" && (item.Taken < 0 || item.Values[item.Taken] != text) {
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
		_, err := fmt.Fprintln(w.words(), "the mods change nothing of "+m.Base.Label+", and nothing is written")
		return err
	}
	name, size, err := m.write(ctx, opts.out, opts.overwrite, m.Base, files)
	if err != nil {
		return err
	}
	return m.reportMerged(w, name, size, len(files), lost)
}

// unresolved lists what is open, and is an error.
func unresolved(ctx context.Context, a *cli.App, file string, open []*mods.MergedUnit, labels []string, hint string) error {
	n := 0
	for _, u := range open {
		n += u.Open()
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
	for i, s := range m.Sides {
		if lost[i] == 0 {
			inside = append(inside, s.Label)
		} else {
			outside = append(outside, fmt.Sprintf("%s (%s lost)", s.Label, cli.Plural(int64(lost[i]), "change", "changes")))
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
