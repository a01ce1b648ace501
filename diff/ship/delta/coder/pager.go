package coder

import (
	"fmt"

	"pakdb/internal/stored"
)

// pager reads an old content, a page at once for short runs.
type pager struct {
	from   Old
	size   int64
	page   []byte
	pageAt int64
}

// pageSize is how much of the old content is read at once for short runs.
const pageSize = 4 << 10

func (g *pager) open(old Old) {
	g.from, g.size = old, old.Size()
	g.page = g.page[:0]
}

// around fills in the bytes from a place on, as far as the old content has them.
func (g *pager) around(p []byte, at int64) error {
	if in := at - g.pageAt; in >= 0 && in <= int64(len(g.page)-len(p)) {
		copy(p, g.page[in:])
		return nil
	}
	for i := range p {
		if k := at + int64(i); uint64(k) < uint64(g.size) {
			if err := g.read(p[i:i+1], k); err != nil {
				return err
			}
		}
	}
	return nil
}

// read fills p, or fails with [ErrCorrupt] where the old content has not that much.
func (g *pager) read(p []byte, off int64) error {
	if off < 0 || int64(len(p)) > g.size || off > g.size-int64(len(p)) {
		return fmt.Errorf("%w: %d bytes at %d of %d of the old content", ErrCorrupt, len(p), off, g.size)
	}
	if in := off - g.pageAt; in >= 0 && in <= int64(len(g.page)-len(p)) {
		copy(p, g.page[in:])
		return nil
	}
	if len(p) > pageSize/4 {
		return stored.ReadAt(g.from, p, off)
	}
	if g.page == nil {
		g.page = make([]byte, 0, pageSize)
	}
	g.page, g.pageAt = g.page[:min(pageSize, g.size-off)], off
	if err := stored.ReadAt(g.from, g.page, off); err != nil {
		g.page = g.page[:0]
		return err
	}
	copy(p, g.page)
	return nil
}
