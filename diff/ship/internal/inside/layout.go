package inside

import (
	"cmp"
	"context"
	"encoding/binary"
	"io/fs"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/stored"
)

// Extent is a stored block, or a run of stored bytes, of an entry.
type Extent struct {
	Off, Stored int64
	Coded       int64 // stored bytes without what pads them for encryption
	Size        int64 // decoded
	Method      compress.Method
	Key         int      // of those that were given: of what it is encrypted with; 0: nothing, or unknown
	Entry       int32    // of the build's entries; -1: what no entry explains
	Sum         [16]byte // of the stored bytes
	Plain       [16]byte // of the coded bytes, decrypted; of extents without a key it is sum
	Sound       bool     // it was decoded, or found out not to be
}

// Opaque makes an extent that does not decode one that is not compressed.
func (x *Extent) Opaque() { x.Method, x.Size = compress.None, x.Coded }

// End returns the offset after the stored bytes.
func (x *Extent) End() int64 { return x.Off + x.Stored }

// Entry is one entry of an archive. Its extents lie in one file.
type Entry struct {
	Name  string // of the archive and the entry
	File  int
	First int // of the file's extents
	Count int
	Whole bool // the file itself
}

// Layout is what is known of the inside of one file: extents in the order of
// their offsets, which do not overlap.
type Layout struct {
	Name string // relative to the build's folder
	codecs.Source
	Extents []Extent
	regions []region
	keys    *delta.KeyRing
}

// Build is a set of files and their entries.
type Build struct {
	Files   []Layout
	Entries []Entry
	Coder   delta.Coder
	keys    *delta.KeyRing
}

// NewBuild opens what the registry's formats recognise among the inputs. What
// they cannot read is a file without extents: nothing depends on them.
func NewBuild(ctx context.Context, inputs []delta.Input, registry *codecs.Registry, opt *codecs.Options, keys *delta.KeyRing) (*Build, error) {
	b := &Build{Files: make([]Layout, len(inputs)), keys: keys}
	for i, in := range inputs {
		b.Files[i] = Layout{Name: in.Name, Source: in.Source, keys: keys}
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
	for i := range b.Files {
		if len(b.Files[i].Extents) == 0 {
			b.addWhole(i)
		}
		b.Files[i].sortRegions()
		b.sortExtents(i)
	}
	return b, nil
}

// addWhole makes a file that no format explains an entry of its own.
func (b *Build) addWhole(i int) {
	l := &b.Files[i]
	if l.Size > 0 {
		l.Extents = []Extent{{Stored: l.Size, Coded: l.Size, Size: l.Size, Entry: int32(len(b.Entries))}}
		b.Entries = append(b.Entries, Entry{Name: l.Name, File: i, Whole: true})
	}
}

// add takes the blocks of e over, as far as they are within the file. What is
// encrypted stays so if key is 0.
func (b *Build) add(archive, file int, e *codecs.Entry, key int, unit bool) {
	l := &b.Files[file]
	blocks := e.Blocks
	if blocks == nil {
		blocks = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
		if key > 0 && e.Method == compress.None && e.Size < e.Stored {
			blocks[0].Stored = e.Size
		}
	}
	sealed := e.Flags&codecs.Encrypted != 0 && key > 0
	var own []Extent
	id := int32(len(b.Entries))
	b.Entries = append(b.Entries, Entry{Name: b.Files[archive].Name + "\x00" + e.Name, File: file})
	for _, k := range blocks {
		if k.Offset < 0 || k.Stored <= 0 || k.Size < 0 || k.Offset > l.Size || k.Stored > l.Size-k.Offset {
			continue
		}
		x := Extent{Off: k.Offset, Stored: k.Stored, Coded: k.Stored, Size: k.Size, Method: e.Method, Entry: id}
		if x.Method == compress.LZO1X && k.Stored != k.Size && !sealed {
			if parts := segments(l.Source, x); parts != nil {
				own = append(own, parts...)
				continue
			}
		}
		if !slices.Contains(delta.Methods[:], x.Method) || k.Stored == k.Size || e.Flags&(codecs.Encrypted|codecs.Sealed) != 0 && !sealed || k.Size > program.MaxBlock || k.Stored > program.MaxBlock {
			x.Method, x.Size = compress.None, k.Stored
		}
		own = append(own, x)
	}
	if sealed {
		own = b.unseal(l, own, key, unit)
	}
	l.Extents = append(l.Extents, own...)
}

// lzoSegment is how many bytes a segment of LZO1X decodes to at most, in Retro's
// archives.
const lzoSegment = 0x4000

// segments cuts a block of LZO1X that is a row of streams, each with its length
// before it in 16 bits. Anything else is nil.
func segments(src codecs.Source, x Extent) (parts []Extent) {
	left := x.Size
	for at := x.Off; left > 0; {
		var head [2]byte
		if x.End()-at < 2 || stored.ReadAt(src, head[:], at) != nil {
			return nil
		}
		p := Extent{Size: min(left, lzoSegment), Method: compress.LZO1X, Entry: x.Entry}
		n := int64(int16(binary.BigEndian.Uint16(head[:])))
		if n < 0 { // stored as it is
			n, p.Method = -n, compress.None
		}
		at += 2
		if n == 0 || n > x.End()-at || p.Method == compress.None && n != p.Size {
			return nil
		}
		p.Off, p.Stored, p.Coded = at, n, n
		parts = append(parts, p)
		at, left = at+n, left-p.Size
	}
	return parts
}

// sortExtents puts extents in order, drops what overlaps, and gives entries
// which are theirs. An entry keeps the first row of adjacent extents.
func (b *Build) sortExtents(i int) {
	l := &b.Files[i]
	slices.SortStableFunc(l.Extents, func(x, y Extent) int { return cmp.Compare(x.Off, y.Off) })
	end, kept := int64(0), l.Extents[:0]
	for _, x := range l.Extents {
		if x.Off >= end {
			kept = append(kept, x)
			end = x.End()
		}
	}
	l.Extents = kept
	for k := range kept {
		e := &b.Entries[kept[k].Entry]
		switch {
		case e.Count == 0:
			e.First, e.Count = k, 1
		case e.First+e.Count == k:
			e.Count++
		}
	}
}

// GapBefore returns the bytes between extent k and what is before it.
func (l *Layout) GapBefore(k int) (off, n int64) {
	if k > 0 {
		off = l.Extents[k-1].End()
	}
	if k == len(l.Extents) {
		return off, l.Size - off
	}
	return off, l.Extents[k].Off - off
}

// Sibling returns the file that is called like file i but for its extension, or
// -1.
func (b *Build) Sibling(i int, ext string) int {
	name := b.Files[i].Name
	name = strings.TrimSuffix(name, path.Ext(name)) + ext
	return slices.IndexFunc(b.Files, func(l Layout) bool { return strings.EqualFold(l.Name, name) })
}

// ExtentsOf returns the extents of an entry, in the order of their offsets.
func (b *Build) ExtentsOf(i int) []Extent {
	e := &b.Entries[i]
	return b.Files[e.File].Extents[e.First : e.First+e.Count]
}

// Identity is an entry's path and the hashes of its stored bytes, "" without any.
func (b *Build) Identity(i int) string {
	e := &b.Entries[i]
	if e.Count == 0 {
		return ""
	}
	id := []byte(e.Bare())
	if e.Whole {
		id = []byte(e.Name)
	}
	for _, x := range b.ExtentsOf(i) {
		id = append(id, x.Sum[:]...)
	}
	return string(id)
}

// SizeOf is how much content an entry has.
func (b *Build) SizeOf(e *Entry) (n int64) {
	for _, x := range b.Files[e.File].Extents[e.First : e.First+e.Count] {
		n += x.Size
	}
	return n
}

// Bare is the entry's own name, by which it is the same in another archive.
func (e *Entry) Bare() string {
	_, name, _ := strings.Cut(e.Name, "\x00")
	return strings.ToLower(name)
}

// region is a part of a file that is encrypted: whole AES blocks from its start
// on.
type region struct {
	off, n int64
	key    int
}

// StoredEntries calls use for every entry that the registry's formats find in
// the inputs and that has stored bytes: with the input that is its archive, and
// the one that holds those bytes, such as the .ucas of a .utoc. What no format
// reads, or cannot read further, is passed over. The error is ctx's.
func StoredEntries(ctx context.Context, inputs []delta.Input, registry *codecs.Registry, opt *codecs.Options, use func(archive, file int, e *codecs.Entry)) error {
	for i := range inputs {
		if err := ctx.Err(); err != nil {
			return err
		}
		storedEntries(ctx, inputs, i, registry, opt, func(codecs.Archive) {}, func(file int, e *codecs.Entry) { use(i, file, e) })
	}
	return ctx.Err()
}

func storedEntries(ctx context.Context, inputs []delta.Input, i int, registry *codecs.Registry, opt *codecs.Options, open func(codecs.Archive), use func(file int, e *codecs.Entry)) {
	f, err := registry.Detect(inputs[i].Source)
	if err != nil || f.Mounts().Loose {
		return
	}
	a, err := f.Open(ctx, inputs[i].Source, opt)
	if err != nil {
		return
	}
	defer func() { _ = a.Close() }()
	open(a)
	for e, err := range a.Entries() {
		if ctx.Err() != nil {
			return
		}
		if err != nil || e.Offset < 0 || e.Stored <= 0 || e.Flags&codecs.Deleted != 0 {
			continue
		}
		if file := fileOf(inputs, i, a, e); file >= 0 {
			use(file, e)
		}
	}
}

// fileOf returns which of the inputs has the stored bytes of e, or -1.
func fileOf(inputs []delta.Input, i int, a codecs.Archive, e *codecs.Entry) int {
	raw, err := a.OpenRaw(e)
	if err != nil {
		return -1
	}
	r, _, _ := raw.Outer()
	if src, ok := r.(codecs.Source); ok {
		r = src.ReaderAt
	}
	if r == inputs[i].ReaderAt {
		return i
	}
	named, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return -1
	}
	st, err := named.Stat()
	if err != nil {
		return -1
	}
	name := path.Join(path.Dir(inputs[i].Name), st.Name())
	return slices.IndexFunc(inputs, func(in delta.Input) bool { return in.Name == name })
}
