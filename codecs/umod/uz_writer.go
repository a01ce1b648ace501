package umod

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// uzWriter writes one entry as a .uz2.
type uzWriter struct {
	w     io.Writer
	added bool
}

func uzCreate(w io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if o == nil {
		o = &codecs.CreateOptions{}
	}
	if err := UzFormat().CheckOptions(o); err != nil {
		return nil, err
	}
	if o.Version != "" && o.Version != "uz2" {
		return nil, uzFailed("version", codecs.Errorf(errors.ErrUnsupported, "%q", o.Version))
	}
	switch {
	case o.Method != compress.None && o.Method != compress.Zlib:
		return nil, uzFailed(string(codecs.OptionMethod), codecs.Errorf(codecs.ErrOption, "%s; blocks are zlib", o.Method))
	case o.Keys != nil:
		return nil, uzFailed("keys", codecs.Errorf(errors.ErrUnsupported, "it is never encrypted"))
	}
	return &uzWriter{w: w}, nil
}

func uzFailed(field string, err error) error {
	return &codecs.FormatError{Format: uzFormatName, Field: field, Off: -1, Err: err}
}

// one takes the place of the only entry.
func (w *uzWriter) one(e *codecs.Entry) error {
	if w.added {
		return uzFailed("entry", codecs.Errorf(errors.ErrUnsupported, "a second entry, %q", e.Name))
	}
	if e.Flags != 0 {
		return uzFailed("flags", codecs.Errorf(errors.ErrUnsupported, "flags %d", e.Flags))
	}
	w.added = true
	return nil
}

// Add compresses r. The name is not stored.
func (w *uzWriter) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	if err := w.one(e); err != nil {
		return err
	}
	buf := make([]byte, maxBlock)
	var out []byte
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(r, buf)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return uzFailed("data", err)
		}
		if n == 0 && first {
			return uzFailed("data", codecs.Errorf(errors.ErrUnsupported, "an empty content has no blocks"))
		}
		if n == 0 {
			return nil
		}
		if out, err = appendBlock(out[:0], buf[:n]); err != nil {
			return uzFailed("data", err)
		}
		if _, err := w.w.Write(out); err != nil {
			return uzFailed("data", err)
		}
	}
}

func appendBlock(dst, data []byte) ([]byte, error) {
	dst = append(dst, make([]byte, blockHead)...)
	dst, err := compress.Encode(compress.Zlib, dst, data)
	binary.LittleEndian.PutUint32(dst, uint32(len(dst)-blockHead))
	binary.LittleEndian.PutUint32(dst[4:], uint32(len(data)))
	return dst, err
}

// AddRaw copies a stored .uz2 as it is.
func (w *uzWriter) AddRaw(_ context.Context, e *codecs.Entry, stored io.Reader) error {
	if err := w.one(e); err != nil {
		return err
	}
	if e.Method != compress.Zlib {
		return uzFailed("method", codecs.Errorf(errors.ErrUnsupported, "method %s", e.Method))
	}
	if _, err := io.Copy(w.w, stored); err != nil {
		return uzFailed("data", err)
	}
	return nil
}

// Close fails when there is no entry: an empty file is no .uz2.
func (w *uzWriter) Close() error {
	if !w.added {
		return uzFailed("entry", codecs.Errorf(errors.ErrUnsupported, "no entry"))
	}
	return nil
}
