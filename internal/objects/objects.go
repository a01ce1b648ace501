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

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/internal/rescue"
)

// ErrDigest means that bytes do not have the BLAKE3 they are stored under.
var ErrDigest = errors.New("content does not match its BLAKE3")

// window bounds what one encoder or decoder holds. Larger windows win little on
// game assets, most of which are smaller than this.
const window = 1 << 20

// Store is a folder of contents. The folder is made by the first [Store.Put].
// All methods are safe for concurrent use.
type Store struct {
	dir      string
	encoders sync.Pool // of *zstd.Encoder
	decoders sync.Pool // of *zstd.Decoder
}

// Suffix is what the store's folder has behind the name of its catalog.
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
	defer rescue.Into(&err)
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

func (s *Store) encode(w io.Writer, d [32]byte, r io.Reader) error {
	enc, err := s.encoder(w)
	if err != nil {
		return err
	}
	defer s.encoders.Put(enc)
	h := blake3.New()
	if _, err := enc.ReadFrom(io.TeeReader(r, h)); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	return compare(h, d)
}

func (s *Store) encoder(w io.Writer) (*zstd.Encoder, error) {
	if enc, ok := s.encoders.Get().(*zstd.Encoder); ok {
		enc.Reset(w)
		return enc, nil
	}
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false)) // BLAKE3 covers it
}

func (s *Store) decoder(r io.Reader) (*zstd.Decoder, error) {
	if dec, ok := s.decoders.Get().(*zstd.Decoder); ok {
		return dec, dec.Reset(r)
	}
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
}

// Open returns the content stored under d: fs.ErrNotExist when there is none.
// The reader verifies the BLAKE3 and returns ErrDigest in place of io.EOF when
// it differs. The caller closes it.
func (s *Store) Open(d [32]byte) (io.ReadCloser, error) {
	f, err := os.Open(s.path(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("object %x: %w", d, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("object %x: %w", d, err)
	}
	dec, err := s.decoder(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("object %x: %w", d, err)
	}
	return Verify(&reader{s: s, f: f, dec: dec}, d), nil
}

type reader struct {
	s   *Store
	f   *os.File
	dec *zstd.Decoder
}

func (r *reader) Read(p []byte) (int, error) {
	if r.dec == nil {
		return 0, fs.ErrClosed
	}
	return r.dec.Read(p)
}

// Close gives the decoder back. Closing twice is harmless.
func (r *reader) Close() error {
	if r.dec == nil {
		return nil
	}
	if err := r.dec.Reset(nil); err == nil {
		r.s.decoders.Put(r.dec)
	}
	r.dec = nil
	return r.f.Close()
}
