package objects

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// window bounds what one encoder or decoder holds. Larger windows win little on
// game assets, most of which are smaller than this.
const window = 1 << 20

// encode compresses what r yields. The error is ErrDigest if its BLAKE3 is not d; then
// what was written is worthless.
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

// decode returns the content d, of which r has the stored form. Its reader verifies the
// BLAKE3 and returns ErrDigest in place of io.EOF when it differs. Closing it closes r, as
// an error does.
func (s *Store) decode(r io.ReadCloser, d [32]byte) (io.ReadCloser, error) {
	dec, err := s.decoder(r)
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("object %x: %w", d, err)
	}
	return Verify(&reader{store: s, stored: r, dec: dec}, d), nil
}

func (s *Store) decoder(r io.Reader) (*zstd.Decoder, error) {
	if dec, ok := s.decoders.Get().(*zstd.Decoder); ok {
		return dec, dec.Reset(r)
	}
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
}

type reader struct {
	store  *Store
	stored io.Closer
	dec    *zstd.Decoder
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
	err := r.dec.Reset(nil)
	if err == nil {
		r.store.decoders.Put(r.dec)
	}
	r.dec = nil
	return errors.Join(err, r.stored.Close())
}
