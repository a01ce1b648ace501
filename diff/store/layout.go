package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
)

// group is stored blocks of one entry that follow each other: one content. All
// blocks but the last decode to the same size.
type group struct {
	name   uint64 // of the entry, hashed: what it is paired by with another build's
	rest   bool   // no entry's: tables, heads of entries
	end    bool   // what stands behind all entries
	off    int64
	gap    int64           // bytes before it that are no group's
	method compress.Method // None: stored bytes as they are; or methodTables
	block  int64           // decoded bytes of a block
	size   int64           // decoded bytes
	stored []int64         // bytes of each block
}

func (g *group) length() (n int64) {
	for _, k := range g.stored {
		n += k
	}
	return n
}

const (
	maxBlock = 16 << 20
	smallGap = 4 << 10 // what lies between groups and is larger is a content of its own

	wholeName    = "\x00file " // before the name of a file without entries
	skeletonName = "\x00skeleton"
)

// layouts opens what the registry recognises among the inputs and returns the
// groups of each, in the order of their offsets. What lies between them, and
// what no format reads, is covered by groups that are not compressed, but for
// small gaps.
func layouts(ctx context.Context, inputs []pkdelta.Input, registry *codecs.Registry, opt *codecs.Options) ([][]group, error) {
	found := make([][]group, len(inputs))
	err := inside.StoredEntries(ctx, inputs, registry, opt, func(_, file int, e *codecs.Entry) {
		found[file] = append(found[file], groups(e, inputs[file].Size)...)
	})
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = cover(found[i], inputs[i].Size, path.Base(inputs[i].Name))
	}
	return found, nil
}

// nameOf hashes what a content is called: its entry, and which of the contents
// of that it is. Names of what no entry explains begin with a zero byte.
func nameOf(entry string, n int) uint64 {
	return keyOf(fmt.Appendf(nil, "%s\x00%d", strings.ToLower(entry), n)).short()
}

// entryName is the entry's own name, by which it is the same in another archive.
func entryName(e *codecs.Entry) string {
	if e.Name != "" {
		return e.Name
	}
	return fmt.Sprintf("\x00id %v %v", e.ID, e.PathHash)
}

// groups cuts an entry where its blocks do not follow each other, or are of
// other sizes.
func groups(e *codecs.Entry, fileSize int64) (list []group) {
	blocks := e.Blocks
	if blocks == nil {
		blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
	}
	end := int64(0) // of the last group
	for _, b := range blocks {
		if b.Offset < 0 || b.Stored <= 0 || b.Size <= 0 || b.Offset > fileSize || b.Stored > fileSize-b.Offset {
			continue
		}
		m := e.Method
		if m != compress.Zlib && m != compress.LZ4 || b.Stored == b.Size || e.Flags&(codecs.Encrypted|codecs.Sealed) != 0 || b.Size > maxBlock {
			m, b.Size = compress.None, b.Stored
		}
		goesOn := b.Offset == end
		end = b.Offset + b.Stored
		if n := len(list); n > 0 && goesOn && list[n-1].takes(m, b) {
			continue
		}
		list = append(list, group{name: nameOf(entryName(e), len(list)), off: b.Offset, method: m, block: b.Size, size: b.Size, stored: []int64{b.Stored}})
	}
	return list
}

// takes adds a block that stands behind the group, if it is of the same kind.
func (g *group) takes(m compress.Method, b codecs.Block) bool {
	switch {
	case m != g.method:
		return false
	case m == compress.None:
		g.block += b.Size
		g.size += b.Size
		g.stored[0] += b.Stored
		return true
	case g.size%g.block != 0 || b.Size > g.block:
		return false
	}
	g.size += b.Size
	g.stored = append(g.stored, b.Stored)
	return true
}

// cover drops what overlaps and fills what is left out. A file without entries
// is one content of the file's name.
func cover(list []group, size int64, name string) (all []group) {
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(a.off, b.off) })
	end := int64(0)
	gaps := 0
	put := func(g group) {
		g.gap = g.off - end
		all = append(all, g)
		end = g.off + g.length()
	}
	fill := func(to, most int64, what string) {
		if n := to - end; n > most || n > 0 && len(list) == 0 {
			put(group{name: nameOf(what, gaps), rest: len(list) > 0, end: to == size, off: end, block: n, size: n, stored: []int64{n}})
			gaps++
		}
	}
	for _, g := range list {
		if g.off < end {
			continue
		}
		fill(g.off, smallGap+16*int64(len(g.stored)), "\x00gap") // heads list blocks
		put(g)
	}
	if len(list) == 0 {
		fill(size, 0, wholeName+name)
	} else if gaps = 0; size > end {
		fill(size, smallGap, "\x00end")
	}
	return all
}

// asStored returns the group as bytes that nothing decodes.
func (g *group) asStored() group {
	n := g.length()
	raw := *g
	raw.method, raw.block, raw.size, raw.stored = compress.None, n, n, []int64{n}
	return raw
}

// groupReader reads the content of a group, from the start.
type groupReader struct {
	src    io.ReaderAt
	g      *group
	next   int   // block
	at     int64 // offset of the next block in the file
	stored []byte
	plain  []byte
	rest   []byte // of plain
}

func (g *group) open(src io.ReaderAt) io.Reader {
	if g.method == compress.None {
		return io.NewSectionReader(src, g.off, g.size)
	}
	return &groupReader{src: src, g: g, at: g.off}
}

func (r *groupReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == len(r.g.stored) {
			return 0, io.EOF
		}
		var err error
		if r.plain, r.stored, err = r.g.decode(r.src, r.next, r.at, r.plain, r.stored); err != nil {
			return 0, err
		}
		r.at += r.g.stored[r.next]
		r.next++
		r.rest = r.plain
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// decode decodes block i, which is stored at off.
func (g *group) decode(src io.ReaderAt, i int, off int64, plain, stored []byte) (_, _ []byte, err error) {
	stored = sized(stored, g.stored[i])
	plain = sized(plain, min(g.block, g.size-int64(i)*g.block))
	if n, err := src.ReadAt(stored, off); n < len(stored) {
		return nil, nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return plain, stored, compress.Decode(g.method, plain, stored)
}

func sized(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}
