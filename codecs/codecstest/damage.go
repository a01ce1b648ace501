package codecstest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"pakdb/codecs"
	"pakdb/internal/testkit"
)

// errIO is the error of a failing disk.
var errIO = errors.New("input/output error")

// patience is how long reading one damaged archive may take. Generous, because
// test machines are slow and the race detector is slower; what it catches are
// loops without an end.
const patience = 30 * time.Second

// hostile are limits that let small fixtures through and little else.
func hostile(o *codecs.Options) *codecs.Options {
	h := o.WithDefaults()
	h.Limits = codecs.Limits{Table: 16 << 20, Entry: 16 << 20, Name: 4 << 10}
	return &h
}

// classes are what an error of a reader may be.
var classes = []error{codecs.ErrCorrupt, codecs.ErrTruncated, codecs.ErrLimit, codecs.ErrChecksum, codecs.ErrEncrypted,
	codecs.ErrWrongKey, codecs.ErrUnknown, codecs.ErrName, codecs.ErrNonStrict, errors.ErrUnsupported, errIO}

// checkClass reports an error that is no FormatError, or of no known class.
func checkClass(err error) error {
	var fe *codecs.FormatError
	if !errors.As(err, &fe) {
		return fmt.Errorf("not a *FormatError: %T: %w", err, err)
	}
	for _, class := range classes {
		if errors.Is(fe, class) {
			return nil
		}
	}
	return fmt.Errorf("of no known class: %w", err)
}

// Problems opens src, lists, reads and verifies it, and returns everything that
// is reported, in this order: Open, Info.Warnings, then the table and the
// entries as they come, then Verify.
func Problems(ctx context.Context, f *codecs.Format, src codecs.Source, o *codecs.Options) []error {
	a, err := f.Open(ctx, src, o)
	if err != nil {
		return []error{err}
	}
	var found []error
	report := func(err error) {
		if err != nil {
			found = append(found, err)
		}
	}
	for _, w := range a.Info().Warnings {
		report(w)
	}
	readAny(ctx, a, report)
	if v, ok := a.(codecs.Verifier); ok {
		report(v.Verify(ctx, func(e *codecs.FormatError) { report(e) }))
	}
	report(a.Close())
	return found
}

// readAny reads entries until a budget of bytes and of entries is spent.
func readAny(ctx context.Context, a codecs.Archive, report func(error)) {
	budget, n := int64(64<<20), 0
	for e, err := range a.Entries() {
		report(err)
		if e == nil || err != nil || e.Flags&codecs.Deleted != 0 {
			continue
		}
		if n++; n > 50_000 || budget < 0 {
			return
		}
		if err := checkEntry(e.Ordinal, e); err != nil {
			report(err)
		}
		data, err := ReadEntry(ctx, a, e)
		report(err)
		if raw, err := a.OpenRaw(e); err != nil {
			report(err)
		} else {
			_, _ = io.Copy(io.Discard, io.LimitReader(raw, budget))
		}
		budget -= int64(len(data)) + e.Stored
	}
}

// survive reads a damaged source. Errors are welcome as long as they are of a
// known class; panics, hangs and large allocations are breaches.
func survive(f *codecs.Format, src codecs.Source, o *codecs.Options, alloc int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if alloc == 0 {
		alloc = 256 << 20
	}
	before := allocated()
	done := make(chan error, 1)
	go func() { done <- guarded(ctx, f, src, hostile(o)) }()
	select {
	case err := <-done:
		if used := allocated() - before; err == nil && used > uint64(alloc) {
			return fmt.Errorf("allocated %d bytes", used)
		}
		return err
	case <-time.After(patience + time.Second):
		return fmt.Errorf("still reading after %v", patience)
	}
}

func guarded(ctx context.Context, f *codecs.Format, src codecs.Source, o *codecs.Options) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if _, err := f.Probe(src); err != nil && !errors.Is(err, errIO) {
		return fmt.Errorf("probe of a readable file: %w", err)
	}
	for _, p := range Problems(ctx, f, src, o) {
		if err := checkClass(p); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// tries returns how many damaged copies of a file to read: a sample is an eighth.
func tries(asked, small int, size int64) int {
	const sample = 8
	if asked > sample {
		return testkit.Of(asked/sample, asked)
	}
	if asked != 0 {
		return max(asked, 0)
	}
	if size > 1<<20 {
		small /= 10
	}
	return max(testkit.Of(small/sample, small), 2)
}

// places returns offsets to damage: most at both ends, where tables are.
func places(rnd *rand.Rand, n int, size int64) []int64 {
	if size == 0 {
		return nil
	}
	out := make([]int64, n)
	for i := range out {
		switch i % 3 {
		case 0:
			out[i] = rnd.Int64N(min(size, 1024))
		case 1:
			out[i] = size - 1 - rnd.Int64N(min(size, 1024))
		default:
			out[i] = rnd.Int64N(size)
		}
	}
	return out
}

// cut: the file ends early, and says so or does not.
func (c *contract) cut() error {
	rnd := rand.New(rand.NewPCG(3, 1))
	for _, at := range places(rnd, tries(c.o.Cuts, 30, c.src.Size), c.src.Size) {
		for _, says := range []int64{at, c.src.Size} {
			src := c.src
			src.ReaderAt = io.NewSectionReader(c.src, 0, at)
			src.Size = says
			if err := survive(c.f, src, c.o.Open, c.o.Alloc); err != nil {
				return fmt.Errorf("%d of %d bytes, declared %d: %w", at, c.src.Size, says, err)
			}
		}
	}
	return nil
}

// flip: one byte differs, or a 32-bit number is an extreme.
func (c *contract) flip() error {
	rnd := rand.New(rand.NewPCG(4, 1))
	for i, at := range places(rnd, tries(c.o.Flips, 90, c.src.Size), c.src.Size) {
		patch := make([]byte, 1, 4)
		if _, err := c.src.ReadAt(patch, at); err != nil {
			return err
		}
		patch[0] ^= 1 << rnd.IntN(8)
		if i%2 == 1 {
			extremes := []uint32{0, 0x7fffffff, 0x80000000, 0xffffffff, 0x01000000, uint32(c.src.Size)}
			patch = binary.LittleEndian.AppendUint32(patch[:0], extremes[rnd.IntN(len(extremes))])
		}
		src := c.src
		src.ReaderAt = &overlay{c.src, at, patch}
		if err := survive(c.f, src, c.o.Open, c.o.Alloc); err != nil {
			return fmt.Errorf("bytes % x at 0x%x: %w", patch, at, err)
		}
	}
	return nil
}

// unreadable: a disk that fails is neither hidden nor called corrupt.
func (c *contract) unreadable() error {
	rnd := rand.New(rand.NewPCG(5, 1))
	for _, at := range append(places(rnd, tries(c.o.Cuts, 12, c.src.Size), c.src.Size), 0) {
		src := c.src
		src.ReaderAt = &failing{c.src, at}
		if err := survive(c.f, src, c.o.Open, c.o.Alloc); err != nil {
			return fmt.Errorf("unreadable from 0x%x: %w", at, err)
		}
	}
	src := c.src
	src.ReaderAt = &failing{c.src, 0}
	if a, err := c.f.Open(context.Background(), src, c.o.Open); err == nil {
		defer func() { _ = a.Close() }()
		if err := c.readAll(a, 5); c.src.Size > 0 && !errors.Is(err, errIO) {
			return fmt.Errorf("an unreadable file reads as %v", err)
		}
	} else if !errors.Is(err, errIO) {
		return fmt.Errorf("an unreadable file opens as %w", err)
	}
	return nil
}

// overlay shows other bytes at off.
type overlay struct {
	io.ReaderAt
	off   int64
	patch []byte
}

func (o *overlay) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.ReaderAt.ReadAt(p, off)
	for i, b := range o.patch {
		if at := o.off + int64(i) - off; at >= 0 && at < int64(n) {
			p[at] = b
		}
	}
	return n, err
}

// failing returns errIO for every read that touches bytes from off on.
type failing struct {
	io.ReaderAt
	off int64
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.off {
		return 0, errIO
	}
	return f.ReaderAt.ReadAt(p, off)
}
