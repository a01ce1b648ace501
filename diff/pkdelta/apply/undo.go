package apply

import (
	"context"
	"errors"
	"io"
	"os"

	"pakdb/diff/pkdelta"
	"pakdb/internal/atomicfile"
)

// writeUndo writes the journal that takes back what a list of actions will do. It
// does not have its name yet: an older one may have it.
func writeUndo(dir *atomicfile.Dir, list []action) (state pkdelta.File, err error) {
	f, err := dir.OpenFile(journalUndo, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return state, err
	}
	u := &undo{dir: dir, to: f}
	_, err = f.WriteString(journalMagic)
	u.end = int64(len(journalMagic))
	var back []action
	for i := len(list) - 1; i >= 0 && err == nil; i-- {
		var b action
		b, err = u.back(&list[i])
		back = append(back, b)
	}
	if err != nil {
		return state, errors.Join(err, f.Close())
	}
	if err := sealJournal(f, u.end, back); err != nil {
		return state, err
	}
	return stateOf(dir, journalUndo)
}

// stateOf returns the size and hash of a file.
func stateOf(dir *atomicfile.Dir, name string) (state pkdelta.File, err error) {
	f, err := dir.Open(name)
	if err != nil {
		return state, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return state, err
	}
	state.Size = st.Size()
	state.Sum, err = pkdelta.SumOf(context.Background(), f, state.Size)
	return state, err
}

// undo collects what stands where actions will write.
type undo struct {
	dir *atomicfile.Dir
	to  *atomicfile.File
	end int64
}

// back returns the opposite of an action.
func (u *undo) back(a *action) (b action, err error) {
	switch a.kind {
	case actCreate:
		return action{kind: actRemove, name: a.name, before: a.after}, nil
	}
	b = action{kind: actChange, name: a.name, before: a.after, after: a.before}
	f, err := u.dir.Open(a.name)
	if err != nil {
		return b, err
	}
	for _, p := range overwritten(a) {
		if _, err = io.Copy(io.NewOffsetWriter(u.to, u.end), io.NewSectionReader(f, p.off, p.n)); err != nil {
			break
		}
		b.pieces = append(b.pieces, piece{p.off, p.n, u.end})
		u.end += p.n
	}
	return b, errors.Join(err, f.Close())
}

// overwritten are the parts of a file that a change will overwrite or cut off.
func overwritten(a *action) (list []piece) {
	for _, p := range append(a.pieces[:len(a.pieces):len(a.pieces)], piece{off: a.after.Size, n: max(0, a.before.Size-a.after.Size)}) {
		if n := min(p.n, a.before.Size-p.off); n > 0 {
			list = append(list, piece{off: p.off, n: n})
		}
	}
	return list
}

// undoSize is how many bytes writeUndo will write, about.
func undoSize(list []action) (n int64) {
	n = int64(len(journalMagic) + journalTail)
	for i := range list {
		a := &list[i]
		n += int64(len(a.name)) + 80
		if a.kind == actChange {
			for _, p := range overwritten(a) {
				n += p.n + 12
			}
		}
	}
	return n
}

// Undo takes back an update of files in a folder by what [Plan.Apply] kept of it:
// files are changed back, and those that the update
// added are removed. They must be as the update left them; else nothing is
// changed. An update that was interrupted is finished first.
func Undo(ctx context.Context, file string, dir *os.Root) (err error) {
	in := atomicfile.In(ctx, dir)
	if _, err := recoverIn(ctx, in); err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	list, err := readJournal(f)
	if err != nil {
		return pkdelta.Named(file, err)
	}
	for i := range list {
		if list[i].kind == actCreate {
			return pkdelta.Named(file, ErrJournal) // no undo has them
		}
		if err := list[i].fits(ctx, in); err != nil {
			return pkdelta.Named(file, err)
		}
	}
	if err := copyJournal(in, f); err != nil {
		return errors.Join(err, in.Remove(journalNew))
	}
	return goLive(ctx, in)
}

// copyJournal copies one to where it waits until it holds.
func copyJournal(dir *atomicfile.Dir, from *os.File) error {
	to, err := dir.OpenFile(journalNew, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if _, err = from.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(to, from)
	}
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}

// goLive makes a complete journal the one that holds, and does what it says.
func goLive(ctx context.Context, dir *atomicfile.Dir) error {
	if err := dir.Rename(journalNew, journalName); err != nil {
		return errors.Join(err, dir.Remove(journalNew))
	}
	if err := dir.Sync(); err != nil {
		return err
	}
	_, err := recoverIn(context.WithoutCancel(ctx), dir)
	return err
}
