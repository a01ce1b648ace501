package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// Compacted is what [Compact] found and did.
type Compacted struct {
	Exact  bool         // the file is now, bit for bit, the version in Stands; else it is without dead bytes
	Stands pkdelta.File // what it stood for, if it was appended to
	Before int64        // bytes
	After  int64
	Same   bool // nothing was to be done
}

// Compact makes a file that [Append] appended to the very file that it stands
// for, by its record. An archive without a record, which has the same ability, is
// rewritten without the bytes that nothing refers to: entries as they are stored,
// in the order of their offsets. The file is replaced when the new one is
// complete and proved. With dry nothing is written.
func Compact(ctx context.Context, name string, registry *codecs.Registry, opt *codecs.Options, dry bool) (c *Compacted, err error) {
	dir, err := atomicfile.Open(ctx, filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	release, err := Lock(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if _, err := recoverIn(ctx, dir); err != nil {
		return nil, err
	}
	f, err := stored.Open(name)
	if err != nil {
		return nil, err
	}
	closed := false
	defer func() {
		if !closed {
			err = errors.Join(err, f.Close())
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, inside.ErrNotRegular)
	}
	file := &program.Part{ReaderAt: f, File: f}
	c = &Compacted{Before: st.Size(), After: st.Size()}
	v, stands, err := standsFor(ctx, file, st.Size())
	if err != nil {
		return nil, err
	}
	if v != nil {
		c.Exact, c.Stands = true, stands
	} else if v, err = withoutDead(ctx, file, st, registry, opt); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Spool.Close()) }()
	c.After = v.Size()
	c.Same = !c.Exact && c.After >= c.Before
	if dry || c.Same {
		return c, nil
	}
	if free := FreeSpace(filepath.Dir(name)); free >= 0 && free < c.After {
		return nil, &SpaceError{Need: c.After, Free: free}
	}
	temp, err := writeTemp(ctx, dir, filepath.Base(name), v, st.Mode().Perm())
	if err != nil {
		return nil, err
	}
	closed = true
	if err = f.Close(); err == nil {
		err = dir.Rename(temp, filepath.Base(name))
	}
	if err != nil {
		return nil, errors.Join(err, dir.Remove(temp))
	}
	return c, dir.Sync()
}

// writeTemp writes a virtual file under a temporary name, and reads it back.
func writeTemp(ctx context.Context, dir *atomicfile.Dir, name string, v *program.Virtual, mode os.FileMode) (string, error) {
	temp := atomicfile.TempName(name, "compact")
	f, err := dir.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return "", err
	}
	err = writeRuns(ctx, f, v, 0, v.Size())
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = sameBytes(ctx, f, v)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, dir.Remove(temp))
	}
	return temp, nil
}

func sameBytes(ctx context.Context, f io.ReaderAt, v *program.Virtual) error {
	written, err := pkdelta.SumOf(ctx, f, v.Size())
	if err != nil {
		return err
	}
	want, err := pkdelta.SumOf(ctx, v, v.Size())
	if err == nil && written != want {
		err = fmt.Errorf("%w: what was written reads back otherwise", pkdelta.ErrResult)
	}
	return err
}

// withoutDead is an archive with its entries one behind the other.
func withoutDead(ctx context.Context, file *program.Part, st os.FileInfo, registry *codecs.Registry, opt *codecs.Options) (*program.Virtual, error) {
	open := func(r io.ReaderAt, size int64) (codecs.Relocator, error) {
		return openRelocator(ctx, registry, opt, codecs.Source{ReaderAt: r, Name: st.Name(), Size: size})
	}
	from := &program.Virtual{}
	from.Add(file, 0, st.Size())
	r, err := open(from, st.Size())
	if err != nil {
		return nil, err
	}
	m, err := newMover(r, from)
	if err != nil {
		return nil, err
	}
	v := &program.Virtual{Spool: program.TempSpool()}
	err = m.place(v, st.Size())
	var footer []byte
	if err == nil {
		footer, err = m.index(v)
	}
	if err == nil {
		_, err = v.WriteAt(footer, v.Size())
	}
	if err == nil {
		if r, err = open(v, v.Size()); err == nil {
			err = m.compare(r, v)
		}
	}
	if err != nil {
		return nil, errors.Join(err, v.Spool.Close())
	}
	return v, nil
}

// Stands tells which file an archive stands for that was appended to: its size
// and hash, which were compared with what its record makes. False: none.
func Stands(ctx context.Context, name string) (stands pkdelta.File, ok bool, err error) {
	f, err := stored.Open(name)
	if err != nil {
		return stands, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return stands, false, err
	}
	v, stands, err := standsFor(ctx, &program.Part{ReaderAt: f, File: f}, st.Size())
	if err != nil || v == nil {
		return stands, false, err
	}
	return stands, true, v.Spool.Close()
}
