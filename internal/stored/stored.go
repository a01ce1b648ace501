// Package stored reads bytes of files whole: a file that ends too early is an
// error, never fewer bytes.
package stored

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/zeebo/blake3"
)

// hashPage is how much Hash reads at once, which the cache of a core holds while it is
// hashed; comparePage is how much Equal reads of each side.
const (
	hashPage    = 256 << 10
	comparePage = 256 << 10
)

// ReadAt fills p with the bytes at off. A file that ends before is
// [io.ErrUnexpectedEOF].
func ReadAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// Hash returns the BLAKE3 of the first n bytes. It counts them in the progress
// of ctx, and ends with the error of ctx when that is done.
func Hash(ctx context.Context, r io.ReaderAt, n int64) (sum [32]byte, err error) {
	h, buf, count := blake3.New(), make([]byte, min(n, hashPage)), ProgressOf(ctx)
	for off := int64(0); off < n; {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		p := buf[:min(int64(len(buf)), n-off)]
		if err := ReadAt(r, p, off); err != nil {
			return sum, err
		}
		_, _ = h.Write(p)
		off += int64(len(p))
		count.Add(int64(len(p)))
	}
	h.Sum(sum[:0])
	return sum, nil
}

// Equal reports whether n bytes of a at aOff are those of b at bOff. It stops at
// the first difference, or with the error of ctx when that is done.
func Equal(ctx context.Context, a io.ReaderAt, aOff int64, b io.ReaderAt, bOff, n int64) (bool, error) {
	p, q := make([]byte, min(n, comparePage)), make([]byte, min(n, comparePage))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		k := min(n, int64(len(p)))
		if err := errors.Join(ReadAt(a, p[:k], aOff), ReadAt(b, q[:k], bOff)); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:k], q[:k]) {
			return false, nil
		}
		aOff, bOff, n = aOff+k, bOff+k, n-k
	}
	return true, nil
}
