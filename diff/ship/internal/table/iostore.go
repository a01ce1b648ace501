package table

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"pakdb/internal/bin"
	"pakdb/internal/perfect"
)

// iostore is a .utoc of versions 1 to 8, neither encrypted nor signed, whose
// chunks lie in one .ucas. Rows are in the order of the data.
type iostore struct {
	content   []byte
	version   byte
	blockSize int64
	ids       []byte // in the order of the table, as are extents and metas
	extents   []byte
	seeds     []byte // and the chunks that no seed leads to
	blocks    []byte
	methods   []byte
	mount     []byte // nil: there is no directory index
	metas     []byte
	rest      []byte // after the metas
	rows      []Row
	chunks    []ioChunk
	at        []int32 // row by place in the table
}

// ioChunk is a row in the table.
type ioChunk struct {
	at     int // place in the table
	length int64
	first  int // of its blocks
	count  int
	path   string
}

const (
	ioHeader  = 144
	ioMagic   = "-==--==--==--==-"
	ioPerfect = 4 // version with a perfect hash
	ioLeft    = 5 // and chunks that it leaves out
	ioShort   = 8 // hashes of 20 bytes in metas of 24, before of 32 in 33
)

func parseIoStore(content []byte) (*iostore, error) {
	if len(content) < ioHeader || string(content[:16]) != ioMagic {
		return nil, fail("no TOC")
	}
	le := binary.LittleEndian
	u32 := func(at int) uint32 { return le.Uint32(content[at:]) }
	t := &iostore{content: content, version: content[16], blockSize: int64(u32(44))}
	const encrypted, signed = 2, 4
	if t.version < 1 || t.version > 8 || u32(20) != ioHeader || u32(32) != 12 || content[80]&(encrypted|signed) != 0 ||
		t.version >= 3 && u32(52) != 1 || t.blockSize == 0 {
		return nil, fail("a TOC of version %d", t.version)
	}
	n := int(u32(24))
	r := bin.NewReader(content, 0, le)
	r.Skip(ioHeader)
	array := func(count uint32, size int) []byte { return r.Bytes(size * r.CheckCount(int64(count), size)) }
	t.ids, t.extents = array(u32(24), 12), array(u32(24), 10)
	seeds, left := uint32(0), uint32(0)
	if t.version >= ioPerfect {
		seeds = u32(84)
	}
	if t.version >= ioLeft {
		left = u32(96)
	}
	from := r.Pos()
	array(seeds, 4)
	array(left, 4)
	if r.Err() != nil {
		return nil, fail("arrays")
	}
	t.seeds = content[from:r.Pos()]
	t.blocks = array(u32(28), 12)
	t.methods = array(u32(36), int(min(u32(40), 1<<16)))
	dir := array(u32(48), 1)
	meta := 33
	if t.version >= ioShort {
		meta = 24
	}
	t.metas = array(u32(24), meta)
	if r.Err() != nil || u32(36) > 0 && u32(40) == 0 {
		return nil, fail("arrays")
	}
	t.rest = content[r.Pos():]
	if err := t.parseChunks(n); err != nil {
		return nil, err
	}
	return t, t.parseDirectory(dir)
}

func be40(b []byte) int64 { return int64(b[0])<<32 | int64(binary.BigEndian.Uint32(b[1:])) }

func appendBE40(b []byte, v int64) []byte {
	return binary.BigEndian.AppendUint32(append(b, byte(v>>32)), uint32(v))
}

// ioBlock is a block: 40 bits of offset, 24 of stored size, 24 of size, 8 of
// method.
type ioBlock struct {
	off, stored int64
	size        uint32 // with the method above it
}

func (t *iostore) block(i int) ioBlock {
	b := t.blocks[12*i:]
	v := binary.LittleEndian.Uint64(b)
	return ioBlock{int64(v & (1<<40 - 1)), int64(v >> 40), binary.LittleEndian.Uint32(b[8:])}
}

func (b ioBlock) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(b.off)|uint64(b.stored)<<40)
	return binary.LittleEndian.AppendUint32(dst, b.size)
}

// onDisk is how far the next block is.
func (b ioBlock) onDisk() int64 { return (b.stored + 15) &^ 15 }

// parseChunks makes rows, which must have all blocks, one after the other.
func (t *iostore) parseChunks(n int) error {
	list := make([]ioChunk, n)
	first := make([]int64, n)
	for i := range list {
		first[i] = be40(t.extents[10*i:])
		list[i] = ioChunk{at: i, length: be40(t.extents[10*i+5:])}
	}
	slices.SortStableFunc(list, func(a, b ioChunk) int {
		return cmp.Or(cmp.Compare(first[a.at], first[b.at]), cmp.Compare(a.length, b.length))
	})
	t.chunks, t.rows, t.at = list, make([]Row, n), make([]int32, n)
	next, blocks := 0, len(t.blocks)/12
	for i := range list {
		c := &list[i]
		t.at[c.at] = int32(i)
		count := (c.length + t.blockSize - 1) / t.blockSize
		if first[c.at] != int64(next)*t.blockSize || count > int64(blocks-next) {
			return fail("chunk %d", c.at)
		}
		c.first, c.count = next, int(count)
		next += c.count
		row := Row{Key: string(t.ids[12*c.at : 12*c.at+12]), Off: -1}
		if c.count > 0 {
			row.Off = t.block(c.first).off
			last := t.block(next - 1)
			row.Size = last.off + last.onDisk() - row.Off
		}
		t.rows[i] = row
	}
	if next != blocks {
		return fail("%d of %d blocks", next, blocks)
	}
	return nil
}

// Rows implements Tables.
func (t *iostore) Rows() []Row { return t.rows }

// New implements Tables: id, length, of each block the stored size and the
// method, and the path. Numbers are unsigned LEB128.
func (t *iostore) New(row int) string {
	c := &t.chunks[row]
	b := append([]byte(nil), t.rows[row].Key...)
	b = binary.AppendUvarint(b, uint64(c.length))
	for k := range c.count {
		x := t.block(c.first + k)
		b = append(binary.AppendUvarint(b, uint64(x.stored)), byte(x.size>>24))
	}
	return string(append(b, c.path...))
}

// ioNew is a chunk of the new table.
type ioNew struct {
	id     []byte
	length int64
	meta   []byte
	path   string
	blocks []ioBlock
}

// Predict implements Tables.
func (t *iostore) Predict(items []Item, form Form, _ io.ReaderAt, _ int64) ([]byte, error) {
	list := make([]ioNew, len(items))
	for i, it := range items {
		if it.Old >= 0 {
			list[i] = t.kept(it)
		} else if err := t.fresh(&list[i], it); err != nil {
			return nil, err
		}
	}
	order, seeds, left := t.order(items, list, form)
	return t.write(list, order, seeds, left), nil
}

func (t *iostore) metaSize() int {
	if t.version < ioShort {
		return 33
	}
	return 24
}

func (t *iostore) kept(it Item) (c ioNew) {
	before := &t.chunks[it.Old]
	meta := t.metaSize()
	c = ioNew{t.ids[12*before.at : 12*before.at+12], before.length, t.metas[meta*before.at : meta*before.at+meta], before.path, nil}
	for k := range before.count {
		b := t.block(before.first + k)
		b.off = max(it.Off, 0) + b.off - t.rows[it.Old].Off
		c.blocks = append(c.blocks, b)
	}
	return c
}

// fresh takes apart what New returns.
func (t *iostore) fresh(c *ioNew, it Item) error {
	b := []byte(it.New)
	if len(b) < 12 {
		return fail("a chunk of %d bytes", len(b))
	}
	c.id, b = b[:12], b[12:]
	length, n := binary.Uvarint(b)
	count := (length + uint64(t.blockSize) - 1) / uint64(t.blockSize)
	if n <= 0 || length >= 1<<40 || count > uint64(len(b)-n)/2 {
		return fail("a chunk of %d blocks", count)
	}
	b, c.length = b[n:], int64(length)
	off, left := max(it.Off, 0), int64(length)
	for range count {
		stored, n := binary.Uvarint(b)
		if n <= 0 || stored >= 1<<24 || len(b) == n {
			return fail("a block of %d bytes", stored)
		}
		x := ioBlock{off, int64(stored), uint32(min(left, t.blockSize)) | uint32(b[n])<<24}
		c.blocks = append(c.blocks, x)
		b, off, left = b[n+1:], off+x.onDisk(), left-t.blockSize
	}
	c.path, c.meta = string(b), make([]byte, t.metaSize())
	return nil
}

// order is that of the table: by a perfect hash, where there is one; or as it
// was, what is new last, and with the old seeds.
func (t *iostore) order(items []Item, list []ioNew, form Form) (order []int, seeds, left []int32) {
	if form == Fresh && t.version >= ioPerfect && len(list) > 0 {
		ids := make([]perfect.ID, len(list))
		for i := range list {
			ids[i] = perfect.ID(list[i].id)
		}
		return perfect.Order(ids)
	}
	order = make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	if form == Kept {
		at := func(i int) int {
			if items[i].Old < 0 {
				return len(t.rows)
			}
			return t.chunks[items[i].Old].at
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	}
	return order, nil, nil
}

// write is the whole .utoc. Without seeds the old ones stay.
func (t *iostore) write(list []ioNew, order []int, seeds, left []int32) []byte {
	le := binary.LittleEndian
	b := slices.Clone(t.content[:ioHeader])
	for _, i := range order {
		b = append(b, list[i].id...)
	}
	first := make([]int64, len(list))
	blocks := 0
	for i := range list {
		first[i] = int64(blocks) * t.blockSize
		blocks += len(list[i].blocks)
	}
	for _, i := range order {
		b = appendBE40(appendBE40(b, first[i]), list[i].length)
	}
	if seeds == nil {
		b = append(b, t.seeds...)
	} else {
		le.PutUint32(b[84:], uint32(len(seeds)))
		if t.version >= ioLeft {
			le.PutUint32(b[96:], uint32(len(left)))
		}
	}
	for _, v := range slices.Concat(seeds, left) {
		b = le.AppendUint32(b, uint32(v))
	}
	for i := range list {
		for _, x := range list[i].blocks {
			b = x.append(b)
		}
	}
	b = append(b, t.methods...)
	dir := t.directory(list, order)
	b = append(b, dir...)
	for _, i := range order {
		b = append(b, list[i].meta...)
	}
	le.PutUint32(b[24:], uint32(len(list)))
	le.PutUint32(b[28:], uint32(blocks))
	le.PutUint32(b[48:], uint32(len(dir)))
	return append(b, t.rest...)
}

// Move implements Tables: entries do not say where they are.
func (*iostore) Move([]byte, int64) {}

const (
	ioNone     = 1<<32 - 1
	ioMaxDepth = 256
)

// parseDirectory gives chunks their paths: a mount point; folders of name, first
// child, next sibling, first file; files of name, next file, chunk; names.
func (t *iostore) parseDirectory(dir []byte) error {
	if len(dir) == 0 {
		return nil
	}
	r := bin.NewReader(dir, 0, binary.LittleEndian)
	readText(r)
	d := ioDirectory{t: t}
	t.mount = dir[:r.Pos()]
	d.dirs = ioRecords(r, 16)
	d.files = ioRecords(r, 12)
	d.names = make([]string, r.Count(4))
	for i := range d.names {
		d.names[i] = readText(r)
	}
	if r.Err() != nil || r.Len() != 0 || len(d.dirs) == 0 {
		return fail("a directory index")
	}
	d.budget = len(d.dirs)/16 + len(d.files)/12
	d.text = MaxSize
	if !d.walk(0, "", ioMaxDepth) {
		return fail("a directory index that leads astray")
	}
	return nil
}

func ioRecords(r *bin.Reader, size int) []byte { return r.Bytes(size * r.Count(size)) }

// ioDirectory is a directory index that is walked.
type ioDirectory struct {
	t           *iostore
	dirs, files []byte
	names       []string
	budget      int // folders and files that may still be visited: each once
	text        int // bytes of paths
}

func (d *ioDirectory) name(b []byte) (string, bool) {
	i := binary.LittleEndian.Uint32(b)
	if int64(i) >= int64(len(d.names)) {
		return "", false
	}
	return d.names[i], true
}

// walk visits a folder. false: the index is not one.
func (d *ioDirectory) walk(dir int, path string, depth int) bool {
	le := binary.LittleEndian
	if d.budget--; d.budget < 0 || depth == 0 {
		return false
	}
	b := d.dirs[16*dir:]
	for f := le.Uint32(b[12:]); f != ioNone; {
		d.budget--
		if d.budget < 0 || int64(f) >= int64(len(d.files)/12) {
			return false
		}
		x := d.files[12*f:]
		name, ok := d.name(x)
		chunk := le.Uint32(x[8:])
		if d.text -= len(path) + len(name); !ok || d.text < 0 || int64(chunk) >= int64(len(d.t.at)) {
			return false
		}
		d.t.chunks[d.t.at[chunk]].path = path + name
		f = le.Uint32(x[4:])
	}
	for k := le.Uint32(b[4:]); k != ioNone; {
		if int64(k) >= int64(len(d.dirs)/16) {
			return false
		}
		x := d.dirs[16*k:]
		name, ok := d.name(x)
		if d.text -= len(path) + len(name) + 1; !ok || d.text < 0 || !d.walk(int(k), path+name+"/", depth-1) {
			return false
		}
		k = le.Uint32(x[8:])
	}
	return true
}

// ioBuilder makes a directory index: names once, in the order of their first
// use, new folders and files before their siblings.
type ioBuilder struct {
	dirs    [][4]uint32
	files   [][3]uint32
	names   []string
	name    map[string]uint32
	folders map[string]uint32
}

// directory is the directory index of chunks in the order of the table.
func (t *iostore) directory(list []ioNew, order []int) []byte {
	if t.mount == nil {
		return nil
	}
	d := &ioBuilder{dirs: [][4]uint32{{ioNone, ioNone, ioNone, ioNone}}, name: map[string]uint32{}, folders: map[string]uint32{"": 0}}
	for at, i := range order {
		if list[i].path != "" {
			d.add(list[i].path, uint32(at))
		}
	}
	b := append([]byte(nil), t.mount...)
	le := binary.LittleEndian
	b = le.AppendUint32(b, uint32(len(d.dirs)))
	for _, x := range d.dirs {
		for _, v := range x {
			b = le.AppendUint32(b, v)
		}
	}
	b = le.AppendUint32(b, uint32(len(d.files)))
	for _, x := range d.files {
		for _, v := range x {
			b = le.AppendUint32(b, v)
		}
	}
	b = le.AppendUint32(b, uint32(len(d.names)))
	for _, s := range d.names {
		b = appendText(b, s)
	}
	return b
}

func (d *ioBuilder) intern(s string) uint32 {
	i, ok := d.name[s]
	if !ok {
		i = uint32(len(d.names))
		d.name[s] = i
		d.names = append(d.names, s)
	}
	return i
}

func (d *ioBuilder) add(path string, chunk uint32) {
	cut := strings.LastIndexByte(path, '/')
	dir := d.folder(path[:max(cut, 0)], ioMaxDepth)
	d.files = append(d.files, [3]uint32{d.intern(path[cut+1:]), d.dirs[dir][3], chunk})
	d.dirs[dir][3] = uint32(len(d.files) - 1)
}

// folder returns the number of a folder. Deeper than any real one, it is the
// root.
func (d *ioBuilder) folder(path string, depth int) uint32 {
	if i, ok := d.folders[path]; ok || depth == 0 {
		return i
	}
	cut := strings.LastIndexByte(path, '/')
	above := d.folder(path[:max(cut, 0)], depth-1)
	i := uint32(len(d.dirs))
	d.folders[path] = i
	d.dirs = append(d.dirs, [4]uint32{d.intern(path[cut+1:]), ioNone, d.dirs[above][1], ioNone})
	d.dirs[above][1] = i
	return i
}
