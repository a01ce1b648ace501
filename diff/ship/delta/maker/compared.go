package maker

import (
	"bytes"
	"fmt"
	"io"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/internal/program"
	"pakdb/internal/stored"
)

// compared is a file that is made once more, without being written: what should
// be written is compared with what is there. Bytes that differ are kept until
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
