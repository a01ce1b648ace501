package patch

import (
	"cmp"
	"context"
	"encoding/binary"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/stored"
)

// extent is a stored block, or a run of stored bytes, of an entry.
type extent struct {
	off, stored int64
	coded       int64 // stored bytes without what pads them for encryption
	size        int64 // decoded
	method      compress.Method
	key         int      // of those that were given: of what it is encrypted with; 0: nothing, or unknown
	entry       int32    // of the build's entries; -1: what no entry explains
	sum         [16]byte // of the stored bytes
	plain       [16]byte // of the coded bytes, decrypted; of extents without a key it is sum
	sound       bool     // it was decoded, or found out not to be
}

// opaque makes an extent that does not decode one that is not compressed.
func (x *extent) opaque() { x.method, x.size = compress.None, x.coded }

// end returns the offset behind the stored bytes.
func (x *extent) end() int64 { return x.off + x.stored }

// entry is one entry of an archive. Its extents lie in one file.
type entry struct {
	name  string // of the archive and the entry
	file  int
	first int // of the file's extents
	count int
	whole bool // the file itself
}

// layout is what is known of the inside of one file: extents in the order of
// their offsets, which do not overlap.
type layout struct {
	Input
	extents []extent
	regions []region
	keys    *keyRing
}

// build is a set of files and their entries.
type build struct {
	files   []layout
	entries []entry
	coder   Coder
	keys    *keyRing
}

// newBuild opens what the registry's formats recognise among the inputs. What
// they cannot read is a file without extents: nothing depends on them.
func newBuild(ctx context.Context, inputs []Input, registry *codecs.Registry, opt *codecs.Options, keys *keyRing) (*build, error) {
	b := &build{files: make([]layout, len(inputs)), keys: keys}
	for i, in := range inputs {
		b.files[i].Input, b.files[i].keys = in, keys
	}
	for i := range inputs {
		key, unit := 0, false
		storedEntries(ctx, inputs, i, registry, opt, func(a codecs.Archive) { key, unit = b.seals(a, i) }, func(file int, e *codecs.Entry) {
			b.add(i, file, e, key, unit)
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range b.files {
		if len(b.files[i].extents) == 0 {
			b.addWhole(i)
		}
		b.files[i].sortRegions()
		b.sortExtents(i)
	}
	return b, nil
}

// addWhole makes a file that no format explains an entry of its own.
func (b *build) addWhole(i int) {
	l := &b.files[i]
	if l.Size > 0 {
		l.extents = []extent{{stored: l.Size, coded: l.Size, size: l.Size, entry: int32(len(b.entries))}}
		b.entries = append(b.entries, entry{name: l.Input.Name, file: i, whole: true})
	}
}

// add takes the blocks of e over, as far as they are within the file. What is
// encrypted stays so if key is 0.
func (b *build) add(archive, file int, e *codecs.Entry, key int, unit bool) {
	l := &b.files[file]
	blocks := e.Blocks
	if blocks == nil {
		blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
		if key > 0 && e.Method == compress.None && e.Size < e.Stored {
			blocks[0].Stored = e.Size
		}
	}
	sealed := e.Flags&codecs.Encrypted != 0 && key > 0
	var own []extent
	id := int32(len(b.entries))
	b.entries = append(b.entries, entry{name: b.files[archive].Input.Name + "\x00" + e.Name, file: file})
	for _, k := range blocks {
		if k.Offset < 0 || k.Stored <= 0 || k.Size < 0 || k.Offset > l.Size || k.Stored > l.Size-k.Offset {
			continue
		}
		x := extent{off: k.Offset, stored: k.Stored, coded: k.Stored, size: k.Size, method: e.Method, entry: id}
		if x.method == compress.LZO1X && k.Stored != k.Size && !sealed {
			if parts := segments(l.Source, x); parts != nil {
				own = append(own, parts...)
				continue
			}
		}
		if !slices.Contains(methods[:], x.method) || k.Stored == k.Size || e.Flags&(codecs.Encrypted|codecs.Sealed) != 0 && !sealed || k.Size > maxBlock || k.Stored > maxBlock {
			x.method, x.size = compress.None, k.Stored
		}
		own = append(own, x)
	}
	if sealed {
		own = b.unseal(l, own, key, unit)
	}
	l.extents = append(l.extents, own...)
}

// lzoSegment is how many bytes a segment of LZO1X decodes to at most, in Retro's
// archives.
const lzoSegment = 0x4000

// segments cuts a block of LZO1X that is a row of streams, each with its length
// before it in 16 bits. Anything else is nil.
func segments(src codecs.Source, x extent) (parts []extent) {
	left := x.size
	for at := x.off; left > 0; {
		var head [2]byte
		if x.end()-at < 2 || stored.ReadAt(src, head[:], at) != nil {
			return nil
		}
		p := extent{size: min(left, lzoSegment), method: compress.LZO1X, entry: x.entry}
		n := int64(int16(binary.BigEndian.Uint16(head[:])))
		if n < 0 { // stored as it is
			n, p.method = -n, compress.None
		}
		at += 2
		if n == 0 || n > x.end()-at || p.method == compress.None && n != p.size {
			return nil
		}
		p.off, p.stored, p.coded = at, n, n
		parts = append(parts, p)
		at, left = at+n, left-p.size
	}
	return parts
}

// sortExtents puts extents in order, drops what overlaps, and tells entries
// which are theirs. An entry keeps the first row of adjacent extents.
func (b *build) sortExtents(i int) {
	l := &b.files[i]
	slices.SortStableFunc(l.extents, func(x, y extent) int { return cmp.Compare(x.off, y.off) })
	end, kept := int64(0), l.extents[:0]
	for _, x := range l.extents {
		if x.off >= end {
			kept = append(kept, x)
			end = x.end()
		}
	}
	l.extents = kept
	for k := range kept {
		e := &b.entries[kept[k].entry]
		switch {
		case e.count == 0:
			e.first, e.count = k, 1
		case e.first+e.count == k:
			e.count++
		}
	}
}

// gapBefore returns the bytes between extent k and what stands before it.
func (l *layout) gapBefore(k int) (off, n int64) {
	if k > 0 {
		off = l.extents[k-1].end()
	}
	if k == len(l.extents) {
		return off, l.Size - off
	}
	return off, l.extents[k].off - off
}

// sibling returns the file that is called like file i but for its extension, or
// -1.
func (b *build) sibling(i int, ext string) int {
	name := b.files[i].Input.Name
	name = strings.TrimSuffix(name, path.Ext(name)) + ext
	return slices.IndexFunc(b.files, func(l layout) bool { return strings.EqualFold(l.Input.Name, name) })
}

// extentsOf returns the extents of an entry, in the order of their offsets.
func (b *build) extentsOf(i int) []extent {
	e := &b.entries[i]
	return b.files[e.file].extents[e.first : e.first+e.count]
}

// identity is an entry's path and the hashes of its stored bytes, "" without any.
func (b *build) identity(i int) string {
	e := &b.entries[i]
	if e.count == 0 {
		return ""
	}
	id := []byte(e.bare())
	if e.whole {
		id = []byte(e.name)
	}
	for _, x := range b.extentsOf(i) {
		id = append(id, x.sum[:]...)
	}
	return string(id)
}

// sizeOf is how much content an entry has.
func (b *build) sizeOf(e *entry) (n int64) {
	for _, x := range b.files[e.file].extents[e.first : e.first+e.count] {
		n += x.size
	}
	return n
}

// bare is the entry's own name, by which it is the same in another archive.
func (e *entry) bare() string {
	_, name, _ := strings.Cut(e.name, "\x00")
	return strings.ToLower(name)
}
