package main

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/pkdelta"
)

// errChanged means that a file is not what it was when it was indexed.
var errChanged = errors.New("the file has changed since it was indexed")

// builtFiles are the files of a build in the catalog, opened where they were when
// it was indexed: archives, and files beside them that are parts of them.
type builtFiles struct {
	inputs []pkdelta.Input
	known  []diff.BuildFile // of inputs; of a part nothing but its name
	open   []*os.File
}

// openBuiltFiles opens the files of a build. They have the sizes that they had;
// whether they are the same is told by unchanged.
func openBuiltFiles(ctx context.Context, a *app, db *sql.DB, label string) (f *builtFiles, err error) {
	files, err := diff.Files(ctx, db, label)
	if err != nil {
		return nil, err
	}
	f = &builtFiles{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	for _, b := range files {
		src, err := f.add(b.Name, b.Location, b)
		if err != nil {
			return f, err
		}
		if src.Size != b.Size {
			return f, fmt.Errorf("%s: %w", b.Location, errChanged)
		}
		if err := f.addParts(a.registry(), b, src); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *builtFiles) add(name, location string, known diff.BuildFile) (codecs.Source, error) {
	file, err := os.Open(location)
	if err != nil {
		return codecs.Source{}, err
	}
	f.open = append(f.open, file)
	st, err := file.Stat()
	if err != nil {
		return codecs.Source{}, err
	}
	src := codecs.Source{ReaderAt: file, Name: filepath.Base(location), Size: st.Size(), Dir: os.DirFS(filepath.Dir(location))}
	f.inputs, f.known = append(f.inputs, pkdelta.Input{Name: name, Source: src}), append(f.known, known)
	return src, nil
}

// addParts adds what lies beside an archive and belongs to it.
func (f *builtFiles) addParts(r *codecs.Registry, b diff.BuildFile, src codecs.Source) error {
	if b.DataFiles == 0 {
		return nil
	}
	size := int64(0)
	for _, format := range r.Formats {
		if format.Name != b.Format || format.Parts == nil {
			continue
		}
		names, err := format.Parts(src)
		if err != nil {
			return err
		}
		for _, name := range names {
			part, err := f.add(path.Join(path.Dir(b.Name), name), filepath.Join(filepath.Dir(b.Location), name), diff.BuildFile{})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			size += part.Size
		}
	}
	if size != b.Data {
		return fmt.Errorf("%s, or what lies beside it: %w", b.Location, errChanged)
	}
	return nil
}

// unchanged compares the files' hashes, or the beginnings of them, with those in
// the catalog; where it has none, times.
func (f *builtFiles) unchanged(sums []pkdelta.Sum) error {
	for i, known := range f.known {
		same := true
		switch {
		case known.Digest != "":
			same = strings.HasPrefix(known.Digest, hex.EncodeToString(sums[i][:]))
		case known.Location != "":
			st, err := f.open[i].Stat()
			if err != nil {
				return err
			}
			same = st.ModTime().UnixNano() == known.ModTime
		}
		if !same {
			return fmt.Errorf("%s: %w", known.Location, errChanged)
		}
	}
	return nil
}

func (f *builtFiles) close() (err error) {
	for _, file := range f.open {
		err = errors.Join(err, file.Close())
	}
	return err
}
