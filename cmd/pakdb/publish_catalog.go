package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pakdb/codecs"
	"pakdb/diff/patch"
	"pakdb/internal/nearest"
)

// publishedFiles are the files of a build that is to be published, and their
// hashes where they are known.
type publishedFiles struct {
	inputs []patch.Input
	sums   []string
	close  func() error
}

// filesOf opens the files of a build: those below a folder, or those that the
// catalog has of a build of that label. folder tells which.
func (a *app) filesOf(ctx context.Context, build string) (f *publishedFiles, folder bool, err error) {
	if st, err := os.Stat(build); err == nil && st.IsDir() {
		files, err := patch.OpenFiles([]string{build})
		if err != nil {
			return nil, true, err
		}
		return &publishedFiles{files.Inputs, make([]string, len(files.Inputs)), files.Close}, true, nil
	}
	db, err := a.openCatalog(ctx)
	if errors.Is(err, errNoCatalog) {
		return nil, false, fmt.Errorf("%q is no folder, and there is no catalog to look for a build of that label: %w", build, fs.ErrNotExist)
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f, err = openBuild(ctx, db, build)
	return f, false, err
}

// openBuild opens the archives of a build where they were when it was indexed.
func openBuild(ctx context.Context, db *sql.DB, label string) (f *publishedFiles, err error) {
	rows, err := db.QueryContext(ctx, "SELECT archive, location, coalesce(digest, '') FROM archives WHERE build = ? ORDER BY archive", label)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var open []*os.File
	f = &publishedFiles{close: func() (err error) {
		for _, file := range open {
			err = errors.Join(err, file.Close())
		}
		return err
	}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	for rows.Next() {
		var name, location, sum string
		if err := rows.Scan(&name, &location, &sum); err != nil {
			return f, err
		}
		file, err := os.Open(location)
		if err != nil {
			return f, err
		}
		open = append(open, file)
		st, err := file.Stat()
		if err != nil {
			return f, err
		}
		f.inputs = append(f.inputs, patch.Input{Name: name, Source: codecs.Source{
			ReaderAt: file, Name: filepath.Base(location), Size: st.Size(), Dir: os.DirFS(filepath.Dir(location)),
		}})
		f.sums = append(f.sums, sum)
	}
	if err := rows.Err(); err != nil {
		return f, err
	}
	if len(f.inputs) == 0 {
		labels, err := buildLabels(ctx, db)
		return f, errors.Join(err, hinted(fmt.Errorf("%w: neither a folder nor a build of the catalog: %q", errUsage, label),
			nearest.Hint(nearest.Names(label, labels))))
	}
	return f, nil
}
