package update

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"pakdb/diff/store"
)

// findLeft looks at what an earlier try left in the folder of work: what this one
// fetches or makes as well is not needed twice, the rest will be removed.
func (u *Update) findLeft() {
	useful := map[string]int64{}
	for _, r := range u.ranges {
		useful[path.Base(r.name())] = r.n
	}
	for _, d := range u.deltas {
		useful[path.Base(d.work())] = d.Size
	}
	for _, f := range u.todo {
		useful[path.Base(f.work())] = f.Size
	}
	u.eachLeft(func(name string, size int64) {
		if name == path.Base(emptiedName) {
			return // the folders that are to be removed, if they are empty
		}
		if most, ok := useful[name]; ok && size <= most {
			u.Bill.Reused = store.SumSizes(u.Bill.Reused, size)
			return
		}
		u.Bill.Stale = store.SumSizes(u.Bill.Stale, size)
		u.stale = append(u.stale, name)
	})
}

// eachLeft calls use for what lies in the folder of work, with its bytes.
func (u *Update) eachLeft(use func(name string, size int64)) {
	entries, err := fs.ReadDir(u.root.FS(), store.WorkDir)
	if err != nil {
		return // most often there is none
	}
	for _, e := range entries {
		size := int64(0)
		_ = fs.WalkDir(u.root.FS(), path.Join(store.WorkDir, e.Name()), func(_ string, e fs.DirEntry, err error) error {
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

// removeStale removes what an earlier try left and this one has no use for.
func (u *Update) removeStale() error {
	for _, name := range u.stale {
		if err := u.out.RemoveAll(path.Join(store.WorkDir, name)); err != nil {
			return err
		}
	}
	u.stale = nil
	return nil
}

// withLeft adds to an error where what was fetched and made waits for another try.
func (u *Update) withLeft(err error) error {
	if err == nil {
		return nil
	}
	size := int64(0)
	u.eachLeft(func(_ string, n int64) { size = store.SumSizes(size, n) })
	if size == 0 {
		return err
	}
	return &leftError{err, filepath.Join(u.dir, store.WorkDir), size}
}

// leftError is one behind which something stays in the folder.
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
