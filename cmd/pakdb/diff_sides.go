package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
	labels, err := knownBuilds(ctx, a)
	if err != nil {
		return nil, err
	}
	s = &sides{}
	if s.old, err = parseOperand(old, labels); err != nil {
		return nil, err
	}
	if s.new, err = parseOperand(new, labels); err != nil {
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

// parseOperand takes text for a label, else for a path, else for one of them with
// a path inside behind a colon.
func parseOperand(text string, labels []string) (operand, error) {
	whole := func(text string) (operand, bool) {
		if slices.Contains(labels, text) {
			return operand{label: text}, true
		}
		if _, err := os.Stat(text); err == nil {
			return operand{label: text, path: text}, true
		}
		return operand{}, false
	}
	if o, ok := whole(text); ok {
		return o, nil
	}
	for i := len(text) - 1; i > 0; i-- {
		if text[i] != ':' {
			continue
		}
		if o, ok := whole(text[:i]); ok {
			o.entry = text[i+1:]
			return o, nil
		}
	}
	err := fmt.Errorf("%w: %q, nor is there a file of that name", schema.ErrNoBuild, text)
	return operand{}, hinted(err, nearest.Hint(nearest.Names(text, labels)))
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
