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
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
)

// MethodTables is that of a recipe whose content is blank tables (package table):
// what they say of entries follows from the file before them.
const MethodTables compress.Method = "tables"

// Group is stored blocks of one entry that follow each other: one content. All
// blocks but the last decode to the same size.
type Group struct {
	Name   uint64 // of the entry, hashed: what it is paired by with another build's
	Rest   bool   // no entry's: tables, heads of entries
	end    bool   // what is after all entries
	Off    int64
	Gap    int64           // bytes before it that are no group's
	Method compress.Method // None: stored bytes as they are; or methodTables
	Block  int64           // decoded bytes of a block
	Size   int64           // decoded bytes
	Stored []int64         // bytes of each block
}

// Length returns how many stored bytes the group has.
func (g *Group) Length() (n int64) {
	for _, k := range g.Stored {
		n += k
	}
	return n
}

const (
	maxBlock = 16 << 20
	smallGap = 4 << 10 // what lies between groups and is larger is a content of its own

	WholeName = "\x00file " // before the name of a file without entries
	// SkeletonName is the name of what lies between the contents of a file.
	SkeletonName = "\x00skeleton"
)

// Layouts opens the inputs that the registry recognises and returns the
// groups of each, in the order of their offsets. What lies between them, and
// what no format reads, is covered by groups that are not compressed, but for
// small gaps.
func Layouts(ctx context.Context, inputs []delta.Input, registry *codecs.Registry, opt *codecs.Options) ([][]Group, error) {
	found := make([][]Group, len(inputs))
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

// NameOf hashes the name of a content: its entry, and which of the contents
// of that it is. Names of what no entry explains begin with a zero byte.
func NameOf(entry string, n int) uint64 {
	return KeyOf(fmt.Appendf(nil, "%s\x00%d", strings.ToLower(entry), n)).Short()
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
func groups(e *codecs.Entry, fileSize int64) (list []Group) {
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
		list = append(list, Group{Name: NameOf(entryName(e), len(list)), Off: b.Offset, Method: m, Block: b.Size, Size: b.Size, Stored: []int64{b.Stored}})
	}
	return list
}

// takes adds a block that is after the group, if it is of the same kind.
func (g *Group) takes(m compress.Method, b codecs.Block) bool {
	switch {
	case m != g.Method:
		return false
	case m == compress.None:
		g.Block += b.Size
		g.Size += b.Size
		g.Stored[0] += b.Stored
		return true
	case g.Size%g.Block != 0 || b.Size > g.Block:
		return false
	}
	g.Size += b.Size
	g.Stored = append(g.Stored, b.Stored)
	return true
}

// cover drops what overlaps and fills what is left out. A file without entries
// is one content of the file's name.
func cover(list []Group, size int64, name string) (all []Group) {
	slices.SortStableFunc(list, func(a, b Group) int { return cmp.Compare(a.Off, b.Off) })
	end := int64(0)
	gaps := 0
	put := func(g Group) {
		g.Gap = g.Off - end
		all = append(all, g)
		end = g.Off + g.Length()
	}
	fill := func(to, most int64, what string) {
		if n := to - end; n > most || n > 0 && len(list) == 0 {
			put(Group{Name: NameOf(what, gaps), Rest: len(list) > 0, end: to == size, Off: end, Block: n, Size: n, Stored: []int64{n}})
			gaps++
		}
	}
	for _, g := range list {
		if g.Off < end {
			continue
		}
		fill(g.Off, smallGap+16*int64(len(g.Stored)), "\x00gap") // heads list blocks
		put(g)
	}
	if len(list) == 0 {
		fill(size, 0, WholeName+name)
	} else if gaps = 0; size > end {
		fill(size, smallGap, "\x00end")
	}
	return all
}

// AsStored returns the group as bytes that nothing decodes.
func (g *Group) AsStored() Group {
	n := g.Length()
	raw := *g
	raw.Method, raw.Block, raw.Size, raw.Stored = compress.None, n, n, []int64{n}
	return raw
}

// groupReader reads the content of a group, from the start.
type groupReader struct {
	src    io.ReaderAt
	g      *Group
	next   int   // block
	at     int64 // offset of the next block in the file
	stored []byte
	plain  []byte
	rest   []byte // of plain

	lenient bool // what cannot be decoded is as far as it can
	broken  int  // blocks that could not
}

func (g *Group) Open(src io.ReaderAt) io.Reader {
	if g.Method == compress.None {
		return io.NewSectionReader(src, g.Off, g.Size)
	}
	return &groupReader{src: src, g: g, at: g.Off}
}

func (r *groupReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == len(r.g.Stored) {
			return 0, io.EOF
		}
		var err error
		decode := r.g.Decode
		if r.lenient {
			decode = r.decode
		}
		if r.plain, r.stored, err = decode(r.src, r.next, r.at, r.plain, r.stored); err != nil {
			return 0, err
		}
		r.at += r.g.Stored[r.next]
		r.next++
		r.rest = r.plain
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// decode is DecodeRest, counting.
func (r *groupReader) decode(src io.ReaderAt, i int, off int64, plain, stored []byte) (_, _ []byte, err error) {
	var ok bool
	if plain, stored, ok, err = r.g.DecodeRest(src, i, off, plain, stored); !ok {
		r.broken++
	}
	return plain, stored, err
}

// OpenDamaged is Open for a group with blocks that cannot be decoded: of these there is
// what could be. broken returns how many have been read.
func (g *Group) OpenDamaged(src io.ReaderAt) (r io.Reader, broken func() int) {
	if g.Method == compress.None {
		return g.Open(src), func() int { return 0 }
	}
	lenient := &groupReader{src: src, g: g, at: g.Off, lenient: true}
	return lenient, func() int { return lenient.broken }
}

// DecodeRest is Decode of a block that may be damaged: what is before the damage is right,
// and what is after it is always the same.
func (g *Group) DecodeRest(src io.ReaderAt, i int, off int64, plain, stored []byte) (_, _ []byte, ok bool, err error) {
	size := min(g.Block, g.Size-int64(i)*g.Block)
	if plain, stored, err = g.Decode(src, i, off, sized(plain, size), stored); err == nil {
		return plain, stored, true, nil
	}
	stored, plain = sized(stored, g.Stored[i]), make([]byte, size)
	if n, err := src.ReadAt(stored, off); n < len(stored) {
		return nil, nil, false, errors.Join(err, io.ErrUnexpectedEOF)
	}
	_ = compress.Decode(g.Method, plain, stored)
	return plain, stored, false, nil
}

// Decode decodes block i, which is stored at off.
func (g *Group) Decode(src io.ReaderAt, i int, off int64, plain, stored []byte) (_, _ []byte, err error) {
	stored = sized(stored, g.Stored[i])
	plain = sized(plain, min(g.Block, g.Size-int64(i)*g.Block))
	if n, err := src.ReadAt(stored, off); n < len(stored) {
		return nil, nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	return plain, stored, compress.Decode(g.Method, plain, stored)
}

func sized(b []byte, n int64) []byte {
	if int64(cap(b)) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// Coded is the size of blocks where a recipe codes them.
func (g *Group) Coded() int64 {
	if g.Method == compress.None || g.Method == MethodTables {
		return 0
	}
	return g.Block
}
