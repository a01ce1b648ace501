package bin

import (
	"errors"
	"fmt"
	"io"
)

// ErrLimit means that a structure is larger than the caller allows.
var ErrLimit = errors.New("larger than the limit")

// Section reads n bytes at off from r, a source of size bytes. Range and limit
// are checked before anything is allocated, so n may come from a hostile file.
func Section(r io.ReaderAt, off, n, size, limit int64) ([]byte, error) {
	if err := Range(off, n, size); err != nil {
		return nil, err
	}
	if n > limit {
		return nil, &Error{Off: off, Need: n, Have: limit, Err: ErrLimit}
	}
	buf := make([]byte, n)
	return buf, Fill(r, buf, off)
}

// Range checks that [off, off+n) lies within size bytes.
func Range(off, n, size int64) error {
	if off < 0 || n < 0 || off > size || n > size-off {
		return &Error{Off: off, Need: n, Have: max(size-off, 0), Err: ErrShort}
	}
	return nil
}

// Fill reads len(buf) bytes at off. A short read is [ErrShort]; any other
// failure of r is returned as it is, wrapped with the offset.
func Fill(r io.ReaderAt, buf []byte, off int64) error {
	n, err := r.ReadAt(buf, off)
	if n == len(buf) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Error{Off: off, Need: int64(len(buf)), Have: int64(n), Err: ErrShort}
	}
	return fmt.Errorf("read at 0x%x: %w", off, err)
}
