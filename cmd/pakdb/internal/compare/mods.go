package compare

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
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// ModCommands returns the commands of the group mod that compare.
func ModCommands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newModShowCommand(a), newModConflictsCommand(a)}
}

type modsOptions struct {
	base, format string
}

func (o *modsOptions) add(a *cli.App, cmd *cobra.Command) {
	cli.Flag(cmd, "base", &o.base)
	_ = cmd.MarkFlagRequired("base")
	_ = cmd.RegisterFlagCompletionFunc("base", cli.Completing(a, cli.CompleteBuilds))
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
	c, err := openMods(ctx, a, opts, []string{mod})
	if err != nil {
		return err
	}
	defer c.mods.Close()
	w := &insideWriter{w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a), with: c.insider(a, 0)}
	if opts.format != "" {
		if w.rows, err = a.Rows(opts.format, append([]string{"kind", "path", "old_path"}, semantic.Columns()...)...); err != nil {
			return err
		}
	}
	for i := range c.changes[0] {
		if err := w.change(ctx, &c.changes[0][i]); err != nil {
			return errors.Join(err, w.close())
		}
	}
	if err := w.close(); err != nil {
		return err
	}
	return c.warnOfBase(ctx, a, c.mods.Labels[0])
}

func newModConflictsCommand(a *cli.App) *cobra.Command {
	var opts modsOptions
	cmd := &cobra.Command{
		Use:   "conflicts --base BUILD MOD...",
		Short: "Show which entries and values several mods change",
		Long: `Show the entries that several mods change in different ways, and of each the
values: "conflict" where two mods give different values, "same" where they give
one value, "one" where one mod changes it. A game takes each entry whole from
the mod that it mounts last; changes of the other mods are lost.

An entry whose values are not understood is a conflict as a whole. The exit code
is 1 if there is a conflict.`,
		Example: `  pakdb mod conflicts --base 1.52 Rifles_P.pak Ammo_P.pak
  pakdb mod conflicts --base 1.52 Mods/*.pak --format json`,
		Args: cli.Args(cobra.MinimumNArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runModConflicts(cmd.Context(), a, args, opts)
		},
	}
	opts.add(a, cmd)
	return cmd
}

// comparedMods is how mods change a build.
type comparedMods struct {
	mods    *operand.Mods
	files   *show.Files
	changes [][]diff.Change // of each mod
}

// openMods compares mods with the build that they change.
func openMods(ctx context.Context, a *cli.App, opts modsOptions, archives []string) (c *comparedMods, err error) {
	c = &comparedMods{}
	if c.mods, err = operand.OpenMods(ctx, a, opts.base, archives); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.mods.Close()
		}
	}()
	c.files = show.NewFiles(c.mods.DB, c.mods.Contents, a.Registry())
	for _, label := range c.mods.Labels {
		changes, err := c.of(ctx, c.mods.Base, label)
		if err != nil {
			return nil, err
		}
		if n, came := int64(len(changes)), added(changes); came*2 > n {
			a.Warn(fmt.Sprintf("%s: %d of %s are in %s", label, n-came, cli.Plural(n, "changed entry", "changed entries"), c.mods.Base))
		}
		c.changes = append(c.changes, changes)
	}
	return c, nil
}

// of returns the changes that a mod makes of a build. The build keeps what the mod lacks.
func (c *comparedMods) of(ctx context.Context, base, mod string) (changes []diff.Change, err error) {
	r, err := diff.Compare(ctx, c.mods.DB, base, mod, diff.Options{NoRenames: true})
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
func (c *comparedMods) warnOfBase(ctx context.Context, a *cli.App, mod string) error {
	bases, err := c.bases(ctx)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for base, changes := range bases {
		if counts[base], err = c.count(ctx, base, mod, changes); err != nil {
			return err
		}
	}
	best := c.mods.Base
	for _, base := range slices.Sorted(maps.Keys(counts)) {
		if counts[base] < counts[best] {
			best = base
		}
	}
	if best != c.mods.Base {
		a.Warn(fmt.Sprintf("%s differs less from %s than from %s, and may be made for it", mod, best, c.mods.Base))
	}
	return nil
}

// bases returns the changes that the first mod makes of each build that has all of what it
// changes of its base. Of builds with the same contents there it returns one.
func (c *comparedMods) bases(ctx context.Context) (bases map[string][]diff.Change, err error) {
	asked := schema.NewStatements(c.mods.DB)
	defer func() { err = errors.Join(err, asked.Close()) }()
	bases, contents := map[string][]diff.Change{}, map[string]string{}
	for _, ch := range c.changes[0] {
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
	taken := map[string]bool{contents[c.mods.Base]: true}
	for _, base := range slices.Sorted(maps.Keys(bases)) {
		of := contents[base]
		if base != c.mods.Base && (taken[of] || len(bases[base]) < len(bases[c.mods.Base]) || slices.Contains(c.mods.Labels, base)) {
			delete(bases, base)
			continue
		}
		taken[of] = true
	}
	return bases, nil
}

// count returns how many values changes change of a build: one each, and those inside.
func (c *comparedMods) count(ctx context.Context, base, mod string, changes []diff.Change) (n int, err error) {
	in := show.NewComparer(c.files, base, mod, show.CompareOptions{})
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

func (c *comparedMods) insider(a *cli.App, mod int) *show.Comparer {
	return show.NewComparer(c.files, c.mods.Base, c.mods.Labels[mod], show.CompareOptions{Warn: func(text string) {
		_, _ = fmt.Fprintln(a.Stderr, "pakdb: "+terminal.Printable(text))
	}})
}

// touch is the change that a mod makes of an entry.
type touch struct {
	mod    int
	change *diff.Change
}

// shared returns the entries that several mods have in different forms, by their folded paths.
func (c *comparedMods) shared() map[string][]touch {
	all := map[string][]touch{}
	for mod := range c.changes {
		for i := range c.changes[mod] {
			ch := &c.changes[mod][i]
			path := strings.ToLower(cmp.Or(asset.Of(ch.Name()), ch.Name()))
			all[path] = append(all[path], touch{mod, ch})
		}
	}
	maps.DeleteFunc(all, func(_ string, touches []touch) bool {
		return len(touches) < 2 || !slices.ContainsFunc(touches[1:], func(t touch) bool { return !sameFiles(t.change, touches[0].change) })
	})
	return all
}

// sameFiles reports whether two mods have the same contents of an entry.
func sameFiles(a, b *diff.Change) bool {
	return a.New.Content == b.New.Content && a.New.Content != "" && len(a.Parts)+len(b.Parts) == 0
}

// modValue is a value of an entry that mods change.
type modValue struct {
	name string
	base *string
	news map[int]*string // by mod
}

// status says whether the mods agree.
func (v *modValue) status() string {
	if len(v.news) == 1 {
		return "one"
	}
	var first *string
	for i, mod := range slices.Sorted(maps.Keys(v.news)) {
		new := v.news[mod]
		if i == 0 {
			first = new
		} else if (first == nil) != (new == nil) || first != nil && *first != *new {
			return "conflict"
		}
	}
	return "same"
}

// values returns the values of an entry that mods change, in the order in which they have them.
func (c *comparedMods) values(ctx context.Context, insiders []*show.Comparer, touches []touch) (all []*modValue, err error) {
	byName := map[string]*modValue{}
	note := func(mod int, name string, base, new *string) {
		key := strings.ToLower(name)
		v := byName[key]
		if v == nil {
			v = &modValue{name: name, base: base, news: map[int]*string{}}
			byName[key] = v
			all = append(all, v)
		}
		v.news[mod] = new
	}
	for _, t := range touches {
		whole := "other bytes " + t.change.New.Content
		in, err := insiders[t.mod].Changed(ctx, t.change)
		switch {
		case err != nil:
			return nil, err
		case in == nil || len(in.Ranges) > 0 || len(in.Fields)+len(in.Functions) == 0:
			note(t.mod, "", nil, &whole)
			continue
		}
		for _, f := range in.Fields {
			if !f.Cosmetic && !follows(f.Name) {
				note(t.mod, f.Name, f.Old, f.New)
			}
		}
		for i := range in.Functions {
			f := &in.Functions[i]
			text := cmp.Or(f.Text, string(f.Kind)+" "+t.change.New.Content)
			note(t.mod, "function "+f.Path, nil, &text)
		}
	}
	return all, nil
}

// follows reports the fields of a comparison that follow from values: tables of the package.
func follows(name string) bool {
	for _, table := range []string{"name ", "import ", "export ", "depends on ", "file "} {
		if strings.HasPrefix(name, table) {
			return true
		}
	}
	return false
}

func runModConflicts(ctx context.Context, a *cli.App, archives []string, opts modsOptions) error {
	c, err := openMods(ctx, a, opts, archives)
	if err != nil {
		return err
	}
	defer c.mods.Close()
	insiders := make([]*show.Comparer, len(c.mods.Labels))
	for i := range insiders {
		insiders[i] = c.insider(a, i)
		defer func() { _ = insiders[i].Close() }()
	}
	shared := c.shared()
	w := &conflictWriter{mods: c.mods, w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a)}
	if opts.format != "" {
		if w.rows, err = a.Rows(opts.format, "path", "status", "field", "base", "mod", "value"); err != nil {
			return err
		}
	}
	conflicts := 0
	for _, path := range slices.Sorted(maps.Keys(shared)) {
		touches := shared[path]
		values, err := c.values(ctx, insiders, touches)
		if err == nil {
			err = w.entry(touches, values)
		}
		if err != nil {
			return err
		}
		for _, v := range values {
			if v.status() == "conflict" {
				conflicts++
			}
		}
	}
	if err := w.close(int64(len(shared)), int64(conflicts)); err != nil || conflicts == 0 {
		return err
	}
	return cli.ErrProblems
}

// conflictWriter shows the values of shared entries, for people or as rows.
type conflictWriter struct {
	mods *operand.Mods
	w    *bufio.Writer
	rows *query.Rows // nil: for people
	p    cli.Palette
}

func (w *conflictWriter) entry(touches []touch, values []*modValue) error {
	path := touches[0].change.Name()
	if w.rows == nil {
		var names []string
		for _, t := range touches {
			names = append(names, w.mods.Labels[t.mod])
		}
		_, _ = fmt.Fprintf(w.w, "%s  (%s)\n", terminal.Printable(path), terminal.Printable(strings.Join(names, ", ")))
	}
	for _, v := range values {
		status := v.status()
		if w.rows == nil {
			w.line(status, v)
			continue
		}
		for _, mod := range slices.Sorted(maps.Keys(v.news)) {
			row := []driver.Value{path, status, cli.TextOrNull(v.name), nil, w.mods.Labels[mod], nil}
			if v.base != nil {
				row[3] = *v.base
			}
			if new := v.news[mod]; new != nil {
				row[5] = *new
			}
			if err := w.rows.Write(row...); err != nil {
				return err
			}
		}
	}
	return nil
}

// line writes a value: what the build has, and what each mod makes of it.
func (w *conflictWriter) line(status string, v *modValue) {
	colour := map[string]string{"conflict": cli.Red, "same": cli.Faint, "one": cli.Green}[status]
	text := fmt.Sprintf("%-8s  %s", status, terminal.Printable(cmp.Or(v.name, "the whole entry")))
	if v.base != nil {
		text += ": " + terminal.Printable(*v.base)
	}
	var news []string
	for _, mod := range slices.Sorted(maps.Keys(v.news)) {
		new := "removed"
		if p := v.news[mod]; p != nil {
			new = terminal.Printable(*p)
		}
		if v.name == "" || strings.HasPrefix(v.name, "function ") {
			new = "another one"
		}
		if status == "same" {
			news = []string{new}
			break
		}
		news = append(news, new+" ("+terminal.Printable(w.mods.Labels[mod])+")")
	}
	_, _ = fmt.Fprintln(w.w, "  "+w.p.Paint(colour, text+" -> "+strings.Join(news, ", ")))
}

func (w *conflictWriter) close(entries, conflicts int64) error {
	if w.rows != nil {
		return w.rows.Close()
	}
	_, _ = fmt.Fprintf(w.w, "%s in several mods, %s\n", cli.Plural(entries, "entry", "entries"), cli.Plural(conflicts, "conflict", "conflicts"))
	return w.w.Flush()
}
