package indexer

import (
	"context"
	"encoding/binary"
	"io"

	"github.com/zeebo/blake3"

	"pakdb/schema"
)

// The quick digest covers the size and, of files beyond quickWhole, both ends
// and evenly spaced samples between them: 768 KiB whatever the file's size. It
// recognises a file; it does not prove that no byte changed, which is why size
// and time must agree as well, or the full digest.
const (
	quickWhole   = 1 << 20
	quickEnd     = 256 << 10
	quickSample  = 16 << 10
	quickSamples = 16
)

func quickDigest(r io.ReaderAt, size int64) (d schema.Digest, err error) {
	h := blake3.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(size))
	_, _ = h.Write(n[:])
	if size <= quickWhole {
		err = hashRange(h, r, 0, size)
	} else {
		err = hashSamples(h, r, size)
	}
	copy(d[:], h.Sum(nil))
	return d, err
}

func hashSamples(h io.Writer, r io.ReaderAt, size int64) error {
	if err := hashRange(h, r, 0, quickEnd); err != nil {
		return err
	}
	step := (size - 2*quickEnd) / quickSamples
	for i := range int64(quickSamples) {
		if err := hashRange(h, r, quickEnd+i*step, min(quickSample, step)); err != nil {
			return err
		}
	}
	return hashRange(h, r, size-quickEnd, quickEnd)
}

func hashRange(h io.Writer, r io.ReaderAt, off, n int64) error {
	copied, err := io.Copy(h, io.NewSectionReader(r, off, n))
	if err == nil && copied < n {
		return io.ErrUnexpectedEOF
	}
	return err
}

// fullDigest is the BLAKE3 of the whole file.
func fullDigest(ctx context.Context, r io.ReaderAt, size int64) (d schema.Digest, err error) {
	h := blake3.New()
	const step = 4 << 20
	for off := int64(0); off < size; off += step {
		if err := ctx.Err(); err != nil {
			return d, err
		}
		if err := hashRange(h, r, off, min(step, size-off)); err != nil {
			return d, err
		}
	}
	copy(d[:], h.Sum(nil))
	return d, nil
}
