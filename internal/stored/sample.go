package stored

import (
	"encoding/binary"
	"io"

	"github.com/zeebo/blake3"
)

// What Sample reads.
const (
	sampleWhole = 1 << 20
	sampleEnd   = 256 << 10
	sampleSize  = 16 << 10
	samples     = 16
)

// Sample returns the BLAKE3 of the size and, of files above 1 MiB, of both ends and
// evenly spaced samples between them: 512 KiB and 256 KiB whatever the size. It
// recognises a file; it does not prove that no byte changed. A file that ends before
// size is [io.ErrUnexpectedEOF].
func Sample(r io.ReaderAt, size int64) (sum [32]byte, err error) {
	h := blake3.New()
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(size))
	_, _ = h.Write(n[:])
	if size <= sampleWhole {
		err = hashRange(h, r, 0, size)
	} else {
		err = hashSamples(h, r, size)
	}
	copy(sum[:], h.Sum(nil))
	return sum, err
}

func hashSamples(h io.Writer, r io.ReaderAt, size int64) error {
	if err := hashRange(h, r, 0, sampleEnd); err != nil {
		return err
	}
	step := (size - 2*sampleEnd) / samples
	for i := range int64(samples) {
		if err := hashRange(h, r, sampleEnd+i*step, min(sampleSize, step)); err != nil {
			return err
		}
	}
	return hashRange(h, r, size-sampleEnd, sampleEnd)
}

func hashRange(h io.Writer, r io.ReaderAt, off, n int64) error {
	copied, err := io.Copy(h, io.NewSectionReader(r, off, n))
	if err == nil && copied < n {
		return io.ErrUnexpectedEOF
	}
	return err
}
