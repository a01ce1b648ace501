package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/edit"
	"pakdb/codecs/unreal/pkg"
	"pakdb/codecs/unreal/property"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/asset"
	"pakdb/internal/glob"
	"pakdb/internal/terminal"
)

type modOptions struct {
	out                               string
	remove, appended, copied, renamed []string
	object                            string
	dryRun, overwrite, force          bool
	values                            valueOptions
}

func newModCommand(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "mod",
		Short: "Change values in game packages",
		Long: `Change values in packages of Unreal Engine, and write the archive that the game
mounts over the build.`,
		Example: `  pakdb mod set 1.52:Game/Content/BP_Rifle.uasset Damage=28.8 -o Game_1_P.pak`,
	}, newModSetCommand(a))
}

func newModSetCommand(a *cli.App) *cobra.Command {
	var opts modOptions
	cmd := &cobra.Command{
		Use:   "set [flags] {FILE|BUILD:PATH}... FIELD=VALUE... -o OUT",
		Short: "Change values of Unreal packages",
		Long: `Change values of packages of UE 4.10 to 5.8: FIELD=VALUE, or FIELD*=2.5. A
FIELD is a path as "pakdb show --tables values" prints it: Stats.Damage,
Slots[3], Rows[Rifle].Cost; OBJECT:FIELD or --object chooses among several
objects. Every package named gets all changes; "pakdb help mods" lists values,
order and limits.

Of packages in an archive, the output is an archive of that kind with the
changed packages, whose name must win over theirs, as Game_1_P.pak; of a
package file it is a file. The result is read back: it differs in those values
alone. Unsafe changes are refused.`,
		Example: `  pakdb mod set 1.52:Game/Content/BP_Rifle.uasset Damage=28.8 -o Game_1_P.pak
  pakdb mod set BP_Rifle.uasset Default__BP_Rifle_C:Damage=28.8 --dry-run
  pakdb mod set DT_Weapons.uasset --copy "Rows[Rifle]=Carbine" -o new.uasset`,
		Args:              cli.Args(cobra.MinimumNArgs(1)),
		ValidArgsFunction: cli.Completing(a, operand.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.out == "" && !opts.dryRun {
				return cli.UsageError(cmd, errors.New("write where to? pass -o OUT, or --dry-run"))
			}
			return runModSet(cmd.Context(), a, opts, args)
		},
	}
	flags := cmd.Flags()
	cli.Flag(cmd, "output", &opts.out)
	flags.StringArrayVar(&opts.remove, "unset", nil, "unset or remove `FIELD`; may repeat")
	flags.StringArrayVar(&opts.appended, "append", nil, "add an element, `FIELD=VALUE`; may repeat")
	flags.StringArrayVar(&opts.copied, "copy", nil, "copy an entry or row, `FIELD=KEY`; may repeat")
	flags.StringArrayVar(&opts.renamed, "rename", nil, "rename an entry or row, `FIELD=KEY`; may repeat")
	flags.StringVar(&opts.object, "object", "", "the object `NAME` that has the fields")
	cli.Flag(cmd, "dry-run", &opts.dryRun)
	cli.Flag(cmd, "overwrite", &opts.overwrite)
	flags.BoolVar(&opts.force, "dangling", false, "allow references to packages the archive lacks")
	opts.values.add(cmd)
	return cmd
}

// change is one thing to do to a package.
type change struct {
	object, field string
	do            func(p *edit.Package, object, field string) error
}

// splitAssignment divides FIELD=VALUE at the first "=" outside of brackets.
func splitAssignment(text string) (field, value string, ok bool) {
	depth := 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == '=' && depth == 0:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// newChange returns a change of OBJECT:FIELD.
func newChange(o *modOptions, field string, do func(p *edit.Package, object, field string) error) change {
	object := o.object
	before, _, _ := strings.Cut(field, "[") // keys of maps may have colons
	if i := strings.LastIndexByte(before, ':'); i >= 0 {
		object, field = field[:i], field[i+1:]
	}
	return change{object, field, do}
}

// changes returns what the arguments ask for, and the packages that they name.
func (o *modOptions) changes(args []string) (names []string, all []change, err error) {
	keyed := func(texts []string, do func(p *edit.Package, object, field, key string) error) {
		for _, text := range texts {
			field, value, ok := splitAssignment(text)
			if !ok {
				err = cmp.Or(err, fmt.Errorf("%w: %q: want FIELD=VALUE", cli.ErrUsage, text))
			}
			all = append(all, newChange(o, field, func(p *edit.Package, object, field string) error { return do(p, object, field, value) }))
		}
	}
	keyed(o.copied, (*edit.Package).Copy)
	keyed(o.renamed, (*edit.Package).Rename)
	for _, arg := range args {
		field, value, ok := splitAssignment(arg)
		if _, statErr := os.Stat(arg); !ok || statErr == nil {
			names = append(names, arg)
			continue
		}
		if by, times := strings.CutSuffix(field, "*"); times {
			factor, good := new(big.Rat).SetString(value)
			if !good {
				return nil, nil, fmt.Errorf("%w: %q: %q is no number", cli.ErrUsage, arg, value)
			}
			all = append(all, newChange(o, by, func(p *edit.Package, object, field string) error { return multiply(p, object, field, factor) }))
			continue
		}
		all = append(all, newChange(o, field, func(p *edit.Package, object, field string) error { return p.Set(object, field, value) }))
	}
	keyed(o.appended, (*edit.Package).Append)
	for _, field := range o.remove {
		all = append(all, newChange(o, field, (*edit.Package).Remove))
	}
	switch {
	case err != nil:
	case len(names) == 0:
		err = fmt.Errorf("%w: change which package? name a FILE, BUILD:PATH or ARCHIVE!/ENTRY", cli.ErrUsage)
	case len(all) == 0:
		err = fmt.Errorf("%w: change what? pass FIELD=VALUE", cli.ErrUsage)
	}
	return names, all, err
}

// multiply sets a number to a multiple of itself. The product is exact before it is rounded
// to the type: 24 times 1.2 is 28.8.
func multiply(p *edit.Package, object, field string, factor *big.Rat) error {
	old, err := p.Get(object, field)
	if err != nil {
		return err
	}
	var text string
	switch v := old.(type) {
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		text = v
	}
	number, ok := new(big.Rat).SetString(text)
	if _, isText := old.(string); !ok || isText && strings.Trim(text, "0123456789") != "" {
		return fmt.Errorf("%w: %s is %q, which is no number", property.ErrValue, field, text)
	}
	number.Mul(number, factor)
	if _, isFloat := old.(float64); isFloat {
		f, _ := number.Float64()
		if math.IsInf(f, 0) {
			return fmt.Errorf("%w: %s is out of range", property.ErrValue, number.FloatString(0))
		}
		return p.Set(object, field, strconv.FormatFloat(f, 'g', -1, 64))
	}
	return p.Set(object, field, number.FloatString(0))
}

// modded is a package with its changes.
type modded struct {
	name         string           // as it was named
	ar           *operand.Archive // nil for a file
	header, body *codecs.Entry
	edited       *edit.Package
	asset, uexp  []byte // after them
}

func runModSet(ctx context.Context, a *cli.App, opts modOptions, args []string) error {
	names, changes, err := opts.changes(args)
	if err != nil {
		return err
	}
	if opts.out != "" && !opts.overwrite {
		if _, err := os.Stat(opts.out); err == nil {
			return cli.WithHint(fmt.Errorf("%w: %s", os.ErrExist, opts.out), "pass --overwrite to replace it")
		}
	}
	var all []*modded
	defer func() {
		for _, m := range all {
			if m.ar != nil {
				_ = m.ar.Close()
			}
		}
	}()
	for _, name := range names {
		m, err := modPackage(ctx, a, &opts, name, changes)
		if m != nil {
			all = append(all, m)
		}
		if err != nil {
			return modHint(name, err)
		}
	}
	for _, m := range all {
		if m.ar == nil || opts.out == "" {
			continue
		}
		if err := refuseShadowed(opts.out, m.ar); err != nil {
			return err
		}
	}
	for _, m := range all {
		if err := printMod(a, m); err != nil {
			return err
		}
	}
	for _, m := range all {
		if err := warnTranslated(ctx, a, m); err != nil {
			return err
		}
	}
	if opts.dryRun {
		return nil
	}
	return writeMod(ctx, a, &opts, all)
}

// modHint names the package, and says how to get on.
func modHint(name string, err error) error {
	var ambiguous *edit.AmbiguousError
	var none *property.NoSchemaError
	var field *property.NoFieldError
	hint := ""
	switch {
	case errors.As(err, &ambiguous):
		hint = "write " + ambiguous.Objects[0] + ":" + ambiguous.Field + ", or pass --object"
	case errors.As(err, &none):
		hint = "--mappings names the mappings (.usmap) of the game"
	case errors.As(err, &field):
		hint = cmp.Or(glob.NearestHint(field.Near), "pakdb show --tables values shows the fields")
	case errors.Is(err, property.ErrNoObject):
		hint = "--dangling refers to it all the same"
	case errors.Is(err, unreal.ErrInside):
		hint = "numbers that keep their size can be changed, and names that the package has"
	case errors.Is(err, cli.ErrUsage), errors.Is(err, codecs.ErrNotFound):
		return err
	}
	switch {
	case ambiguous != nil || errors.Is(err, property.ErrValue):
		err = cli.Usage(err)
	case errors.Is(err, property.ErrRefused), errors.Is(err, unreal.ErrNoWriting), errors.Is(err, edit.ErrProof):
		err = cli.Refusal(err)
	}
	return cli.WithHint(fmt.Errorf("%s: %w", name, err), hint)
}

// modPackage reads a package and changes it.
func modPackage(ctx context.Context, a *cli.App, opts *modOptions, name string, changes []change) (*modded, error) {
	m := &modded{name: name}
	content, err := m.open(ctx, a, name)
	if err != nil {
		return m, err
	}
	defer content.Close()
	build, archives := "", []*operand.Archive(nil)
	if m.ar != nil {
		build, archives = m.ar.Build, append(archives, m.ar)
	}
	in, err := newPackages(ctx, a, &opts.values, build, slices.Values(archives))
	if err != nil {
		return m, err
	}
	asset, err := readAll(content)
	var uexp []byte
	if err == nil && content.Exports != nil {
		uexp, err = readAll(content.Exports)
	}
	if err != nil {
		return m, err
	}
	o := edit.Options{Name: pkg.NameOf(content.Path), Engine: in.engine, Schemas: in.declared}
	if m.ar != nil && !opts.force {
		known := filesOfPackages(m.ar).headers
		o.CanImport = func(name string) error {
			if strings.HasPrefix(name, "/Script/") || known[strings.ToLower(name)] != nil {
				return nil
			}
			if m.ar.Build != "" {
				return inBuild(ctx, a, m.ar.Build, name)
			}
			return fmt.Errorf("%w: %s has no package %s", property.ErrNoObject, m.ar.Path, name)
		}
	}
	if content.Chunk {
		globals := in.scripts(content.Folder)
		if globals == nil {
			globals = in.named
		}
		m.edited, err = edit.OpenZen(asset, globals, o)
	} else {
		m.edited, err = edit.Open(ctx, asset, uexp, o)
	}
	if err != nil {
		return m, err
	}
	for _, c := range changes {
		if err := c.do(m.edited, c.object, c.field); err != nil {
			return m, err
		}
	}
	m.asset, m.uexp, err = m.edited.Files(ctx)
	return m, err
}

// warnTranslated warns of texts that a game does not show, but their translations.
func warnTranslated(ctx context.Context, a *cli.App, m *modded) error {
	if m.ar == nil || m.ar.Build == "" {
		return nil
	}
	for _, c := range m.edited.Changes() {
		if c.Key == "" {
			continue
		}
		db, err := a.OpenCatalog(ctx)
		if err != nil {
			return err
		}
		var n int64
		err = db.QueryRowContext(ctx, "SELECT count(*) FROM translations WHERE build = ? AND namespace = ? AND key = ?", m.ar.Build, c.Namespace, c.Key).Scan(&n)
		if err = errors.Join(err, db.Close()); err != nil {
			return err
		}
		if n > 0 {
			a.Warn(fmt.Sprintf("%s.%s: the game shows %s of this text (key %q), which .locres files have", c.Object, c.Field, cli.Plural(n, "translation", "translations"), c.Key))
		}
	}
	return nil
}

// inBuild fails if a build has no package of that name.
func inBuild(ctx context.Context, a *cli.App, build, name string) error {
	db, err := a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var there int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM packages WHERE build = ? AND package = ? COLLATE NOCASE", build, name).Scan(&there)
	if err == nil && there == 0 {
		err = fmt.Errorf("%w: build %s has no package %s", property.ErrNoObject, build, name)
	}
	return err
}

func readAll(c *operand.Content) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(c, 0, c.Size))
}

// open opens a package that is a file, or an entry of an archive.
func (m *modded) open(ctx context.Context, a *cli.App, name string) (*operand.Content, error) {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		c, err := openLoosePackage(a, name)
		if err != nil {
			return nil, err
		}
		if c == nil {
			return nil, fmt.Errorf("%w: which ENTRY of %s?", cli.ErrUsage, name)
		}
		return c, addExports(c, name)
	}
	g, err := openEntry(ctx, a, name)
	if err != nil {
		return nil, err
	}
	files := filesOfPackages(g.ar)
	m.ar, m.header = g.ar, g.entries[0]
	stem, _, _ := asset.Split(m.header.Name)
	m.body = files.bodies[strings.ToLower(stem)]
	return files.spool(ctx, m.header)
}

// printMod prints the old and the new value of each change.
func printMod(a *cli.App, m *modded) error {
	p := cli.NewPalette(a)
	if _, err := fmt.Fprintln(a.Stdout, terminal.Printable(m.name)); err != nil {
		return err
	}
	for _, c := range m.edited.Changes() {
		field := terminal.Printable(strings.TrimPrefix(c.Object+"."+c.Field, "."))
		old, new := p.Paint(cli.Red, terminal.Printable(c.Old)), p.Paint(cli.Green, terminal.Printable(c.New))
		var err error
		switch {
		case c.Old == c.New && c.Old != "":
			_, err = fmt.Fprintf(a.Stdout, "    %s: %s, as it was\n", field, terminal.Printable(c.Old))
		case c.New == "":
			_, err = fmt.Fprintf(a.Stdout, "  - %s: %s\n", field, old)
		case c.Old == "":
			_, err = fmt.Fprintf(a.Stdout, "  + %s: %s\n", field, new)
		default:
			_, err = fmt.Fprintf(a.Stdout, "  ~ %s: %s -> %s\n", field, old, new)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeMod writes the packages that changed: a file, or a pak.
func writeMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	loose := all[0].ar == nil
	for _, m := range all {
		if (m.ar == nil) != loose || loose && len(all) > 1 || !loose && m.ar.Format.Name != all[0].ar.Format.Name {
			return fmt.Errorf("%w: several packages go into one archive only if they come from archives of one format", cli.ErrUsage)
		}
	}
	if loose {
		return writeLooseMod(ctx, a, opts, all[0])
	}
	if all[0].ar.Format.Name == iostore.Format().Name {
		return writeContainerMod(ctx, a, opts, all)
	}
	return writePakMod(ctx, a, opts, all)
}

// writeContainerMod writes a container of the kind that the packages come from, and the
// .pak by which a game mounts it.
func writeContainerMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	first := all[0].ar
	toc := strings.TrimSuffix(opts.out, filepath.Ext(opts.out)) + ".utoc"
	o, err := iostore.Overlay(first.Archive, filepath.Base(toc))
	if err != nil {
		return err
	}
	if !slices.Contains(iostore.Format().Methods, o.Method) && o.Method != compress.None {
		o.Method = compress.Zlib // Oodle is read and not written; every engine reads this
	}
	o.Keys = a.Keys.Ring.Key
	var entries []*codecs.Entry
	var from []codecs.Archive
	var sum int64
	for _, m := range all {
		entries, sum = append(entries, m.header), sum+int64(len(m.asset))
		if !slices.Contains(from, m.ar.Archive) {
			from = append(from, m.ar.Archive)
		}
	}
	err = codecs.WriteFile(ctx, toc, iostore.Format(), o, func(w codecs.Writer) error {
		for _, m := range all {
			e := &codecs.Entry{Name: m.header.Name, Type: m.header.Type, ID: m.header.ID, Size: int64(len(m.asset))}
			if err := w.Add(ctx, e, bytes.NewReader(m.asset)); err != nil {
				return err
			}
		}
		e, header, err := overlay.ContainerHeader(ctx, filepath.Base(toc), entries, from)
		if err != nil || e == nil {
			return err
		}
		return w.Add(ctx, e, bytes.NewReader(header))
	})
	if err != nil {
		return err
	}
	pak := strings.TrimSuffix(toc, ".utoc") + ".pak"
	if _, statErr := os.Stat(pak); statErr != nil || opts.overwrite {
		stub := &codecs.CreateOptions{MountPoint: first.Info().MountPoint}
		if err := codecs.WriteFile(ctx, pak, unrealpak.Format(), stub, func(codecs.Writer) error { return nil }); err != nil {
			return err
		}
	}
	return printWrittenMod(a, toc, all, sum)
}

func printWrittenMod(a *cli.App, out string, all []*modded, size int64) error {
	_, err := fmt.Fprintf(a.Stdout, "%s written: %s, %s\n", terminal.Printable(out), cli.Plural(int64(len(all)), "package", "packages"), cli.HumanSize(size))
	return err
}

func writeLooseMod(ctx context.Context, a *cli.App, opts *modOptions, m *modded) error {
	write := func(name string, b []byte) error {
		err := toFile(ctx, name, time.Time{}, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		if err == nil {
			_, err = fmt.Fprintln(a.Stdout, terminal.Printable(name)+" written")
		}
		return err
	}
	if m.uexp != nil {
		if err := write(strings.TrimSuffix(opts.out, filepath.Ext(opts.out))+".uexp", m.uexp); err != nil {
			return err
		}
	}
	return write(opts.out, m.asset)
}

// writePakMod writes a pak of the kind that the packages come from.
func writePakMod(ctx context.Context, a *cli.App, opts *modOptions, all []*modded) error {
	first := all[0].ar
	for _, m := range all {
		if m.ar.Info().MountPoint != first.Info().MountPoint {
			return fmt.Errorf("%w: packages of paks with the mount points %s and %s: write a pak for each", cli.ErrUsage, first.Info().MountPoint, m.ar.Info().MountPoint)
		}
	}
	o := packOptions{out: opts.out, create: createOptions{effort: "normal"}}
	o.create.set = func(string) bool { return false }
	t, err := packTarget(ctx, a, o, first)
	if err != nil {
		return err
	}
	defer t.close()
	if err := noteSubstitute(a, t.instead); err != nil {
		return err
	}
	var sum int64
	err = codecs.WriteFile(ctx, opts.out, t.format, &t.options, func(w codecs.Writer) error {
		add := func(like *codecs.Entry, b []byte) error {
			sum += int64(len(b))
			return w.Add(ctx, &codecs.Entry{Name: like.Name, Size: int64(len(b))}, bytes.NewReader(b))
		}
		for _, m := range all {
			if err := add(m.header, m.asset); err != nil {
				return err
			}
			if m.uexp != nil {
				if err := add(m.body, m.uexp); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := os.Stat(strings.TrimSuffix(first.File.Name(), filepath.Ext(first.File.Name())) + ".sig"); err == nil {
		a.Warn(first.Path + " is signed, and pakdb cannot sign " + opts.out)
	}
	return printWrittenMod(a, opts.out, all, sum)
}

// refuseShadowed fails if a game would not see the new pak over the one that the packages
// come from.
func refuseShadowed(out string, ar *operand.Archive) error {
	mounts := ar.Format.Mounts()
	if mounts.Order == nil || mounts.PatchName == nil {
		return cli.Refusal(fmt.Errorf("%w: an archive of format %s", unreal.ErrNoWriting, ar.Format.Name))
	}
	base := filepath.Base(ar.File.Name())
	name := strings.TrimSuffix(filepath.Base(out), filepath.Ext(out)) + filepath.Ext(base)
	old := mounts.Order(base)
	if mounts.Order(name) > old {
		return nil
	}
	better := base
	for n := 1; mounts.Order(better) <= old; n++ {
		better = mounts.PatchName(base, n)
	}
	return cli.WithHint(fmt.Errorf("%w: a game does not mount %s over %s", cli.ErrUsage, name, base), "call it "+better)
}
