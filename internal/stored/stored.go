// Package stored reads bytes of files whole: a file that ends too early is an
// error, never fewer bytes.
package stored

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"sync"

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

// Progress holds the step at hand and its bytes. It is safe for concurrent use; a
// nil one counts nothing.
type Progress struct {
	mu          sync.Mutex
	step        string
	done, total int64
}

type key struct{}

// WatchProgress returns a context in which work is counted in c. With nil nothing is
// counted, also of a counter that ctx has.
func WatchProgress(ctx context.Context, c *Progress) context.Context {
	return context.WithValue(ctx, key{}, c)
}

// ProgressOf returns the Counter of a context, or nil.
func ProgressOf(ctx context.Context) *Progress {
	c, _ := ctx.Value(key{}).(*Progress)
	return c
}

// Step begins a step of total bytes in the Counter of a context, and returns that
// Counter, or nil.
func Step(ctx context.Context, step string, total int64) *Progress {
	c := ProgressOf(ctx)
	c.Begin(step, total)
	return c
}

// Now returns the name of the step, "" before the first one, and how many of its
// bytes are done.
func (c *Progress) Now() (step string, done, total int64) {
	if c == nil {
		return "", 0, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.step, c.done, c.total
}

// Begin starts a step of total bytes.
func (c *Progress) Begin(step string, total int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step, c.done, c.total = step, 0, total
}

// Add counts n more bytes of the step.
func (c *Progress) Add(n int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
}

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

// HumanSize writes a number of bytes in binary units with one decimal:
// "512 B", "1.5 MiB".
func HumanSize(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	// 1023.95 would be rounded to 1024.0 of its unit.
	for ; math.Abs(n) >= 1023.95 && i < len(units)-1; i++ {
		n /= 1024
	}
	if i == 0 {
		return strconv.FormatFloat(n, 'f', 0, 64) + " B"
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + " " + units[i]
}
