package operand

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/locate"
	"pakdb/indexer"
	"pakdb/internal/atomicfile"
	"pakdb/internal/nearest"
	"pakdb/query"
	"pakdb/schema"
)

// Sides is what a diff compares: two builds of one catalog, which is the user's
// or, when there is a path among them, a temporary one.
type Sides struct {
	Old, New Side
	DB       *sql.DB
	Contents *query.Contents
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

// Need says how much of two paths is scanned.
type Need int

const (
	// Changes: the entries on which changes depend, and of contents what builds compare by.
	Changes Need = iota
	// Entries: all of them.
	Entries
	// Facts: what contents say, as well.
	Facts
)

// OpenSides finds out what the names mean, and scans what is not in the catalog. Two
// entries are always read as a whole.
func OpenSides(ctx context.Context, a *cli.App, old, new string, need Need) (s *Sides, err error) {
	s = &Sides{}
	if s.Old, err = resolveOperand(ctx, a, old); err != nil {
		return nil, err
	}
	if s.New, err = resolveOperand(ctx, a, new); err != nil {
		return nil, err
	}
	if (s.Old.Entry == "") != (s.New.Entry == "") {
		return nil, fmt.Errorf("%w: BUILD:PATH on one side needs BUILD:PATH on the other", cli.ErrUsage)
	}
	catalog := a.Catalog
	if s.Entries() {
		need = Facts
	}
	if s.Old.path != "" || s.New.path != "" {
		if catalog, err = scanSides(ctx, a, s, need); err != nil {
			s.Close()
			return nil, err
		}
	}
	if s.DB, err = schema.OpenReadOnly(ctx, catalog); err != nil {
		s.Close()
		return nil, err
	}
	s.Catalog = catalog
	if s.Contents, err = cli.Contents(a, catalog); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// resolveOperand returns the side that a name stands for: a build rather than a file
// of the same name.
func resolveOperand(ctx context.Context, a *cli.App, text string) (Side, error) {
	n, err := Resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
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
		labels, _ := cli.KnownBuilds(ctx, a)
		err := fmt.Errorf("%w: %q, nor is there a file of that name", schema.ErrNoBuild, text)
		return Side{}, cli.WithHint(err, nearest.Hint(nearest.Names(text, labels)))
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

// scanSides makes a temporary catalog: what has to be scanned and, if one side is
// a build of the user's catalog, a copy of that.
func scanSides(ctx context.Context, a *cli.App, s *Sides, need Need) (catalog string, err error) {
	if s.temp, err = atomicfile.NewScratchDir("diff"); err != nil {
		return "", err
	}
	catalog = filepath.Join(s.temp.Path(), "pakdb.db")
	registry, open := a.Registry(), schema.Open
	paths := s.Old.path != "" && s.New.path != ""
	if paths && need < Facts {
		registry, open = registry.ForComparing(), schema.OpenScratch
	}
	if s.Old.path == "" || s.New.path == "" {
		if err := schema.Copy(ctx, a.Catalog, catalog); err != nil {
			return "", err
		}
	}
	for _, o := range []*Side{&s.Old, &s.New} {
		for i := 2; o.path != "" && o == &s.New && o.Label == s.Old.Label; i++ {
			o.Label = fmt.Sprintf("%s (%d)", o.path, i)
		}
	}
	c, err := open(ctx, catalog)
	if err != nil {
		return "", err
	}
	scans := []*indexer.Options{scanOf(a, registry, c, s.Old), scanOf(a, registry, c, s.New)}
	if paths && need == Changes {
		progress := &indexer.Progress{}
		stop := a.ShowProgress(ctx, progress)
		err = indexer.LeaveAlike(ctx, scans[0], scans[1], progress)
		stop()
	}
	for i, side := range []Side{s.Old, s.New} {
		if side.path != "" && err == nil {
			err = scanSide(ctx, a, scans[i], side)
		}
	}
	return catalog, errors.Join(err, c.Close())
}

func scanOf(a *cli.App, registry *codecs.Registry, c *schema.Catalog, side Side) *indexer.Options {
	return &indexer.Options{Catalog: c, Registry: registry, Paths: []string{side.path}, Label: side.Label,
		Open: a.OpenOptions(), Sketch: true, Progress: &indexer.Progress{}, Passed: a.LeftOut}
}

func scanSide(ctx context.Context, a *cli.App, o *indexer.Options, side Side) error {
	stop := a.ShowProgress(ctx, o.Progress)
	report, err := indexer.Run(ctx, *o)
	stop()
	if err != nil {
		return err
	}
	if report.Problems > 0 {
		_, _ = fmt.Fprintf(a.Stderr, "pakdb: %s: %s; pakdb verify tells more\n", side.path, cli.Plural(report.Problems, "problem", "problems"))
	}
	return nil
}
