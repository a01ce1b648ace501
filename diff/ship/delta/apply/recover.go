package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/regular"
)

// IsInterrupted reports whether an update of files in a folder was interrupted in
// such a way that [Recover] has to finish it.
func IsInterrupted(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, journalName))
	return err == nil
}

// ErrGone means that an update of files cannot be finished because one of them is
// not there any more, or another one is in its place.
var ErrGone = errors.New("not there any more, or another file is in its place")

// Recover finishes an update of files in a folder that was interrupted, and reports
// whether there was one. What
// was interrupted before it changed a file is removed. With ErrGone, or ErrResult
// for a file that is of no version now, all other files are as they should be, and
// the journal stays: a file that was moved may be brought back. [Forget] does not wait
// for that.
func Recover(ctx context.Context, dir *os.Root) (bool, error) {
	return recoverIn(ctx, atomicfile.In(ctx, dir))
}

func recoverIn(ctx context.Context, dir *atomicfile.Dir) (bool, error) {
	did, lost, err := replay(ctx, dir)
	if err = errors.Join(err, errors.Join(lost...)); err == nil && did {
		err = removeJournal(dir)
	}
	if err != nil {
		err = fmt.Errorf("finishing the update in %s: %w", dir.Name(), err)
	}
	return did, err
}

// Forget does what [Recover] does, but for files that cannot become what they
// should be: it gives them up, removes what the journal has of them, and returns
// an error for each.
func Forget(ctx context.Context, dir *os.Root) (did bool, lost []error, err error) {
	in := atomicfile.In(ctx, dir)
	did, lost, err = replay(ctx, in)
	if err == nil && did {
		err = removeJournal(in)
	}
	if err != nil {
		err = fmt.Errorf("finishing the update in %s: %w", dir.Name(), err)
	}
	return did, lost, err
}

// removeJournal removes the journal. What it did is on the disk before.
func removeJournal(dir *atomicfile.Dir) error {
	if err := dir.Sync(); err != nil {
		return err
	}
	if err := dir.Remove(journalName); err != nil {
		return err
	}
	return dir.Sync()
}

// replay does what a journal says, and then checks it. It passes over files that are
// gone, and those that do not become what they should. A journal that is not
// complete is removed: it was never followed.
func replay(ctx context.Context, dir *atomicfile.Dir) (did bool, lost []error, err error) {
	f, err := dir.OpenRegular(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	list, err := readJournal(f)
	if errors.Is(err, ErrJournal) {
		return false, nil, errors.Join(f.Close(), dir.Remove(journalName))
	}
	pass := func(a *action, do func() error) {
		if err != nil || a.lost {
			return
		}
		if err = do(); errors.Is(err, ErrGone) || errors.Is(err, delta.ErrResult) {
			lost, a.lost, err = append(lost, fmt.Errorf("%s: %w", a.name, err)), true, nil
		} else if err != nil {
			err = fmt.Errorf("%s: %w", a.name, err)
		}
	}
	for i := range list {
		pass(&list[i], func() error { return list[i].do(dir, f) })
	}
	err = errors.Join(err, f.Close())
	for i := range list {
		pass(&list[i], func() error { return list[i].check(ctx, dir) })
	}
	return err == nil, lost, err
}

// do makes a file what it is to be, whether that was begun before or not.
func (a *action) do(dir *atomicfile.Dir, journal io.ReaderAt) error {
	switch a.kind {
	case actCreate:
		return a.create(dir)
	case actRemove:
		return a.remove(dir)
	}
	if st, err := dir.Lstat(a.name); err == nil && !st.Mode().IsRegular() || atomicfile.IsAbsent(err) {
		return ErrGone
	}
	f, err := dir.OpenFile(a.name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err = a.mayChange(f); err == nil && a.exec != 0 {
		err = dir.SetExec(a.name, a.exec == execYes)
	}
	if err == nil {
		err = a.change(f, journal)
	}
	return errors.Join(err, f.Close())
}

// create gives a new file its name, in place of a file or of a folder in which nothing is
// left. Without the temporary file it has its name already.
func (a *action) create(dir *atomicfile.Dir) error {
	st, err := dir.Lstat(a.name)
	if _, terr := dir.Lstat(a.temp); errors.Is(terr, fs.ErrNotExist) {
		if err != nil || !st.Mode().IsRegular() {
			return ErrGone
		}
		return nil
	}
	if err == nil && st.IsDir() {
		if err := dir.RemoveFolders(a.name); err != nil {
			return err
		}
	}
	if err := dir.MkdirAll(path.Dir(a.name)); err != nil {
		return err
	}
	return dir.Rename(a.temp, a.name)
}

// remove removes a file, if it still is what it was, and the folders that are empty then.
func (a *action) remove(dir *atomicfile.Dir) error {
	f, err := dir.OpenRegular(a.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		dir.RemoveEmpty(path.Dir(a.name)) // a process that was killed may have left them
		return nil
	case atomicfile.IsAbsent(err), errors.Is(err, regular.ErrNotRegular):
		return nil // another thing is there
	case err != nil:
		return err
	}
	same, err := isFile(context.Background(), f, a.before)
	if err := errors.Join(err, f.Close()); err != nil || !same {
		return err
	}
	if err := dir.Remove(a.name); err != nil {
		return err
	}
	dir.RemoveEmpty(path.Dir(a.name))
	return nil
}

// isFile reports whether an open file has a size and a hash.
func isFile(ctx context.Context, f *os.File, want delta.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() != want.Size {
		return false, err
	}
	sum, err := delta.SumOf(ctx, f, st.Size())
	return want.Is(sum), err
}

// mayChange returns ErrGone for a file that cannot be the one that was being
// changed: that has one of two sizes or one between.
func (a *action) mayChange(f *atomicfile.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if size := st.Size(); size < min(a.before.Size, a.after.Size) || size > max(a.before.Size, a.after.Size) {
		return ErrGone
	}
	return nil
}

// change writes the pieces of a change, and sets the size.
func (a *action) change(f *atomicfile.File, journal io.ReaderAt) error {
	for _, p := range a.pieces {
		if _, err := io.Copy(io.NewOffsetWriter(f, p.off), io.NewSectionReader(journal, p.at, p.n)); err != nil {
			return err
		}
	}
	if err := f.Truncate(a.after.Size); err != nil {
		return err
	}
	return f.Sync()
}

// check compares a file with what it should have become.
func (a *action) check(ctx context.Context, dir *atomicfile.Dir) error {
	if a.kind == actRemove {
		return nil
	}
	f, err := dir.OpenRegular(a.name)
	if err != nil {
		return err
	}
	same, err := isFile(ctx, f, a.after)
	if err == nil && !same {
		err = delta.ErrResult
	}
	return errors.Join(err, f.Close())
}

// ErrBusy means that another process updates the files of a folder.
var ErrBusy = errors.New("another update of these files is running")

// HasModes reports whether the file system of a folder that is locked keeps which files are
// executable. It asks by the file of the lock. FAT, NTFS and Windows do not: there all
// files are executable, or none is.
func HasModes(root *os.Root) bool {
	for _, exec := range []bool{true, false} {
		st, err := root.Lstat(lockName)
		if err != nil || atomicfile.Mode(st) == 0 {
			return false
		}
		want := atomicfile.WithExec(st.Mode().Perm(), exec)
		if root.Chmod(lockName, want) != nil {
			return false
		}
		if st, err = root.Lstat(lockName); err != nil || st.Mode().Perm() != want {
			return false
		}
	}
	return true
}

// Lock keeps other updates of the files in a folder away, also from other
// processes, until it is released; the system does so when the process dies.
// A folder that cannot be written to needs no lock, and gets none.
func Lock(dir string) (release func() error, err error) {
	release, err = atomicfile.LockFile(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EROFS):
		return func() error { return nil }, nil
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, &fs.PathError{Op: "update", Path: dir, Err: ErrBusy}
	}
	return release, err
}
