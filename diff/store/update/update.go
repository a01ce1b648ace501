package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/diff/pkdelta/apply"
	"pakdb/diff/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
	"pakdb/internal/rescue"
)

// Apply fetches what is missing, makes the files beside the old ones, checks
// each, and only when all are right puts them into place and removes what is
// gone. Until then, and when it fails, the folder is as it was, but for what has
// been fetched and made, which the next try uses. fetched is told of bytes that
// came, one call at a time; it may be nil. An Update is applied once. Where there is
// too little room, the error is a [patch.SpaceError].
func (u *Update) Apply(ctx context.Context, fetched func(n int64)) error {
	need := store.SumSizes(u.Bill.Write, u.Bill.Fetch) - u.Bill.Reused
	if free := store.SumSizes(u.Bill.Free, u.Bill.Stale); u.Bill.Free >= 0 && need > free {
		return u.withLeft(&apply.SpaceError{Need: need, Free: free})
	}
	if err := u.out.MkdirAll(store.WorkDir); err != nil {
		return err
	}
	if err := u.removeStale(); err != nil {
		return err
	}
	err := u.apply(ctx, fetched)
	var wrong *wrongError // what came before it is right
	if errors.Is(err, store.ErrCorrupt) && !errors.As(err, &wrong) {
		// What was kept may be what is wrong: the next try fetches anew.
		err = errors.Join(err, u.closeRanges(), u.out.RemoveAll(store.WorkDir))
	}
	return u.withLeft(err)
}

func (u *Update) apply(ctx context.Context, fetched func(n int64)) error {
	progress.Step(ctx, store.StepFetching, u.Bill.Fetch)
	if err := u.fetch(ctx, fetched); err != nil {
		return err
	}
	var undone []*fileUpdate // which their patch did not make
	for _, d := range u.deltas {
		failed, err := u.tryDelta(ctx, d)
		if err != nil {
			return err
		}
		undone = append(undone, failed...)
		if fetched != nil {
			fetched(d.Size)
		}
	}
	progress.Step(ctx, store.StepMaking, u.Bill.Write)
	if err := u.makeAll(ctx); err != nil {
		return err
	}
	if err := u.makeAnew(ctx, undone); err != nil {
		return err
	}
	if err := u.sync(ctx); err != nil {
		return err
	}
	return u.commit()
}

// fetch gets all ranges, some at a time, each into a file of its own.
func (u *Update) fetch(ctx context.Context, fetched func(n int64)) error {
	parent := ctx
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	var telling sync.Mutex
	in := u.framesIn()
	for _, r := range u.ranges {
		g.Go(rescue.Func(func() error {
			err := u.fetchRange(ctx, r, func(b []byte) error { return inflateAll(b, in[r]) })
			var wrong *wrongError
			if errors.As(err, &wrong) && len(in[r]) == 0 && ctx.Err() == nil {
				r.absent, err = true, nil // deltas are not needed
			}
			if err == nil && fetched != nil {
				telling.Lock()
				defer telling.Unlock()
				fetched(r.n)
			}
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return u.withoutAbsent(parent)
}

func (u *Update) fetchRange(ctx context.Context, r *fetchRange, check func([]byte) error) error {
	name := r.name()
	if f, err := u.root.Open(name); err == nil {
		if st, err := f.Stat(); err == nil && st.Size() == r.n {
			r.data = f
			return nil
		}
		_ = f.Close()
	}
	b, err := u.getRange(ctx, r, check)
	if err != nil {
		return err
	}
	f, err := u.out.OpenFile(name+"~", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = u.out.Rename(name+"~", name)
	}
	if err != nil {
		return errors.Join(err, f.Close(), u.out.Remove(name+"~"))
	}
	r.data = f.File
	return nil
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// work is where a file is made. Two of the same content have each their own.
func (f *fileUpdate) work() string {
	of := blake3.Sum256([]byte(f.Path + "\x00" + f.Sum))
	return path.Join(store.WorkDir, fmt.Sprintf(atomicfile.Prefix+"%x", of[:20]))
}

// isMade reports whether a file is complete in the folder of work.
func (u *Update) isMade(ctx context.Context, f *fileUpdate) bool {
	have, err := u.root.Open(f.work())
	if err != nil {
		return false
	}
	defer func() { _ = have.Close() }()
	st, err := have.Stat()
	if err != nil || st.Size() != f.Size {
		return false
	}
	sum, err := store.SumOf(progress.Watch(ctx, nil), have, f.Size) // not part of what is counted
	return err == nil && sum == f.Sum
}

// commit puts the files into place. A crash in between leaves files of both
// builds, each of them whole; the next update completes it.
func (u *Update) commit() error {
	if u.files != nil { // some systems do not rename over open files
		if err := u.files.Close(); err != nil {
			return err
		}
		u.files = nil
	}
	if err := u.clear(); err != nil {
		return err
	}
	for _, f := range u.todo {
		if err := u.out.MkdirAll(path.Dir(f.Path)); err != nil {
			return err
		}
		if err := u.out.KeepMode(f.work(), f.Path); err != nil {
			return err
		}
		if err := u.out.Rename(f.work(), f.Path); err != nil {
			return err
		}
	}
	if err := u.noteEmptied(); err != nil {
		return err
	}
	for _, name := range u.gone {
		if u.isNew(name) {
			continue
		}
		if err := u.out.Remove(name); err != nil {
			return err
		}
	}
	if err := u.out.Sync(); err != nil {
		return err
	}
	if err := u.closeRanges(); err != nil {
		return err
	}
	u.removeEmpty()
	if err := u.out.RemoveAll(store.WorkDir); err != nil {
		return err
	}
	return u.out.Sync()
}

// inTheWay returns the files that are where folders of new ones are to be, or in
// what is to be a file.
func (u *Update) inTheWay(names []string) []string {
	files, folders := map[string]bool{}, u.folders()
	for _, f := range u.todo {
		files[f.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return false
			}
		}
		return !folders[name]
	})
}

// folders are those that new files are to be in.
func (u *Update) folders() map[string]bool {
	all := map[string]bool{}
	for _, f := range u.todo {
		for dir := path.Dir(f.Path); dir != "." && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	return all
}

// clear makes way for new files, by what will be removed anyhow and by empty
// folders.
func (u *Update) clear() error {
	first := u.inTheWay(u.gone)
	u.gone = slices.DeleteFunc(u.gone, func(name string) bool { _, is := slices.BinarySearch(first, name); return is })
	for _, name := range first {
		if err := u.out.Remove(name); err != nil {
			return err
		}
	}
	for _, f := range u.todo {
		if st, err := u.root.Lstat(f.Path); err != nil || !st.IsDir() {
			continue
		}
		var folders []string
		err := fs.WalkDir(u.root.FS(), f.Path, func(name string, _ fs.DirEntry, err error) error {
			folders = append(folders, name)
			return err
		})
		for _, name := range slices.Backward(folders) {
			err = errors.Join(err, u.out.Remove(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isNew reports that a file to be removed is one of the build's, on a system on
// which names in capitals and others are the same.
func (u *Update) isNew(name string) bool {
	old, err := u.root.Stat(name)
	if err != nil {
		return false
	}
	for _, f := range u.Build.Files {
		if !strings.EqualFold(f.Path, name) {
			continue
		}
		if st, err := u.root.Stat(f.Path); err == nil && os.SameFile(st, old) {
			return true
		}
	}
	return false
}

// emptiedName lists the folders of files that are removed, so that an update which
// was killed before it removed the folders too is completed by the next one. To
// that the files are gone, and a folder may be empty because the user wants it so.
const emptiedName = store.WorkDir + "/" + atomicfile.Prefix + "emptied"

// noteEmptied writes that list, below what an earlier update left of its own.
func (u *Update) noteEmptied() error {
	if len(u.gone) == 0 {
		return nil
	}
	list := u.emptied()
	for _, name := range u.gone {
		list = append(list, path.Dir(name))
	}
	slices.Sort(list)
	f, err := u.out.OpenFile(emptiedName+"~", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(slices.Compact(list), "\n"))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return u.out.Rename(emptiedName+"~", emptiedName)
}

// emptied reads it. Names that lead out of the folder u.out refuses.
func (u *Update) emptied() (list []string) {
	b, err := u.out.ReadFile(emptiedName)
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(string(b), "\n")
}

// removeEmpty removes folders in which nothing is left of what is gone.
func (u *Update) removeEmpty() {
	for _, dir := range slices.Backward(u.emptied()) {
		if fs.ValidPath(dir) {
			u.out.RemoveEmpty(dir)
		}
	}
}
