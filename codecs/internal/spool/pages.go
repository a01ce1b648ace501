// A Region has parts of a file at hand without holding them: the index of an
// archive of a million entries is 50 to 100 MB, and most of it is looked at once.
//
// What was read last stays for what is asked for next to it, a mebibyte at most. A region
// of which more than thrice its size was read, because it is asked for in another order,
// is held after that. A file that changes gives other bytes than it had when it was checked, so a parser
// checks them again.

package spool

import (
	"io"
	"sync/atomic"

	"pakdb/internal/bin"
)

const (
	pageSize = 64 << 10
	slots    = 16 // pages that stay: neighbours have slots of their own
)

// Region is a part of a file, or of memory. It is safe for concurrent use.
type Region struct {
	r         io.ReaderAt
	off, size int64
	whole     atomic.Pointer[[]byte] // all of it; nil: it is read
	read      atomic.Int64           // bytes so far
	pages     [slots]atomic.Pointer[page]
	failed    atomic.Pointer[error]
}

// RegionAgain returns a region that was read from r. Where that can be done again [Region.Release]
// drops its bytes.
func RegionAgain(b []byte, can bool, r io.ReaderAt, off int64) *Region {
	g := RegionHeld(b)
	if can {
		g.r, g.off = r, off
	}
	return g
}

// RegionOf returns a region of a file, of which nothing is held.
func RegionOf(r io.ReaderAt, off, size int64) *Region {
	return &Region{r: r, off: off, size: size}
}

// Size returns how many bytes the region has.
func (g *Region) Size() int64 { return g.size }

// Release drops the bytes of a region that can be read again, and forgets what was read until now.
func (g *Region) Release() {
	if g.r != nil {
		g.whole.Store(nil)
		g.read.Store(0)
		for i := range g.pages {
			g.pages[i].Store(nil)
		}
	}
}

type page struct {
	number int64
	b      []byte
}

// RegionHeld returns bytes that are in memory.
func RegionHeld(b []byte) *Region {
	g := &Region{size: int64(len(b))}
	g.whole.Store(&b)
	return g
}

// At returns n bytes from pos on, and perhaps some that follow them. Nobody may write to
// them. Without an error there are as many.
func (g *Region) At(pos, n int64) ([]byte, error) {
	if err := bin.Range(pos, n, g.size); err != nil {
		return nil, err
	}
	if all := g.whole.Load(); all != nil {
		return (*all)[pos:], nil
	}
	number, in := pos/pageSize, pos%pageSize
	if in+n > pageSize {
		b := make([]byte, n)
		return b, g.fill(b, pos)
	}
	slot := &g.pages[number%slots]
	p := slot.Load()
	if p == nil || p.number != number {
		if g.read.Load() > 3*g.size+slots*pageSize {
			return g.hold(pos)
		}
		p = &page{number, make([]byte, min(pageSize, g.size-number*pageSize))}
		if err := g.fill(p.b, number*pageSize); err != nil {
			return nil, err
		}
		slot.Store(p)
	}
	return p.b[in:], nil
}

// hold reads all of the region.
func (g *Region) hold(pos int64) ([]byte, error) {
	all := make([]byte, g.size)
	if err := g.fill(all, 0); err != nil {
		return nil, err
	}
	g.whole.Store(&all)
	return all[pos:], nil
}

func (g *Region) fill(b []byte, pos int64) error {
	g.read.Add(int64(len(b)))
	err := bin.Fill(g.r, b, g.off+pos)
	if err != nil {
		g.failed.CompareAndSwap(nil, &err)
	}
	return err
}

// Err returns the first error of reading the file, for readers that could not return it.
func (g *Region) Err() error {
	if err := g.failed.Load(); err != nil {
		return *err
	}
	return nil
}
