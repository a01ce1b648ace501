package objects

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pakdb/internal/atomicfile"
)

// Prune removes the objects that wanted does not want, and returns how many there
// were and the bytes that they took. Nobody may add any meanwhile. What cannot be
// removed is part of the error; the rest goes all the same. What a killed process
// began to write goes as well, and is not counted.
func (s *Store) Prune(ctx context.Context, wanted func(d [32]byte) (bool, error)) (removed, bytes int64, err error) {
	var failed []error
	err = filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if entry.IsDir() {
			sweep(ctx, path)
			if path != s.dir && os.Remove(path) == nil {
				return fs.SkipDir // it held nothing else
			}
			return nil
		}
		d, ok := s.digest(path)
		if !ok {
			return nil
		}
		if keep, err := wanted(d); err != nil || keep {
			return err
		}
		st, err := entry.Info()
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			failed = append(failed, err)
			return nil
		}
		removed++
		bytes += st.Size()
		_ = os.Remove(filepath.Dir(path)) // unless it holds others
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // there is no store
	}
	return removed, bytes, errors.Join(append(failed, err)...)
}

// sweep removes what killed processes left in a folder.
func sweep(ctx context.Context, dir string) {
	d, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return
	}
	d.Sweep(".", "")
	_ = d.Close()
}
