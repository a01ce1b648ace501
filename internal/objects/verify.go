package objects

import (
	"fmt"
	"io"

	"github.com/zeebo/blake3"
)

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
