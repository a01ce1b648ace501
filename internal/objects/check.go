package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
)

// Check reads every object of the store in order of its hash and yields it with
// what is wrong with it, or nil. It ends early when ctx is done, with its error.
func (s *Store) Check(ctx context.Context) iter.Seq2[[32]byte, error] {
	return func(yield func([32]byte, error) bool) {
		for d, err := range s.All(ctx) {
			if err == nil {
				err = s.verify(d)
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// All yields the hashes of all objects of the store, in order. It ends early when ctx is
// done, with its error.
func (s *Store) All(ctx context.Context) iter.Seq2[[32]byte, error] {
	return func(yield func([32]byte, error) bool) {
		err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if d, ok := s.digest(path); ok && !yield(d, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			yield([32]byte{}, err)
		}
	}
}

// digest returns what the path of an object says; temporary and foreign files
// are none.
func (s *Store) digest(path string) (d [32]byte, ok bool) {
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		return d, false
	}
	name, ok := strings.CutSuffix(strings.Replace(rel, string(filepath.Separator), "", 1), ".zst")
	if !ok || len(name) != hex.EncodedLen(len(d)) {
		return d, false
	}
	if _, err := hex.Decode(d[:], []byte(name)); err != nil || s.path(d) != path {
		return d, false
	}
	return d, true
}

func (s *Store) verify(d [32]byte) error {
	r, err := s.Open(d)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r)
	return errors.Join(err, r.Close())
}
