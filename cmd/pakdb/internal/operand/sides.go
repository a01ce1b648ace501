package operand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/atomicfile"
	"pakdb/internal/glob"
	"pakdb/query"
	"pakdb/schema"
)

// Sides is what a diff compares: two builds of files that are read for the occasion; or two
// builds of one catalog, which is the user's or, when there is a path among them, a
// temporary one.
type Sides struct {
	Old, New Side
	Reading  *diff.Reading          // of files; nil: the others are of a catalog
	DB       *sql.DB                // nil: of files
	Contents *query.Contents        // nil: of files
	Catalog  string                 // the user's or the temporary one
	temp     *atomicfile.ScratchDir // of the temporary catalog; nil for none
}

// Side is one side as the user named it.
type Side struct {
	Label string // of a build
	path  string // what is to be scanned as that build; "" for nothing
	Entry string // path inside the build; "" for all of it
}

// Entries reports whether both sides are single entries, as BUILD:PATH.
func (s *Sides) Entries() bool { return s.Old.Entry != "" && s.New.Entry != "" }

// Close releases the catalog of both sides and removes it if it was temporary.
func (s *Sides) Close() {
	if s.Contents != nil {
		_ = s.Contents.Close()
	}
	if s.DB != nil {
		_ = s.DB.Close()
	}
	if s.temp != nil {
		_ = s.temp.Close()
	}
}

// Need says how much of two paths is to be known.
type Need int

const (
	// Changes: what builds compare by, which takes no catalog.
	Changes Need = iota
	// Entries: where entries lie, in a catalog.
	Entries
	// Facts: what contents say, in a catalog.
	Facts
)

// OpenSides finds out what the names mean, and scans what is not in the catalog. Two
// entries are always read as a whole.
func OpenSides(ctx context.Context, a *cli.App, old, new string, need Need) (s *Sides, err error) {
	s = &Sides{}
	names := &catalogNames{a: a}
	defer names.close()
	if s.Old, err = resolveOperand(ctx, names, old); err != nil {
		return nil, err
	}
	if s.New, err = resolveOperand(ctx, names, new); err != nil {
		return nil, err
	}
	if (s.Old.Entry == "") != (s.New.Entry == "") {
		return nil, fmt.Errorf("%w: BUILD:PATH on one side needs BUILD:PATH on the other", cli.ErrUsage)
	}
	catalog := a.Catalog
	if s.Entries() {
		need = Facts
	}
	if s.Old.path != "" && s.New.path != "" && need == Changes {
		return s, readSides(ctx, a, s)
	}
	if s.Old.path != "" || s.New.path != "" {
		if catalog, err = scanSides(ctx, a, s, need); err != nil {
			s.Close()
			return nil, err
		}
	}
	if catalog == a.Catalog {
		s.DB, names.db = names.db, nil
	} else if s.DB, err = schema.OpenReadOnly(ctx, catalog); err != nil {
		s.Close()
		return nil, err
	}
	s.Catalog, s.Contents = catalog, cli.Contents(a, catalog)
	return s, nil
}

// resolveOperand returns the side that a name means: a build rather than a file
// of the same name.
func resolveOperand(ctx context.Context, names *catalogNames, text string) (Side, error) {
	a := names.a
	n, err := names.resolve(ctx, locate.Resolver{BuildsFirst: true}, text)
	if err != nil {
		return Side{}, err
	}
	switch {
	case n.One:
		return archiveOperand(ctx, a, n)
	case n.Build != "":
		return Side{Label: n.Build, Entry: n.Entry}, nil
	}
	if _, err := os.Stat(n.Path); err != nil {
		labels, _ := names.Labels(ctx)
		err := fmt.Errorf("%w: %q, nor is there a file of that name", schema.ErrNoBuild, text)
		return Side{}, cli.WithHint(err, glob.NearestHint(glob.Nearest(text, labels)))
	}
	return Side{Label: n.Path, path: n.Path, Entry: n.Entry}, nil
}

// archiveOperand is one archive of a build, if it is still as it was indexed. It is
// scanned as a build of its own.
func archiveOperand(ctx context.Context, a *cli.App, n *locate.Name) (Side, error) {
	files, err := OpenFiles(ctx, a, n.Build, n.Files)
	if err != nil {
		return Side{}, err
	}
	return Side{Label: n.Label(n.Files[0]), path: n.Files[0].Location, Entry: n.Entry}, files.Close()
}

// readSides reads both paths.
func readSides(ctx context.Context, a *cli.App, s *Sides) error {
	s.tellApart()
	s.Reading = diff.NewReading()
	registry := a.Registry().ForComparing()
	for i, begin := range []func(string) indexer.Target{s.Reading.Old, s.Reading.New} {
		side := []Side{s.Old, s.New}[i]
		err := scan(ctx, a, scanOf(a, registry, nil, side), side, func(ctx context.Context, o indexer.Options) (*indexer.Report, error) {
			return indexer.Read(ctx, o, begin(side.Label))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tellApart gives paths labels that differ.
func (s *Sides) tellApart() {
	if s.New.path != "" && s.New.Label == s.Old.Label {
		s.New.Label += " (2)"
	}
}

// scanSides makes a temporary catalog: what has to be scanned and, if one side is
// a build of the user's catalog, a copy of that.
func scanSides(ctx context.Context, a *cli.App, s *Sides, need Need) (catalog string, err error) {
	if s.temp, err = atomicfile.NewScratchDir("diff"); err != nil {
		return "", err
	}
	catalog = filepath.Join(s.temp.Path(), "pakdb.db")
	registry := a.Registry()
	if need < Facts {
		registry = registry.ForComparing()
	}
	if s.Old.path == "" || s.New.path == "" {
		if err := schema.Copy(ctx, a.Catalog, catalog); err != nil {
			return "", err
		}
	}
	s.tellApart()
	c, err := schema.Open(ctx, catalog)
	if err != nil {
		return "", err
	}
	for _, side := range []Side{s.Old, s.New} {
		if side.path != "" && err == nil {
			err = scan(ctx, a, scanOf(a, registry, c, side), side, indexer.Run)
		}
	}
	return catalog, errors.Join(err, c.Close())
}

// Mod is an archive, or a folder of them, beside the build that it changes, as builds of one
// catalog.
type Mod struct {
	DB       *sql.DB
	Contents *query.Contents
	Base     string
	Label    string
	Damaged  bool // not all of it could be read

	temp *atomicfile.ScratchDir
}

// OpenMod copies the catalog, and scans the archive into the copy as a build of its own.
func OpenMod(ctx context.Context, a *cli.App, base, archive string) (m *Mod, err error) {
	names := &catalogNames{a: a}
	side, err := resolveOperand(ctx, names, base)
	names.close()
	if err == nil && (side.path != "" || side.Entry != "") {
		err = fmt.Errorf("%w: --base %s is no build of the catalog", cli.ErrUsage, base)
	}
	if err != nil {
		return nil, err
	}
	m = &Mod{Base: side.Label}
	if m.temp, err = atomicfile.NewScratchDir("mods"); err != nil {
		return nil, err
	}
	if err = m.open(ctx, a, archive); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

func (m *Mod) open(ctx context.Context, a *cli.App, archive string) error {
	catalog := filepath.Join(m.temp.Path(), "pakdb.db")
	if err := schema.Copy(ctx, a.Catalog, catalog); err != nil {
		return err
	}
	c, err := schema.Open(ctx, catalog)
	if err != nil {
		return err
	}
	side := Side{Label: filepath.Base(archive), path: archive}
	if side.Label == m.Base {
		side.Label += " (2)"
	}
	m.Label = side.Label
	err = scan(ctx, a, scanOf(a, a.Registry(), c, side), side, func(ctx context.Context, o indexer.Options) (*indexer.Report, error) {
		report, err := indexer.Run(ctx, o)
		m.Damaged = err == nil && report.Problems > 0
		return report, err
	})
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	if m.DB, err = schema.OpenReadOnly(ctx, catalog); err != nil {
		return err
	}
	m.Contents = cli.Contents(a, catalog)
	return nil
}

// Close deletes the copy.
func (m *Mod) Close() {
	if m.Contents != nil {
		_ = m.Contents.Close()
	}
	if m.DB != nil {
		_ = m.DB.Close()
	}
	_ = m.temp.Close()
}

func scanOf(a *cli.App, registry *codecs.Registry, c *schema.Catalog, side Side) *indexer.Options {
	return &indexer.Options{Catalog: c, Registry: registry, Paths: []string{side.path}, Label: side.Label,
		Open: a.OpenOptions(), Sketch: true, Progress: &indexer.Progress{}, Passed: a.LeftOut}
}

func scan(ctx context.Context, a *cli.App, o *indexer.Options, side Side, run func(context.Context, indexer.Options) (*indexer.Report, error)) error {
	stop := a.ShowProgress(ctx, o.Progress)
	report, err := run(ctx, *o)
	stop()
	if err != nil {
		return err
	}
	if report.Problems > 0 {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s: %s; once indexed, pakdb query @problems lists all\n", side.path, cli.Plural(report.Problems, "problem", "problems"))
	}
	return nil
}
