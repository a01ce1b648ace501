package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/mods"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/rows"
	"pakdb/internal/asset"
	"pakdb/internal/glob"
	"pakdb/internal/regular"
	"pakdb/internal/terminal"
)

// modRun changes packages. Their archives stay open until it is closed.
type modRun struct {
	a        *cli.App
	opts     *modOptions
	archives []*modArchive
	all      []*modded // packages that were changed
	passed   int       // packages of patterns that lack the fields
	near     []string  // fields that are like those
}

// modArchive is an archive with packages that are changed.
type modArchive struct {
	*operand.Archive
	files *packageFiles
	in    *packages
	db    *mods.Database // of Marvel Heroes; nil until it is needed
	mount string         // its mount point
}

// modTarget is a package that is to be changed.
type modTarget struct {
	name   string        // as messages call it; of a file its path
	ar     *modArchive   // nil for a file
	header *codecs.Entry // in ar
	chosen bool          // by a pattern, so that it may lack the fields
}

// modded is a package with its changes.
type modded struct {
	modTarget
	body        *codecs.Entry
	changes     []mods.Change
	asset, uexp []byte // after them
}

// MountPoint implements [mods.Archive].
func (ar *modArchive) MountPoint() string { return ar.mount }

// Entry implements [mods.Archive].
func (ar *modArchive) Entry(ctx context.Context, e *codecs.Entry, read func(io.Reader) error) error {
	r, err := ar.Open(ctx, e)
	if err == nil {
		err = errors.Join(read(r), r.Close())
	}
	return cli.OfFile(err, ar.Path, cli.Label(e))
}

// Options implements [mods.Archive].
func (ar *modArchive) Options(name string) mods.Options { return optionsOf(ar.in, name) }

// Scripts implements [mods.Archive].
func (ar *modArchive) Scripts() *unreal.ScriptObjectFacts {
	return cmp.Or(ar.in.scripts(filepath.Dir(ar.File.Name())), ar.in.lib.Named())
}

func optionsOf(in *packages, name string) mods.Options {
	o := in.lib.Options(name)
	return mods.Options{Name: o.Name, Engine: o.Engine, Schemas: o.Schemas}
}

func (r *modRun) close() {
	for _, ar := range r.archives {
		_ = ar.Close()
	}
}

// keep prepares an open archive. One that is open already is kept instead.
func (r *modRun) keep(ctx context.Context, ar *operand.Archive) (*modArchive, error) {
	for _, known := range r.archives {
		if known.Path == ar.Path {
			return known, ar.Close()
		}
	}
	in, err := newPackages(ctx, r.a, ar.Build, slices.Values([]*operand.Archive{ar}))
	if err != nil {
		return nil, errors.Join(err, ar.Close())
	}
	kept := &modArchive{Archive: ar, files: filesOfPackages(ar), in: in, mount: ar.Info().MountPoint}
	r.archives = append(r.archives, kept)
	return kept, nil
}

// find returns the packages that an argument names: a file, an entry, or entries that match a
// pattern.
func (r *modRun) find(ctx context.Context, name string) ([]modTarget, error) {
	if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
		return []modTarget{{name: name}}, nil
	}
	n, err := operand.Resolve(ctx, r.a, locate.Resolver{}, name)
	if err != nil {
		return nil, err
	}
	if file, entry, ok := operand.SplitNested(n.Path); ok && n.Build == "" && n.Entry == "" && locate.IsPattern(entry) {
		n.Path, n.Entry = file, entry
	}
	if locate.IsPattern(n.Entry) {
		return r.match(ctx, n)
	}
	g, err := openNamed(ctx, r.a, n)
	if err != nil {
		return nil, err
	}
	ar, err := r.keep(ctx, g.ar)
	if err != nil {
		return nil, err
	}
	found, err := cli.Find(ar.Path, ar.Archive, []string{g.entries[0].Name}) // ar may be another one
	if err != nil {
		found = g.entries
	}
	return []modTarget{{name: name, ar: ar, header: found[0]}}, nil
}

// match returns the packages that match the pattern of a name, all of them without one. Of
// packages that other archives of the build have as well, the one that the game sees is
// returned.
func (r *modRun) match(ctx context.Context, n *locate.Name) (found []modTarget, err error) {
	pattern, err := glob.Parse(cmp.Or(n.Entry, "**"), true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", cli.ErrUsage, err)
	}
	var hidden map[operand.Place]bool
	if n.Build != "" {
		if hidden, err = operand.Hidden(ctx, r.a, n.Build); err != nil {
			return nil, err
		}
	}
	err = r.entries(ctx, n, func(ar *modArchive, e *codecs.Entry, at operand.Place) {
		if e.Flags&codecs.Deleted != 0 || !mods.IsPackage(e) && !mods.IsText(e.Name) || !pattern.Match(e.Name) || hidden[at] {
			return
		}
		t := modTarget{name: ar.Path + "!/" + e.Name, ar: ar, header: e, chosen: true}
		if n.Build != "" {
			t.name = n.Build + ":" + e.Name
		}
		found = append(found, t)
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: no package matches %s", codecs.ErrNotFound, n.Text)
	}
	return found, nil
}

// entries calls each with all entries of the archives that a name names: one, or those of a build.
func (r *modRun) entries(ctx context.Context, n *locate.Name, each func(ar *modArchive, e *codecs.Entry, at operand.Place)) error {
	list := func(name string, opened *operand.Archive, err error) error {
		if err != nil {
			return err
		}
		ar, err := r.keep(ctx, opened)
		if err != nil {
			return err
		}
		for e, err := range ar.Entries() {
			if err != nil {
				return cli.OfFile(err, ar.Path, "")
			}
			each(ar, e, operand.Place{Archive: name, Ordinal: e.Ordinal})
		}
		return nil
	}
	if n.Build == "" {
		ar, err := operand.Open(ctx, r.a, n.Path)
		return list("", ar, err)
	}
	for _, f := range n.Files {
		ar, err := operand.OpenInBuild(ctx, r.a, n, f)
		if err := list(f.Name, ar, err); err != nil {
			return err
		}
	}
	return nil
}

// apply makes the edits of a package that list returns. A package that a pattern chose, and
// that has none of the fields, is passed over.
func (r *modRun) apply(ctx context.Context, t modTarget, list func(mods.Editable) ([]mods.Edit, error)) error {
	if slices.ContainsFunc(r.all, func(m *modded) bool { return m.ar == t.ar && m.header == t.header && m.name == t.name }) {
		return nil // two patterns matched it
	}
	edited, err := r.open(ctx, t)
	if err != nil {
		return modHint(t.name, err)
	}
	edits, err := list(edited)
	if err != nil || len(edits) == 0 {
		return modHint(t.name, err)
	}
	mods.Ordered(edits)
	set := map[string]string{} // values by their objects and fields
	for i, e := range edits {
		err := edited.Apply(e)
		if err == nil {
			err = setOnce(set, e.Op, edited.Changes())
		}
		var none *mods.NoFieldError
		if t.chosen && i == 0 && errors.As(err, &none) && lacksAll(edited, edits) {
			r.passed, r.near = r.passed+1, append(r.near, none.Near...)
			return nil
		}
		if err != nil {
			return modHint(t.name, err)
		}
	}
	m := &modded{modTarget: t, changes: edited.Changes()}
	if m.asset, m.uexp, err = edited.Files(ctx); err != nil {
		return modHint(t.name, err)
	}
	if t.ar != nil && mods.IsPackage(t.header) {
		stem, _, _ := asset.Split(t.header.Name)
		m.body = t.ar.files.bodies[strings.ToLower(stem)]
	}
	r.all = append(r.all, m)
	return nil
}

// setOnce fails if the last change gives a field that was set before another value.
func setOnce(set map[string]string, op mods.Op, changes []mods.Change) error {
	if op != mods.Set && op != mods.Add && op != mods.Multiply || len(changes) == 0 {
		return nil
	}
	c := &changes[len(changes)-1]
	key := strings.ToLower(c.Object + "." + c.Field)
	if was, ok := set[key]; ok && was != c.New {
		return fmt.Errorf("%w: %s is set twice, to %s and to %s", mods.ErrValue, strings.TrimPrefix(c.Object+"."+c.Field, "."), was, c.New)
	}
	set[key] = c.New
	return nil
}

// lacksAll reports whether a package has no field of any edit.
func lacksAll(p mods.Editable, edits []mods.Edit) bool {
	return !slices.ContainsFunc(edits, func(e mods.Edit) bool {
		_, err := p.Get(e.Object, e.Field)
		var none *mods.NoFieldError
		return !errors.As(err, &none)
	})
}

// finish reports the changes, and writes them unless it is a rehearsal.
func (r *modRun) finish(ctx context.Context) error {
	if len(r.all) == 0 && r.passed == 0 {
		_, err := fmt.Fprintln(r.a.Stdout, "nothing changes, and nothing is written")
		return err
	}
	if len(r.all) == 0 {
		slices.Sort(r.near)
		near := slices.Compact(r.near)
		err := fmt.Errorf("%w: the fields are in none of %s", codecs.ErrNotFound, cli.Plural(int64(r.passed), "file", "files"))
		return cli.WithHint(err, glob.NearestHint(near[:min(len(near), 3)]))
	}
	for _, m := range r.all {
		if m.ar == nil || r.opts.out == "" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(r.opts.out)); err != nil {
			return err
		}
		if writtenWhole(m.ar.Archive) {
			continue
		}
		if err := refuseShadowed(r.opts.out, m.ar.Archive); err != nil {
			return err
		}
	}
	for _, m := range r.all {
		if err := printMod(r.a, m); err != nil {
			return err
		}
	}
	for _, m := range r.all {
		if err := warnTranslated(ctx, r.a, m); err != nil {
			return err
		}
	}
	if r.passed > 0 && !r.a.Quiet {
		if _, err := fmt.Fprintf(r.a.Stdout, "unchanged: %s without the fields\n", cli.Plural(int64(r.passed), "file", "files")); err != nil {
			return err
		}
	}
	if r.opts.dryRun {
		return nil
	}
	return writeMod(ctx, r.a, r.opts, r.all)
}

// open reads a package, or a file of texts.
func (r *modRun) open(ctx context.Context, t modTarget) (mods.Editable, error) {
	if mods.IsText(t.path()) {
		b, err := r.textOf(ctx, t)
		if err != nil {
			return nil, err
		}
		return mods.OpenText(t.path(), b, func() *mods.Database { return t.ar.Database(ctx) }, r.opts.force)
	}
	content, in, err := r.content(ctx, t)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	asset, err := readAll(content)
	var uexp []byte
	if err == nil && content.Exports != nil {
		uexp, err = readAll(content.Exports)
	}
	if err != nil {
		return nil, err
	}
	o := optionsOf(in, unreal.LongName(content.Path))
	if t.ar != nil && !r.opts.force {
		o.CanImport = func(name string) error {
			if strings.HasPrefix(name, "/Script/") || t.ar.files.headers[strings.ToLower(name)] != nil {
				return nil
			}
			if t.ar.Build != "" {
				return inBuild(ctx, r.a, t.ar.Build, name)
			}
			return fmt.Errorf("%w: %s has no package %s", mods.ErrNoObject, t.ar.Path, name)
		}
	}
	if !content.Chunk {
		return mods.Open(ctx, asset, uexp, o)
	}
	return mods.OpenZen(asset, cmp.Or(in.scripts(content.Folder), in.lib.Named()), o)
}

// Database implements [mods.Archive]. A nil archive has no files.
func (ar *modArchive) Database(ctx context.Context) *mods.Database {
	if ar == nil {
		return mods.NewDatabase(func(func(string) bool) {}, nil)
	}
	if ar.db != nil {
		return ar.db
	}
	entries := map[string]*codecs.Entry{}
	for e, err := range ar.Entries() {
		if err == nil && e.Flags&codecs.Deleted == 0 {
			entries[e.Name] = e
		}
	}
	ar.db = mods.NewDatabase(maps.Keys(entries), func(path string) ([]byte, error) { return readEntry(ctx, ar.Archive, entries[path]) })
	return ar.db
}

// textOf returns the content of a file of texts.
func (r *modRun) textOf(ctx context.Context, t modTarget) ([]byte, error) {
	if t.ar == nil {
		return regular.ReadFile(t.name)
	}
	c, err := operand.SpoolEntry(ctx, t.ar.Archive, t.header)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return readAll(c)
}

// content opens the bytes of a package, a file or an entry.
func (r *modRun) content(ctx context.Context, t modTarget) (*operand.Content, *packages, error) {
	if t.ar != nil {
		c, err := t.ar.files.spool(ctx, t.header)
		return c, t.ar.in, err
	}
	in, err := newPackages(ctx, r.a, "", slices.Values([]*operand.Archive(nil)))
	if err != nil {
		return nil, nil, err
	}
	c, err := openLoosePackage(r.a, t.name)
	if err == nil && c == nil {
		err = fmt.Errorf("%w: which ENTRY of %s?", cli.ErrUsage, t.name)
	}
	if err != nil {
		return nil, nil, err
	}
	return c, in, addExports(c, t.name)
}

func readAll(c *operand.Content) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(c, 0, c.Size))
}

// modHint names the package, and says how to get on.
func modHint(name string, err error) error {
	if err == nil {
		return nil
	}
	var ambiguous *mods.AmbiguousError
	var none *rows.NoSchemaError
	var field *mods.NoFieldError
	hint := ""
	switch {
	case errors.As(err, &ambiguous):
		hint = "write " + ambiguous.Objects[0] + ":" + ambiguous.Field
	case errors.As(err, &none):
		hint = "--mappings names the mappings (.usmap) of the game"
	case errors.As(err, &field):
		hint = cmp.Or(glob.NearestHint(field.Near), "pakdb show --tables values shows the fields")
	case errors.Is(err, mods.ErrNoObject):
		hint = "--dangling refers to it all the same"
	case errors.Is(err, mods.ErrExists):
		hint = "UPDATE changes it"
	case errors.Is(err, unreal.ErrInside):
		hint = "numbers that keep their size can be changed, and names that the package has"
	case errors.Is(err, cli.ErrUsage), errors.Is(err, codecs.ErrNotFound):
		return err
	}
	switch {
	case ambiguous != nil || errors.Is(err, mods.ErrValue), errors.Is(err, mods.ErrExists):
		err = cli.Usage(err)
	case errors.Is(err, mods.ErrRefused), errors.Is(err, unreal.ErrNoWriting), errors.Is(err, mods.ErrProof):
		err = cli.Refusal(err)
	}
	return cli.WithHint(fmt.Errorf("%s: %w", name, err), hint)
}

// warnTranslated warns of texts that a game does not show, but their translations.
func warnTranslated(ctx context.Context, a *cli.App, m *modded) error {
	if m.ar == nil || m.ar.Build == "" {
		return nil
	}
	for _, c := range m.changes {
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
		err = fmt.Errorf("%w: build %s has no package %s", mods.ErrNoObject, build, name)
	}
	return err
}

// printMod prints the old and the new value of each change.
func printMod(a *cli.App, m *modded) error {
	p := cli.NewPalette(a)
	if _, err := fmt.Fprintln(a.Stdout, terminal.Printable(m.name)); err != nil {
		return err
	}
	for _, c := range m.changes {
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
