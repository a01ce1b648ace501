package patch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// IsInterrupted reports whether an update of files in a folder was interrupted in
// such a way that [Recover] has to finish it or to take it back.
func IsInterrupted(dir string) bool {
	for _, name := range []string{journalName, journalAppend} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Recover finishes an update of files in a folder that was interrupted, or takes
// it back where it cannot be finished, and reports whether there was one. What
// was interrupted before it changed a file is removed.
func Recover(ctx context.Context, dir *os.Root) (bool, error) {
	did, err := replay(ctx, dir, journalName)
	if err == nil {
		var cut bool
		if did {
			err = remove(dir, journalAppend) // finished all the same
		} else if cut, err = replay(ctx, dir, journalAppend); cut {
			did = true
		}
	}
	if err == nil && did {
		err = errors.Join(remove(dir, journalName), remove(dir, journalAppend), syncDir(dir, "."))
	}
	if err != nil {
		err = fmt.Errorf("finishing the update in %s: %w", dir.Name(), err)
	}
	return did, err
}

// remove removes what may be there.
func remove(dir *os.Root, name string) error {
	if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replay does what a journal says, and then checks it. One that is not complete
// is removed: it was never followed.
func replay(ctx context.Context, dir *os.Root, name string) (bool, error) {
	f, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, err := readJournal(f)
	for i := range list {
		if err == nil {
			if err = list[i].do(dir, f); err != nil {
				err = fmt.Errorf("%s: %w", list[i].name, err)
			}
		}
	}
	err = errors.Join(err, f.Close())
	if errors.Is(err, ErrJournal) {
		return false, dir.Remove(name)
	}
	for i := range list {
		if err == nil {
			err = list[i].check(ctx, dir)
		}
	}
	return err == nil, err
}

// do makes a file what it is to be, whether that was begun before or not.
func (a *action) do(dir *os.Root, journal io.ReaderAt) error {
	switch a.kind {
	case actCreate:
		if err := dir.Rename(a.temp, a.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil // without the temporary file: renamed before
	case actRemove:
		err := remove(dir, a.name)
		for d := path.Dir(a.name); err == nil && d != "." && dir.Remove(d) == nil; {
			d = path.Dir(d) // folders that are empty now
		}
		return err
	}
	f, err := dir.OpenFile(a.name, os.O_RDWR, 0)
	if a.kind == actCut && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if a.kind == actCut {
		err = a.cut(f)
	} else {
		err = errors.Join(writePieces(f, journal, a.pieces), f.Truncate(a.after.Size), f.Sync())
	}
	return errors.Join(err, f.Close())
}

func writePieces(f *os.File, journal io.ReaderAt, list []piece) error {
	for _, p := range list {
		if _, err := io.Copy(io.NewOffsetWriter(f, p.off), io.NewSectionReader(journal, p.at, p.n)); err != nil {
			return err
		}
	}
	return nil
}

// cut makes a file as short as it was, unless another one took its place.
func (a *action) cut(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Size() <= a.after.Size {
		return err
	}
	id, err := identityOf(f, a.after.Size)
	if err != nil || id != a.after.Sum {
		return err
	}
	return errors.Join(f.Truncate(a.after.Size), f.Sync())
}

// check compares a file with what it should have become.
func (a *action) check(ctx context.Context, dir *os.Root) error {
	if a.kind == actCut || a.kind == actRemove {
		return nil
	}
	want := *a
	want.before = a.after
	if a.kind == actGrow { // of a change: before, so that what was there is known by its end
		want = action{kind: actCut, name: a.name, before: a.after, after: a.before}
	}
	err := want.fits(ctx, dir)
	if errors.Is(err, ErrWrongOld) {
		return fmt.Errorf("%s: %w", a.name, ErrResult)
	}
	return err
}

// fits returns ErrWrongOld unless a file is what it should be before an action.
func (a *action) fits(ctx context.Context, dir *os.Root) error {
	f, err := dir.Open(a.name)
	if err != nil {
		return err
	}
	ok, err := a.isBefore(ctx, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("%s: %w: it is not as the update left it", a.name, ErrWrongOld)
	}
	return nil
}

func (a *action) isBefore(ctx context.Context, f *os.File) (bool, error) {
	st, err := f.Stat()
	if err != nil || st.Size() != a.before.Size {
		return false, err
	}
	if a.kind != actCut {
		sum, err := sumOf(ctx, f, st.Size())
		return sum == a.before.Sum, err
	}
	if a.after.Size > st.Size() {
		return false, nil
	}
	id, err := identityOf(f, a.after.Size)
	if err != nil || id != a.after.Sum {
		return false, err
	}
	sum, err := tailSum(f, a.after.Size, st.Size())
	return sum == a.before.Sum, err
}
