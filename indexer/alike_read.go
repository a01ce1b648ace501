package indexer

import (
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"iter"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/nested"
	"pakdb/internal/ordered"
)

// alikeBatch are entries that are read together, beside those of other batches.
type alikeBatch struct {
	files [2]*alikeFile // the second is nil where one side is enough
	items [2][]item     // entries of files
	pair  *alikePair
	both  [][2]int32 // of pair, as items; nil for entries of no pair

	equal  []bool   // of items: the stored bytes of both are the same
	hashes []uint64 // of the contents of items[0]; 0: it cannot be read
	cost   int64
}

// add takes the entries of both files in.
func (b *alikeBatch) add(old, new *codecs.Entry) {
	for i, e := range []*codecs.Entry{old, new} {
		if e != nil {
			b.items[i] = append(b.items[i], item{entry: e})
			b.cost += e.Stored
		}
	}
}

func (b *alikeBatch) full() bool { return len(b.items[0]) >= chunkItems || b.cost >= chunkCost }

// do has batches worked on beside each other, and collects them in order.
func (a *alike) do(ctx context.Context, batches iter.Seq[*alikeBatch], work func(context.Context, *alikeBatch), collect func(*alikeBatch)) error {
	all := func(yield func(*alikeBatch, error) bool) {
		for b := range batches {
			if !yield(b, ctx.Err()) {
				return
			}
		}
	}
	return ordered.Do(ctx, all, a.workers, 4*a.workers,
		func(ctx context.Context, b *alikeBatch) {
			for i, x := range b.files {
				if x != nil {
					defer x.windows.hold(b.items[i])()
				}
			}
			work(ctx, b)
		},
		func(b *alikeBatch) error { collect(b); return nil }, func(*alikeBatch) {})
}

// compare leaves out what lies on both sides as the same bytes.
func (a *alike) compare(ctx context.Context) error {
	for _, p := range a.pairs {
		a.progress.Files.Add(1)
		a.progress.Bytes.Add(p.old.size)
	}
	return a.do(ctx, a.bothOf(func(*alikePair, [2]int32) bool { return true }, true),
		func(ctx context.Context, b *alikeBatch) {
			b.equal = make([]bool, len(b.both))
			for i := range b.both {
				b.equal[i] = ctx.Err() == nil && sameStored(b.files[0], b.items[0][i].entry, b.files[1], b.items[1][i].entry)
			}
		},
		func(b *alikeBatch) {
			a.progress.Entries.Add(int64(len(b.both)))
			b.pair.old.count(a.progress, b.cost/2)
			for i, at := range b.both {
				if b.equal[i] {
					b.pair.leave(at, true)
				}
			}
		})
}

// bothOf yields what both sides have and want takes, with entries of the old side or of
// both.
func (a *alike) bothOf(want func(*alikePair, [2]int32) bool, withNew bool) iter.Seq[*alikeBatch] {
	return func(yield func(*alikeBatch) bool) {
		for _, p := range a.pairs {
			if !p.batches(want, withNew, yield) {
				return
			}
		}
	}
}

func (p *alikePair) batches(want func(*alikePair, [2]int32) bool, withNew bool, yield func(*alikeBatch) bool) bool {
	old := newAlikeCursor(p.old)
	defer old.stop()
	files := [2]*alikeFile{p.old, nil}
	var new *alikeCursor
	if withNew {
		files[1], new = p.new, newAlikeCursor(p.new)
		defer new.stop()
	}
	b := &alikeBatch{files: files, pair: p}
	for _, at := range p.both {
		if !want(p, at) {
			continue
		}
		x := old.at(at[0])
		var y *codecs.Entry
		if new != nil {
			y = new.at(at[1])
		}
		if x == nil || y == nil && new != nil {
			return true // the table ends before it did
		}
		b.add(x, y)
		b.both = append(b.both, at)
		if b.full() {
			if !yield(b) {
				return false
			}
			b = &alikeBatch{files: files, pair: p}
		}
	}
	return len(b.both) == 0 || yield(b)
}

// alikeCursor goes through the entries of an archive once more, in its order: to keep
// them all would take several times as much memory as what is remembered of them.
type alikeCursor struct {
	next func() (*codecs.Entry, error, bool)
	stop func()
	pos  int32 // of the next entry
}

func newAlikeCursor(x *alikeFile) *alikeCursor {
	c := &alikeCursor{}
	c.next, c.stop = iter.Pull2(x.archive.Entries())
	return c
}

// at returns the entry of an index, which must grow from call to call; nil if there is none.
func (c *alikeCursor) at(i int32) *codecs.Entry {
	for {
		e, err, ok := c.next()
		c.pos++
		switch {
		case !ok:
			return nil
		case c.pos > i:
			if err != nil {
				return nil
			}
			return e
		}
	}
}

// sameStored reports whether two entries have the same stored bytes.
func sameStored(x *alikeFile, old *codecs.Entry, y *alikeFile, new *codecs.Entry) bool {
	var err error
	same := false
	func() {
		defer guard(&err, x.src.Name)
		var a, b *io.SectionReader
		if a, err = x.archive.OpenRaw(old); err != nil {
			return
		}
		if b, err = y.archive.OpenRaw(new); err != nil {
			return
		}
		same = a.Size() == b.Size() && sameBytes(a, b)
	}()
	return same && err == nil
}

func sameBytes(a, b *io.SectionReader) bool {
	const piece = 256 << 10
	one, two := buffers.Get().(*[]byte), buffers.Get().(*[]byte)
	defer buffers.Put(one)
	defer buffers.Put(two)
	for off := int64(0); off < a.Size(); off += piece {
		n := int(min(piece, a.Size()-off))
		*one, *two = slices.Grow((*one)[:0], n)[:n], slices.Grow((*two)[:0], n)[:n]
		if !readAll(a, *one, off) || !readAll(b, *two, off) || !bytes.Equal(*one, *two) {
			return false
		}
	}
	return true
}

func readAll(r io.ReaderAt, p []byte, off int64) bool {
	n, err := r.ReadAt(p, off)
	return n == len(p) && (err == nil || err == io.EOF)
}

// keepHeld keeps what has the content of an entry that is kept. Hashes that are the same
// by chance keep more than is needed.
func (a *alike) keepHeld(ctx context.Context) error {
	sizes := map[int64]bool{} // of what is left out
	for _, p := range a.pairs {
		for _, at := range p.both {
			if e := &p.old.entries[at[0]]; p.old.left.has(int(e.ordinal)) {
				sizes[e.size] = true
			}
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	kept, keptSizes := map[uint64]bool{}, map[int64]bool{}
	exts := nested.Exts(a.registry)
	hidden := false // in an archive within the archive
	err := a.do(ctx, a.kept(func(e *codecs.Entry) bool {
		hidden = hidden || exts[strings.ToLower(path.Ext(e.Name))]
		return sizes[e.Size]
	}), a.hashContents, func(b *alikeBatch) {
		for i, it := range b.items[0] {
			if b.hashes[i] != 0 {
				kept[b.hashes[i]], keptSizes[it.entry.Size] = true, true
			}
		}
	})
	if err != nil {
		return err
	}
	suspect := func(p *alikePair, at [2]int32) bool {
		e := &p.old.entries[at[0]]
		return p.old.left.has(int(e.ordinal)) && (hidden || keptSizes[e.size])
	}
	return a.do(ctx, a.bothOf(suspect, false),
		func(ctx context.Context, b *alikeBatch) {
			if !hidden {
				a.hashContents(ctx, b)
			}
		},
		func(b *alikeBatch) {
			for i, at := range b.both {
				if hidden || b.hashes[i] == 0 || kept[b.hashes[i]] {
					b.pair.leave(at, false)
				}
			}
		})
}

// kept yields the entries of both sides that are not left out and that want takes.
func (a *alike) kept(want func(*codecs.Entry) bool) iter.Seq[*alikeBatch] {
	return func(yield func(*alikeBatch) bool) {
		for x := range a.files() {
			b := &alikeBatch{files: [2]*alikeFile{x}}
			for e := range x.archive.Entries() {
				if e == nil || x.left.has(e.Ordinal) || e.Flags&codecs.Deleted != 0 || !want(e) {
					continue
				}
				b.add(e, nil)
				if b.full() {
					if !yield(b) {
						return
					}
					b = &alikeBatch{files: [2]*alikeFile{x}}
				}
			}
			if len(b.items[0]) > 0 && !yield(b) {
				return
			}
		}
	}
}

// hashContents hashes the contents of a batch.
func (a *alike) hashContents(ctx context.Context, b *alikeBatch) {
	b.hashes = make([]uint64, len(b.items[0]))
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for i, it := range b.items[0] {
		if ctx.Err() == nil {
			b.hashes[i] = a.hashContent(ctx, b.files[0], it.entry, buf)
		}
	}
}

// hashContent returns 0 for what cannot be read.
func (a *alike) hashContent(ctx context.Context, x *alikeFile, e *codecs.Entry, buf *[]byte) (sum uint64) {
	var err error
	defer func() {
		if err != nil {
			sum = 0
		}
	}()
	defer guard(&err, x.src.Name)
	r, err := x.archive.Open(ctx, e)
	if err != nil {
		return 0
	}
	defer func() { _ = r.Close() }()
	if e.Size <= inMemory {
		var content []byte
		if content, err = readSmall(r, e.Size, buf); err == nil {
			sum = max(maphash.Bytes(a.seed, content), 1)
		}
		return sum
	}
	var h maphash.Hash
	h.SetSeed(a.seed)
	if _, err = io.Copy(&h, codecs.ContextReader(ctx, r)); err == nil {
		sum = max(h.Sum64(), 1)
	}
	return sum
}
