package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// ReadBuilds reads the manifests of all builds. A folder without any is a new
// store.
func ReadBuilds(from *Reader) (*Index, []*Build, error) {
	b, _, err := from.File(IndexName)
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	index, err := ParseIndex(b)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", IndexName, err)
	}
	var builds []*Build
	for _, label := range index.Builds {
		build, err := readBuild(from, label)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", BuildName(label), err)
		}
		builds = append(builds, build)
	}
	return index, builds, nil
}

func readBuild(from *Reader, label string) (*Build, error) {
	b, _, err := from.File(BuildName(label))
	if err != nil {
		return nil, err
	}
	build, err := ParseBuild(b)
	if err != nil {
		return nil, err
	}
	if build.Past != "" {
		if b, _, err = from.File("m/" + path.Base(build.Past)); err != nil {
			return nil, err
		}
		if err := EachEarlier(b, build.Past, func(f *File) { build.Earlier = append(build.Earlier, *f) }); err != nil {
			return nil, err
		}
	}
	return build, build.readFiles(from)
}

// readFiles reads the list of files from a store's folder.
func (x *Build) readFiles(from *Reader) error {
	root, err := ReadObject(from, x.Lists)
	if err != nil {
		return err
	}
	l, err := NewFileList(root, &Budget{})
	if err != nil {
		return err
	}
	packs, err := ReadTables(from, x.Tables)
	if err != nil {
		return err
	}
	s := &StoreReader{From: from, Packs: packs}
	for missing := l.Missing(); len(missing) > 0; missing = l.Missing() {
		parts := make([][]byte, len(missing))
		for i, p := range missing {
			if parts[i], err = s.Read(p); err != nil {
				return err
			}
		}
		if err := l.Fill(parts); err != nil {
			return err
		}
	}
	x.Places = l.places
	return x.SetFiles(l.Files)
}

// ReadTables reads where the frames of a build's packs are.
func ReadTables(from *Reader, refs []TableRef) (Tables, error) {
	packs := Tables{}
	for _, ref := range refs {
		b, err := ReadObject(from, ref.Object)
		if err != nil {
			return nil, err
		}
		if err := packs.Parse(b, &Budget{}); err != nil {
			return nil, fmt.Errorf("%s: %w", ObjectName(ref.Object), err)
		}
	}
	return packs, nil
}
