// Package objects keeps decoded contents beside a catalog, so that they can be
// read when the archives they came from have changed or are gone.
//
// The store of pakdb.db is the folder pakdb.db.objects. A content is one zstd
// file named by the hex of its BLAKE3, split after the first byte: "ab/cdef….zst".
// Files appear whole or not at all and never change, so any number of goroutines
// and processes may read and add at once.
package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/regular"
)

// ErrDigest means that bytes do not have the BLAKE3 they are stored under.
var ErrDigest = errors.New("content does not match its BLAKE3")

// Store is a folder of contents. The folder is made by the first [Store.Put].
// All methods are safe for concurrent use.
type Store struct {
	dir      string
	encoders sync.Pool // of *zstd.Encoder
	decoders sync.Pool // of *zstd.Decoder
}

// Suffix is what the store's folder has after the name of its catalog.
const Suffix = ".objects"

// For returns the store that belongs to a catalog. It touches no file.
func For(catalog string) *Store { return &Store{dir: catalog + Suffix} }

// Dir returns the store's folder, which need not exist.
func (s *Store) Dir() string { return s.dir }

func (s *Store) path(d [32]byte) string {
	name := hex.EncodeToString(d[:])
	return filepath.Join(s.dir, name[:2], name[2:]+".zst")
}

// Has reports whether the store holds d.
func (s *Store) Has(d [32]byte) bool {
	st, err := os.Stat(s.path(d))
	return err == nil && st.Mode().IsRegular()
}

// Put stores what r yields under d, its BLAKE3. When d is there already r is
// not read. When r fails, or its bytes hash to something else (ErrDigest),
// nothing is stored.
func (s *Store) Put(d [32]byte, r io.Reader) error {
	if s.Has(d) {
		return nil
	}
	if err := s.put(d, r); err != nil {
		return fmt.Errorf("object %x: %w", d, err)
	}
	return nil
}

func (s *Store) put(d [32]byte, r io.Reader) (err error) {
	path := s.path(d)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	dir, err := atomicfile.Open(context.Background(), filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	f, err := dir.Create(filepath.Base(path), 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	defer process.Rescue(&err)
	if err := s.encode(f, d, r); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o444), f.Sync()); err != nil {
		return err
	}
	// The folder is not synced: an object that a loss of power takes is put there
	// again by the next scan.
	if err := f.Place(); err != nil && !s.Has(d) {
		return err // a file that another process put there first is as good
	}
	return nil
}

// Open returns the content stored under d: fs.ErrNotExist when there is none.
// The reader verifies the BLAKE3 and returns ErrDigest in place of io.EOF when
// it differs. The caller closes it.
func (s *Store) Open(d [32]byte) (io.ReadCloser, error) {
	f, err := regular.Open(s.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("object %x: %w", d, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("object %x: %w", d, err)
	}
	return s.decode(f, d)
}
