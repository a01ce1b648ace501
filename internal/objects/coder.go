package objects

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"
)

// window bounds what one encoder or decoder holds. Larger windows win little on
// game assets, most of which are smaller than this.
const window = 1 << 20

// Coder writes contents as they are stored, and reads them. Its zero value is ready; all
// methods are safe for concurrent use.
type Coder struct {
	encoders sync.Pool // of *zstd.Encoder
	decoders sync.Pool // of *zstd.Decoder
}

// Encode compresses what r yields. The error is ErrDigest if its BLAKE3 is not d; then
// what was written is worthless.
func (c *Coder) Encode(w io.Writer, d [32]byte, r io.Reader) error {
	enc, err := c.encoder(w)
	if err != nil {
		return err
	}
	defer c.encoders.Put(enc)
	h := blake3.New()
	if _, err := enc.ReadFrom(io.TeeReader(r, h)); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	return compare(h, d)
}

func (c *Coder) encoder(w io.Writer) (*zstd.Encoder, error) {
	if enc, ok := c.encoders.Get().(*zstd.Encoder); ok {
		enc.Reset(w)
		return enc, nil
	}
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false)) // BLAKE3 covers it
}

// Decode returns the content d, of which r has the stored form. Its reader verifies the
// BLAKE3 and returns ErrDigest in place of io.EOF when it differs. Closing it closes r, as
// an error does.
func (c *Coder) Decode(r io.ReadCloser, d [32]byte) (io.ReadCloser, error) {
	dec, err := c.decoder(r)
	if err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("object %x: %w", d, err)
	}
	return Verify(&reader{c: c, stored: r, dec: dec}, d), nil
}

func (c *Coder) decoder(r io.Reader) (*zstd.Decoder, error) {
	if dec, ok := c.decoders.Get().(*zstd.Decoder); ok {
		return dec, dec.Reset(r)
	}
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
}

type reader struct {
	c      *Coder
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
		r.c.decoders.Put(r.dec)
	}
	r.dec = nil
	return errors.Join(err, r.stored.Close())
}
