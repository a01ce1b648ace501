package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// disk is the folder that is updated: locked, with its files open.
type disk struct {
	name    string
	out     *atomicfile.Dir // for writing
	root    *os.Root        // of out
	inputs  *delta.Opened   // nil: they are not open
	odd     []string        // names of pipes, sockets and devices
	here    map[string]delta.Input
	sums    map[string]string // of files that were hashed, by their paths
	release func() error      // of the folder's lock; nil: there is none yet
	created bool              // the folder, which was not there
	modes   *bool             // whether the file system keeps which files are executable; nil: not asked yet
}

// hasModes reports whether the file system keeps which files are executable.
func (d *disk) hasModes() bool {
	if d.modes == nil {
		has := apply.HasModes(d.root)
		d.modes = &has
	}
	return *d.modes
}

// hasMode reports whether a file that is there is executable, or not, as a build says, where
// the file system keeps that.
func (d *disk) hasMode(f *store.File) bool {
	return atomicfile.IsExec(d.here[f.Path].Mode) == f.Exec || !d.hasModes()
}

// hasLinks reports whether a file has more than one name.
func (d *disk) hasLinks(name string) (bool, error) {
	f, err := d.out.OpenRegular(name)
	if err != nil {
		return false, err
	}
	shared, err := atomicfile.HasLinks(f)
	return shared, errors.Join(err, f.Close())
}

// emptiedName lists the folders of files that are removed, so that an update which
// was killed before it removed the folders too is completed by the next one. To
// that the files are gone, and a folder may be empty because the user wants it so.
const emptiedName = store.WorkDir + "/" + atomicfile.Prefix + "emptied"

// openDisk locks a folder, which it makes if need be, finishes what a package patch
// began there, and opens its files. It returns what there is to be closed even if
// it fails.
func openDisk(ctx context.Context, name string) (d *disk, err error) {
	d = &disk{name: name, sums: map[string]string{}, here: map[string]delta.Input{}}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		d.created = true
	}
	if d.out, err = atomicfile.Make(ctx, name); err != nil {
		return d, err
	}
	d.root = d.out.Root()
	if d.release, err = apply.Lock(name); err != nil {
		return d, err
	}
	if _, err := apply.Recover(ctx, d.root); err != nil {
		return d, err
	}
	if d.inputs, err = delta.OpenBy(ctx, regular.Own, []string{name}); err != nil {
		return d, err
	}
	for _, o := range d.inputs.Passed {
		if errors.Is(o, regular.ErrNotRegular) {
			d.odd = append(d.odd, o.Name)
		}
	}
	for _, in := range d.inputs.Inputs {
		if !store.Reserved(in.Name) {
			d.here[in.Name] = in
		}
	}
	return d, nil
}

// names returns the paths of the files, sorted.
func (d *disk) names() []string { return slices.Sorted(maps.Keys(d.here)) }

// sumOf hashes a file of the folder, once.
func (d *disk) sumOf(ctx context.Context, in delta.Input) (sum string, err error) {
	if sum = d.sums[in.Name]; sum != "" {
		return sum, nil
	}
	sum, err = store.SumOf(ctx, in.ReaderAt, in.Size)
	d.sums[in.Name] = sum
	return sum, err
}

// hasFile reports whether a file is as a build has or had it.
func (d *disk) hasFile(ctx context.Context, f *store.File) (bool, error) {
	in, there := d.here[f.Path]
	if !there || in.Size != f.Size {
		return false, nil
	}
	sum, err := d.sumOf(ctx, in)
	return sum == f.Sum, err
}

// list hashes all files.
func (d *disk) list(ctx context.Context) (files []store.File, err error) {
	total := int64(0)
	for _, in := range d.here {
		total += in.Size
	}
	stored.Step(ctx, store.StepComparing, total)
	for _, name := range d.names() {
		sum, err := d.sumOf(ctx, d.here[name])
		if err != nil {
			return nil, err
		}
		files = append(files, store.File{Path: name, Size: d.here[name].Size, Sum: sum, Exec: atomicfile.IsExec(d.here[name].Mode)})
	}
	return files, nil
}

// workOf returns where a file is made. Two of the same content have each their own.
func workOf(f *File) string {
	of := blake3.Sum256([]byte(f.Path + "\x00" + f.Sum))
	return path.Join(store.WorkDir, fmt.Sprintf(atomicfile.Prefix+"%x", of[:20]))
}

// isMade reports whether a file is complete in the folder of work.
func (d *disk) isMade(ctx context.Context, f *File) bool {
	have, err := d.out.Open(workOf(f))
	if err != nil {
		return false
	}
	defer func() { _ = have.Close() }()
	st, err := have.Stat()
	if err != nil || st.Size() != f.Size {
		return false
	}
	sum, err := store.SumOf(stored.WatchProgress(ctx, nil), have, f.Size) // not part of what is counted
	return err == nil && sum == f.Sum
}

// close gives the folder free.
func (d *disk) close() error {
	var errs []error
	if d.inputs != nil {
		errs = append(errs, d.inputs.Close())
	}
	if d.root != nil {
		errs = append(errs, d.root.Close())
		d.root = nil
	}
	if d.release != nil {
		errs = append(errs, d.release())
		d.release = nil
	}
	if d.created {
		_ = os.Remove(d.name) // if nothing has come into it
	}
	return errors.Join(errs...)
}

// eachLeft calls use for what lies in the folder of work, with its bytes.
func (d *disk) eachLeft(use func(name string, size int64)) {
	entries, err := fs.ReadDir(d.out.FS(), store.WorkDir)
	if err != nil {
		return // most often there is none
	}
	for _, e := range entries {
		size := int64(0)
		_ = fs.WalkDir(d.out.FS(), path.Join(store.WorkDir, e.Name()), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			if st, err := e.Info(); err == nil {
				size = store.SumSizes(size, st.Size())
			}
			return nil
		})
		use(e.Name(), size)
	}
}

// withLeft adds to an error where what was fetched and made waits for another try.
func (d *disk) withLeft(err error) error {
	if err == nil {
		return nil
	}
	size := int64(0)
	d.eachLeft(func(_ string, n int64) { size = store.SumSizes(size, n) })
	if size == 0 {
		return err
	}
	return &leftError{err, filepath.Join(d.name, store.WorkDir), size}
}

// leftError is one after which something stays in the folder.
type leftError struct {
	err  error
	dir  string
	size int64
}

func (e *leftError) Error() string { return e.err.Error() }
func (e *leftError) Unwrap() error { return e.err }

// Hint says what stays.
func (e *leftError) Hint() string {
	hint := fmt.Sprintf("%s has %d bytes that the next try uses, or removes; remove it to give up", e.dir, e.size)
	var own interface{ Hint() string }
	if errors.As(e.err, &own) && own.Hint() != "" {
		hint = own.Hint() + "\n" + hint
	}
	return hint
}

// taken reports whether something has a name.
func (d *disk) taken(name string) bool {
	_, err := d.root.Lstat(name)
	return err == nil
}
