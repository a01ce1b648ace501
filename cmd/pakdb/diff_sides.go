package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pakdb/diff/locate"
	"pakdb/indexer"
	"pakdb/internal/atomicfile"
	"pakdb/internal/nearest"
	"pakdb/internal/objects"
	"pakdb/query"
	"pakdb/schema"
)

// sides is what a diff compares: two builds of one catalog, which is the user's
// or, when there is a path among them, a temporary one.
type sides struct {
	old, new operand
	db       *sql.DB
	contents *query.Contents
	catalog  string                 // the user's or the temporary one
	temp     *atomicfile.ScratchDir // of the temporary catalog; nil for none
}

// operand is one side as the user named it.
type operand struct {
	label string // of a build
	path  string // what is to be scanned as that build; "" for nothing
	entry string // path inside the build; "" for all of it
}

func (s *sides) entries() bool { return s.old.entry != "" && s.new.entry != "" }

func (s *sides) close() {
	if s.contents != nil {
		_ = s.contents.Close()
	}
	if s.db != nil {
		_ = s.db.Close()
	}
	if s.temp != nil {
		_ = s.temp.Close()
	}
}

// openSides finds out what the names mean, and scans what is not in the catalog.
func openSides(ctx context.Context, a *app, old, new string) (s *sides, err error) {
	s = &sides{}
	if s.old, err = resolveOperand(ctx, a, old); err != nil {
		return nil, err
	}
	if s.new, err = resolveOperand(ctx, a, new); err != nil {
		return nil, err
	}
	if (s.old.entry == "") != (s.new.entry == "") {
		return nil, fmt.Errorf("%w: BUILD:PATH on one side needs BUILD:PATH on the other", errUsage)
	}
	catalog := a.catalog
	if s.old.path != "" || s.new.path != "" {
		if catalog, err = scanSides(ctx, a, s); err != nil {
			s.close()
			return nil, err
		}
	}
	if s.db, err = schema.OpenReadOnly(ctx, catalog); err != nil {
		s.close()
		return nil, err
	}
	s.catalog = catalog
	s.contents = query.NewContents(catalog, a.registry(), objects.For(a.catalog), a.openOptions())
	return s, nil
}

// knownBuilds returns the labels of the catalog, none when there is no catalog:
// paths need none.
func knownBuilds(ctx context.Context, a *app) ([]string, error) {
	db, err := a.openCatalog(ctx)
	if errors.Is(err, errNoCatalog) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return buildLabels(ctx, db)
}

// resolveOperand returns the side that a name stands for: a build rather than a file
// of the same name.
func resolveOperand(ctx context.Context, a *app, text string) (operand, error) {
	n, err := resolve(ctx, a, locate.Resolver{BuildsFirst: true}, text)
	if err != nil {
		return operand{}, err
	}
	switch {
	case n.One:
		return archiveOperand(ctx, a, n)
	case n.Build != "":
		return operand{label: n.Build, entry: n.Entry}, nil
	}
	if _, err := os.Stat(n.Path); err != nil {
		labels, _ := knownBuilds(ctx, a)
		err := fmt.Errorf("%w: %q, nor is there a file of that name", schema.ErrNoBuild, text)
		return operand{}, hinted(err, nearest.Hint(nearest.Names(text, labels)))
	}
	return operand{label: n.Path, path: n.Path, entry: n.Entry}, nil
}

// archiveOperand is one archive of a build, if it is still as it was indexed. It is
// scanned as a build of its own.
func archiveOperand(ctx context.Context, a *app, n *locate.Name) (operand, error) {
	files, err := openFiles(ctx, a, n.Build, n.Files)
	if err != nil {
		return operand{}, err
	}
	return operand{label: n.Label(n.Files[0]), path: n.Files[0].Location, entry: n.Entry}, files.Close()
}

// scanSides makes a temporary catalog: what has to be scanned and, if one side is
// a build of the user's catalog, a copy of that.
func scanSides(ctx context.Context, a *app, s *sides) (catalog string, err error) {
	if s.temp, err = atomicfile.NewScratchDir("diff"); err != nil {
		return "", err
	}
	catalog = filepath.Join(s.temp.Path(), "pakdb.db")
	if s.old.path == "" || s.new.path == "" {
		if err := schema.Copy(ctx, a.catalog, catalog); err != nil {
			return "", err
		}
	}
	for _, o := range []*operand{&s.old, &s.new} {
		for i := 2; o.path != "" && o == &s.new && o.label == s.old.label; i++ {
			o.label = fmt.Sprintf("%s (%d)", o.path, i)
		}
	}
	c, err := schema.Open(ctx, catalog)
	if err != nil {
		return "", err
	}
	for _, o := range []operand{s.old, s.new} {
		if o.path == "" {
			continue
		}
		if err := scanSide(ctx, a, c, o); err != nil {
			return "", errors.Join(err, c.Close())
		}
	}
	return catalog, c.Close()
}

func scanSide(ctx context.Context, a *app, c *schema.Catalog, side operand) error {
	o := indexer.Options{Catalog: c, Registry: a.registry(), Paths: []string{side.path}, Label: side.label,
		Open: a.openOptions(), Sketch: true, Progress: &indexer.Progress{}}
	stop := a.showProgress(ctx, o.Progress)
	report, err := indexer.Run(ctx, o)
	stop()
	if errors.Is(err, indexer.ErrNoFiles) {
		return fmt.Errorf("%s: %w", side.path, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	if report.Problems > 0 {
		_, _ = fmt.Fprintf(a.stderr, "pakdb: %s: %s; pakdb verify tells more\n", side.path, plural(report.Problems, "problem", "problems"))
	}
	return nil
}
