package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
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

// Verify returns a reader of r that returns ErrDigest in place of io.EOF unless
// the BLAKE3 of all that was read is d. Closing it closes r.
func Verify(r io.ReadCloser, d [32]byte) io.ReadCloser {
	return &verifier{ReadCloser: r, want: d, hash: blake3.New()}
}

type verifier struct {
	io.ReadCloser
	want [32]byte
	hash *blake3.Hasher
}

func (v *verifier) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	_, _ = v.hash.Write(p[:n])
	if err == io.EOF {
		if bad := compare(v.hash, v.want); bad != nil {
			err = bad
		}
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("object %x: %w", v.want, err)
	}
	return n, err
}

func compare(h *blake3.Hasher, want [32]byte) error {
	var have [32]byte
	h.Sum(have[:0])
	if have != want {
		return fmt.Errorf("%w: it is %x", ErrDigest, have)
	}
	return nil
}

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
