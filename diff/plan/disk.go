package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pakdb/codecs"
)

// Disk opens archives that lie on disk. It is safe for concurrent use.
type Disk struct {
	Registry *codecs.Registry
	Options  *codecs.Options // keys and limits; nil is the default
	// Header makes what an archive of a patch needs beside its files, in formats
	// that have entries of their own (OwnTypes): from the patch's entries and the
	// archives that they come from. Nil: nothing is made.
	Header func(ctx context.Context, name string, entries []*codecs.Entry, from []codecs.Archive) (*codecs.Entry, []byte, error)
}

// opened is an archive and the file that it is read from, if it is its own.
type opened struct {
	codecs.Archive
	format *codecs.Format
	size   int64
	file   *os.File
}

func (o *opened) Close() error {
	err := o.Archive.Close()
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	return err
}

// open opens the archive of a mount.
func (d *Disk) open(ctx context.Context, m *Mount) (*opened, error) {
	if m.staged != nil {
		src, err := m.staged.Source()
		if err != nil {
			return nil, err
		}
		return d.openSource(ctx, src, nil)
	}
	return d.openFile(ctx, m.Location)
}

func (d *Disk) openFile(ctx context.Context, path string) (*opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	src := codecs.Source{ReaderAt: f, Name: filepath.Base(path), Size: st.Size(), Dir: os.DirFS(filepath.Dir(path))}
	return d.openSource(ctx, src, f)
}

func (d *Disk) openSource(ctx context.Context, src codecs.Source, f *os.File) (*opened, error) {
	a, format, err := d.Registry.Open(ctx, src, d.Options)
	if err != nil {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		return nil, err
	}
	return &opened{a, format, src.Size, f}, nil
}

// Stack mounts the archives at the paths: files as they are, folders with all
// that is below them. Each path is mounted over those before it, as far as
// formats without a mount order go; a file takes the place of one of the same
// name. Files that are no archives count only where loose is true.
func (d *Disk) Stack(ctx context.Context, label string, paths []string, loose bool) (*Stack, error) {
	all := &Stack{Label: label}
	for _, path := range paths {
		s, err := d.stackOf(ctx, path, loose)
		if err != nil {
			return nil, err
		}
		all = all.Over(s)
	}
	all.Label = label
	return all, nil
}

func (d *Disk) stackOf(ctx context.Context, root string, loose bool) (*Stack, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	files, err := filesBelow(root)
	if err != nil {
		return nil, err
	}
	s := &Stack{}
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		if err != nil {
			return nil, err
		}
		if name == "." {
			name = filepath.Base(root)
		}
		if err := d.mount(ctx, s, &Mount{Name: filepath.ToSlash(name), Location: file}, loose); err != nil {
			return nil, err
		}
	}
	s.arrange()
	return s, nil
}

// filesBelow returns the regular files at or below a path, sorted.
func filesBelow(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// mount opens an archive and adds it with its entries.
func (d *Disk) mount(ctx context.Context, s *Stack, m *Mount, loose bool) error {
	o, err := d.open(ctx, m)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Location, err)
	}
	info := o.Info()
	m.Format, m.Version, m.MountPoint, m.Size = o.format.Name, info.Version, info.MountPoint, o.size
	m.follow(o.format)
	padder, pads := o.Archive.(codecs.Padder)
	if m.ordered {
		m.Order = int64(o.format.MountOrder(m.Location))
	}
	if m.loose() && !loose {
		return o.Close()
	}
	var files []File
	for e, err := range o.Entries() {
		if err != nil {
			return errors.Join(err, o.Close())
		}
		switch {
		case e.Type != "" && slices.Contains(m.own, e.Type):
			continue
		case e.Name == "":
			s.Nameless++
			continue
		}
		f := File{Mount: m, Ordinal: e.Ordinal, Name: e.Name, Offset: e.Offset, Stored: e.Stored, Size: e.Size, Flags: e.Flags,
			Type: e.Type, ID: e.ID}
		if pads {
			align, _ := padder.Padding(e)
			f.padded = align > 1
		}
		f.setKey()
		files = append(files, f)
		if m.Entries++; ctx.Err() != nil {
			return errors.Join(ctx.Err(), o.Close())
		}
	}
	s.add(m, files)
	return o.Close()
}
