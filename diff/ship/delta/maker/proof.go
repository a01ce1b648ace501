package maker

import (
	"bytes"
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// A patch is proved while it is made: a machine executes each segment that is
// finished, beside the maker of the next one, and what it gives is compared with
// the new files. Nothing is written. At the end the patch is read back, and every
// hash in it is checked.

// proof executes the segments of one patch.
type proof struct {
	m      *program.Machine
	new    []delta.Input
	at     int // which of them is at hand; -1 before the first
	out    *compared
	queue  chan provable
	ctx    context.Context // of the maker too
	cancel context.CancelFunc
	done   chan struct{} // closed after err
	err    error
	proven proven
}

// provable is a segment with what it refers to in the header.
type provable struct {
	stream  []byte
	file    int
	recipes []delta.Recipe
	keys    []cipher.Block
}

// newProof returns a proof, and a context for the maker that is done when the
// proof has failed.
func newProof(ctx context.Context, old, new []delta.Input) (*proof, context.Context) {
	p := &proof{new: new, at: -1, queue: make(chan provable, 1), done: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.m = &program.Machine{Old: &program.OldFiles{}, Next: p.nextInSegment}
	for _, in := range old {
		p.m.Old.Files = append(p.m.Old.Files, in.ReaderAt)
		p.m.Old.Names = append(p.m.Old.Names, in.Name)
	}
	return p, p.ctx
}

// begin starts executing, by what the header says of the files.
func (p *proof) begin(h *delta.Header) {
	p.m.H = &delta.Header{Files: delta.Files{Old: h.Old, New: h.New, Told: h.Told, Same: h.Same}}
	p.m.Old.Work = program.WorkFor(h)
	go func() {
		defer close(p.done)
		if p.err = process.RescueCall(func() error { return p.run(p.ctx) }); p.err != nil {
			p.cancel()
		}
	}()
}

// take queues a segment. It keeps a copy of the stream.
func (p *proof) take(s provable) error {
	s.stream = bytes.Clone(s.stream)
	select {
	case p.queue <- s:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// end waits until everything that was made is proved, or, when the maker failed,
// until the machine has stopped.
func (p *proof) end(watch *stored.Progress, made bool) error {
	if made {
		p.proven.show(watch, delta.SizeOf(p.m.H.New))
	} else {
		p.cancel()
	}
	close(p.queue)
	if p.m.H != nil {
		<-p.done
	}
	if !made && p.err != nil && errors.Is(p.err, p.ctx.Err()) {
		p.err = nil // the maker knows why
	}
	p.cancel()
	return p.err
}

func (p *proof) run(ctx context.Context) error {
	for s := range p.queue {
		p.m.H.Recipes, p.m.Old.Keys = s.recipes, s.keys
		for p.at < s.file {
			if err := p.next(ctx); err != nil {
				return err
			}
		}
		if err := p.m.Run(ctx, s.stream); err != nil {
			return fmt.Errorf("%s: %w", p.new[p.at].Name, err)
		}
	}
	for p.at < len(p.new) {
		if err := p.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// next completes the file at hand and begins the one after it.
func (p *proof) next(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p.at >= 0 {
		if err := p.out.check(p.m.H.New[p.at].Sum); err != nil {
			return fmt.Errorf("%s: %w", p.new[p.at].Name, err)
		}
	}
	if p.at++; p.at < len(p.new) {
		f := p.m.H.New[p.at]
		p.out = newCompared(p.new[p.at], f.Size, &p.proven)
		p.m.Begin(p.at, p.out, f.Size, 0, nil, p.m.Copies)
		return p.m.Unchanged(ctx)
	}
	return nil
}

func (p *proof) nextInSegment(ctx context.Context) error {
	for {
		if p.at+1 >= len(p.new) {
			return fmt.Errorf("%w: a segment of more files than there are", delta.ErrCorrupt)
		}
		if err := p.next(ctx); err != nil || p.m.H.IsMade(p.at) {
			return err
		}
	}
}

// proven counts bytes that are proved, and shows them once nothing else is.
type proven struct {
	mu sync.Mutex
	n  int64
	to *stored.Progress
}

func (p *proven) add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n += n
	p.to.Add(n)
}

func (p *proven) show(to *stored.Progress, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to
	to.Begin(delta.StepApplying, total)
	to.Add(p.n)
}

// isLike reports that what a header has of a file is so.
func isLike(have, want delta.File) bool {
	return have.Name == want.Name && have.Size == want.Size && have.Is(want.Sum)
}

// readBack reads a patch that was made, and compares its header with the one
// that it should have.
func readBack(ctx context.Context, file io.ReadSeeker, want *delta.Header, keys [][]byte) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h, err := delta.Verify(stored.WatchProgress(ctx, nil), file)
	if err != nil {
		return err
	}
	same := h.RootHash == want.RootHash && slices.EqualFunc(h.Old, want.Old, isLike) && slices.EqualFunc(h.New, want.New, isLike) &&
		h.OldSum == want.OldSum && h.NewSum == want.NewSum && slices.Equal(h.Recipes, want.Recipes) &&
		slices.Equal(h.Keys, want.Keys) && slices.Equal(h.Parts, want.Parts)
	if !same {
		return fmt.Errorf("%w: the header reads as another one", delta.ErrResult)
	}
	return h.CheckKeys(keys)
}

// compared is a file that is made once more, without being written: what should
// be written is compared with the file. Bytes that differ are kept until
// they are replaced, as digests are once the bytes below them are there. It is
// the output of a [program.Machine].
type compared struct {
	want    io.ReaderAt
	size    int64
	end     int64          // up to which there was output
	sum     *blake3.Hasher // of want up to there
	proven  *proven
	differs map[int64][]byte
	buf     []byte
}

const (
	comparedPage = 4 << 10
	maxDiffers   = 64 << 20 / comparedPage // pages; tables, in which digests are missing, are made 32 MiB at a time
)

func newCompared(want io.ReaderAt, size int64, p *proven) *compared {
	return &compared{want: want, size: size, sum: blake3.New(), proven: p, differs: map[int64][]byte{}}
}

// WriteAt implements io.WriterAt. What differs too much is ErrResult.
func (c *compared) WriteAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		k := min(len(p)-n, program.FlushSize)
		if err := c.compare(p[n:n+k], off+int64(n)); err != nil {
			return n, err
		}
		n += k
	}
	return n, nil
}

func (c *compared) compare(p []byte, off int64) error {
	if cap(c.buf) < len(p) {
		c.buf = make([]byte, program.FlushSize)
	}
	want := c.buf[:len(p)]
	if err := stored.ReadAt(c.want, want, off); err != nil {
		return err
	}
	if end := off + int64(len(p)); end > c.end {
		_, _ = c.sum.Write(want[max(0, c.end-off):])
		c.proven.add(end - c.end)
		c.end = end
	}
	if len(c.differs) == 0 && bytes.Equal(p, want) {
		return nil
	}
	for len(p) > 0 {
		k := min(int64(len(p)), comparedPage-off%comparedPage)
		if err := c.keep(p[:k], want[:k], off); err != nil {
			return err
		}
		p, want, off = p[k:], want[k:], off+k
	}
	return nil
}

// keep takes a part of a page.
func (c *compared) keep(p, want []byte, off int64) error {
	no := off / comparedPage
	page, kept := c.differs[no]
	if !kept && bytes.Equal(p, want) {
		return nil
	}
	right := make([]byte, min(comparedPage, c.size-no*comparedPage))
	if err := stored.ReadAt(c.want, right, no*comparedPage); err != nil {
		return err
	}
	if !kept {
		if len(c.differs) == maxDiffers {
			return fmt.Errorf("%w: at 0x%x and before", delta.ErrResult, off)
		}
		page = bytes.Clone(right)
		c.differs[no] = page
	}
	if copy(page[off%comparedPage:], p); bytes.Equal(page, right) {
		delete(c.differs, no)
	}
	return nil
}

// ReadAt reads the output.
func (c *compared) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.want.ReadAt(p, off)
	for at := off; at < off+int64(n) && len(c.differs) > 0; at += comparedPage - at%comparedPage {
		if page := c.differs[at/comparedPage]; page != nil {
			copy(p[at-off:n], page[at%comparedPage:])
		}
	}
	return n, err
}

// check reports that the output is complete, as it should be, and has a hash.
func (c *compared) check(sum delta.Sum) error {
	switch {
	case c.end != c.size:
		return fmt.Errorf("%w: %d bytes, %d wanted", delta.ErrResult, c.end, c.size)
	case len(c.differs) > 0:
		return fmt.Errorf("%w: in %d places", delta.ErrResult, len(c.differs))
	case delta.Sum(c.sum.Sum(nil)) != sum:
		return fmt.Errorf("%w: the new file was changed meanwhile", delta.ErrResult)
	}
	return nil
}
