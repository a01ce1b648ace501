package table

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"pakdb/internal/bin"
)

// pak is the tables of an Unreal pak: the index, from version 10 on in three
// parts one after the other, and the footer.
type pak struct {
	content  []byte
	at       int64 // of content in the old file
	version  pakVersion
	index    int // where it begins in content
	indexEnd int
	magic    int // where the footer's magic is
	footer   int // where the footer begins
	mount    []byte
	rows     []Row
	raw      []pakRow
	hashed   *pakHashes // from version 10 on
}

// pakRow is how the tables have a row.
type pakRow struct {
	name     []byte // as stored; up to version 9
	record   []byte // up to version 9
	hash     uint64
	location int32
	dir      string // folder and name
	base     string
	encoded  pakEncoded // location >= 0
}

const pakMagic = 0x5A6F12E1

func parsePak(content []byte, at int64) (*pak, error) {
	p := &pak{content: content, at: at}
	if err := p.parseFooter(); err != nil {
		return nil, err
	}
	r := bin.NewReader(content[p.index:p.indexEnd], 0, binary.LittleEndian)
	readText(r)
	p.mount = content[p.index : p.index+r.Pos()]
	var err error
	if p.version >= pakHashed {
		err = p.parseHashed(r)
	} else {
		err = p.parseRows(r)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parseFooter finds the magic, and by what is after it the version.
func (p *pak) parseFooter() error {
	tail := max(0, len(p.content)-512)
	k := bytes.LastIndex(p.content[tail:], binary.LittleEndian.AppendUint32(nil, pakMagic))
	if p.magic = tail + k; k < 0 || len(p.content)-p.magic < 44 {
		return fail("no footer")
	}
	le := binary.LittleEndian
	number := le.Uint32(p.content[p.magic+4:])
	rest := len(p.content) - p.magic - 44
	if number == 9 {
		rest--
	}
	if number < 1 || number > 12 || rest < 0 || rest%32 != 0 || number < 8 && rest > 0 {
		return fail("version %d with %d bytes after the index hash", number, rest)
	}
	p.version = pakVersion(number)
	if number > 8 || number == 8 && rest/32 > 4 {
		p.version++
	}
	p.footer = p.magic
	if p.version >= pakFlagIndex {
		p.footer--
	}
	if p.version >= pakKeyID {
		p.footer -= 16
	}
	if p.footer < 0 || p.version >= pakFlagIndex && p.content[p.magic-1] != 0 || p.version == pakFrozen && p.content[p.magic+44] != 0 {
		return fail("an index that is encrypted, or frozen")
	}
	return p.findIndex(int64(le.Uint64(p.content[p.magic+8:])), int64(le.Uint64(p.content[p.magic+16:])))
}

func (p *pak) findIndex(off, size int64) error {
	if off < p.at || off-p.at > int64(p.footer) || size < 0 || size > int64(p.footer)-(off-p.at) {
		return fail("an index of %d bytes at %d", size, off)
	}
	p.index = int(off - p.at)
	p.indexEnd = p.index + int(size)
	return nil
}

// Rows implements Tables.
func (p *pak) Rows() []Row { return p.rows }

// New implements Tables: the path, for the rest is before the entry.
func (p *pak) New(row int) string { return p.rows[row].Key }

// parseRows reads the index of versions 1 to 9: names and records.
func (p *pak) parseRows(r *bin.Reader) error {
	n := r.Count(4 + 48)
	p.rows, p.raw = make([]Row, 0, n), make([]pakRow, 0, n)
	buf := p.content[p.index:p.indexEnd]
	for range n {
		start := r.Pos()
		name := readText(r)
		end := r.Pos()
		rec, size, ok := parsePakRecord(buf[end:], p.version)
		if r.Err() != nil || !ok {
			return fail("row %d", len(p.rows))
		}
		r.Skip(size)
		row := Row{Key: name, Off: int64(binary.LittleEndian.Uint64(rec.raw)), Size: int64(size) + rec.stored()}
		if p.version < pakRelative && len(rec.blocks) > 0 {
			row.Head = size
		}
		if rec.flags&pakDeleted != 0 || row.Off < 0 {
			row = Row{Key: name, Off: -1}
		}
		p.rows = append(p.rows, row)
		p.raw = append(p.raw, pakRow{name: buf[start:end:end], record: rec.raw})
	}
	if r.Len() != 0 || p.indexEnd != p.footer {
		return fail("%d bytes after the index", r.Len()+p.footer-p.indexEnd)
	}
	return nil
}

// Predict implements Tables.
func (p *pak) Predict(items []Item, form Form, file io.ReaderAt, at int64) ([]byte, error) {
	out := slices.Clone(p.content[:p.index])
	var index [][]byte
	var err error
	if p.hashed != nil {
		index, err = p.predictHashed(items, form, file, at, at+int64(p.index))
	} else {
		index, err = p.predictRows(items, file, at)
	}
	if err != nil {
		return nil, err
	}
	for _, part := range index {
		out = append(out, part...)
	}
	footer := slices.Clone(p.content[p.footer:])
	putRegion(footer[p.magic-p.footer+8:], at+int64(p.index), index[0])
	return append(out, footer...), nil
}

// predictRows is the index of versions 1 to 9.
func (p *pak) predictRows(items []Item, file io.ReaderAt, end int64) ([][]byte, error) {
	b := binary.LittleEndian.AppendUint32(slices.Clone(p.mount), uint32(len(items)))
	read := recordReader{file: file, end: end, version: p.version}
	for _, it := range items {
		if it.Old >= 0 {
			b = append(b, p.raw[it.Old].name...)
		} else {
			b = appendText(b, it.New)
		}
		if it.Off < 0 {
			b = append(b, p.deletedRecord(it)...)
			continue
		}
		rec, err := read.at(it.Off)
		if err != nil {
			return nil, err
		}
		b = binary.LittleEndian.AppendUint64(b, uint64(it.Off))
		b = append(b, rec.raw[8:]...)
	}
	return [][]byte{b}, nil
}

// Move implements Tables: blocks count from the file's start in versions 3 and 4.
func (p *pak) Move(head []byte, by int64) {
	le := binary.LittleEndian
	for at := p.version.sumAt() + 20 + 4; at+8+5 <= len(head); at += 8 {
		le.PutUint64(head[at:], le.Uint64(head[at:])+uint64(by))
	}
}

// deletedRecord is that of an entry without a place.
func (p *pak) deletedRecord(it Item) []byte {
	if it.Old >= 0 && p.rows[it.Old].Off < 0 {
		return p.raw[it.Old].record
	}
	b := make([]byte, p.version.sumAt()+20)
	binary.LittleEndian.PutUint64(b, ^uint64(0))
	if p.version >= pakFlags {
		b = append(b, pakDeleted, 0, 0, 0, 0)
	}
	return b
}

// recordReader reads records before entries of a new file.
type recordReader struct {
	file    io.ReaderAt
	end     int64
	version pakVersion
	buf     []byte
	from    int64 // of buf in the file
	sum     int   // bytes of the records
}

// recordRun is how much is read at once: records lie apart, but entries may be
// small.
const recordRun = 4 << 10

// at reads the record at an offset. It is valid until the next call.
func (r *recordReader) at(off int64) (pakRecord, error) {
	want := r.version.sumAt() + 25
	for range 3 {
		if off < 0 || int64(want) > r.end-off {
			break
		}
		if off < r.from || off+int64(want) > r.from+int64(len(r.buf)) {
			n := min(r.end-off, max(int64(want), recordRun))
			r.buf = append(r.buf[:0], make([]byte, n)...)
			if k, err := r.file.ReadAt(r.buf, off); k < len(r.buf) {
				return pakRecord{}, err
			}
			r.from = off
		}
		rec, n, ok := parsePakRecord(r.buf[off-r.from:], r.version)
		if ok {
			if r.sum += len(rec.raw); r.sum > MaxSize {
				return rec, fail("records of %d bytes", r.sum)
			}
			return rec, nil
		}
		if n <= want {
			break
		}
		want = n
	}
	return pakRecord{}, fail("no record at %d", off)
}

// putRegion writes where a part of the index is, its size and its SHA-1.
func putRegion(b []byte, off int64, part []byte) {
	binary.LittleEndian.PutUint64(b, uint64(off))
	binary.LittleEndian.PutUint64(b[8:], uint64(len(part)))
	sum := sumOf(part)
	copy(b[16:36], sum[:])
}

// Join returns tables of several Unreal paks of one version: the rows of the first,
// then those of the others, as the first one's archive would have them. All else
// is the first one's.
func Join(list []Tables) (Tables, error) {
	first, ok := list[0].(*pak)
	if !ok {
		return nil, fail("tables that cannot be joined")
	}
	joined := first.clone()
	for _, t := range list[1:] {
		p, ok := t.(*pak)
		if !ok || p.version != joined.version {
			return nil, fail("tables of several versions")
		}
		joined.rows, joined.raw = append(joined.rows, p.rows...), append(joined.raw, p.raw...)
		h := joined.hashed
		if h == nil {
			continue
		}
		h.folder, h.pruned = append(h.folder, p.hashed.folder...), append(h.pruned, p.hashed.pruned...)
		if h.seed != p.hashed.seed {
			joined.hashAgain(len(joined.rows) - len(p.rows))
		}
	}
	return joined, nil
}

// Seed is what path hashes begin with, if tables have some.
func Seed(t Tables) (seed uint64, ok bool) {
	p, ok := t.(*pak)
	if !ok || p.hashed == nil {
		return 0, false
	}
	return p.hashed.seed, true
}

// WithSeed returns tables whose path hashes begin with another seed.
func WithSeed(t Tables, seed uint64) (Tables, error) {
	if _, ok := Seed(t); !ok {
		return nil, fail("tables without a seed")
	}
	p := t.(*pak).clone()
	p.hashed.seed = seed
	p.hashAgain(0)
	return p, nil
}

// clone is a copy whose rows and folders may be others.
func (p *pak) clone() *pak {
	c := *p
	c.rows, c.raw = slices.Clone(p.rows), slices.Clone(p.raw)
	if p.hashed != nil {
		h := *p.hashed
		h.folder, h.pruned = slices.Clone(h.folder), slices.Clone(h.pruned)
		c.hashed = &h
	}
	return &c
}

// hashAgain hashes the paths of rows, from one on.
func (p *pak) hashAgain(from int) {
	for i := from; i < len(p.rows); i++ {
		p.raw[i].hash = p.hashOf(p.rows[i].Key)
	}
}

// BlankAt is where blank tables are said to begin, when they are parsed: after
// whatever their rows may say.
const BlankAt = 1 << 40

// Blank returns tables of the same rows that say nothing of what follows from the
// entries: instead of a place they have refs, one for each row, and zeros instead
// of sizes and hashes. Parsed at BlankAt, they predict what these do, for other
// places. Only tables of Unreal paks can be blank.
func Blank(t Tables, refs []int64) ([]byte, error) {
	p, ok := t.(*pak)
	if !ok || len(refs) != len(p.rows) {
		return nil, fail("tables that cannot be blank")
	}
	items := make([]Item, len(refs))
	for i, ref := range refs {
		if items[i] = (Item{Old: i, Off: ref}); p.rows[i].Off < 0 {
			items[i].Off = -1
		} else if ref < 0 || ref >= BlankAt/2 {
			return nil, fail("row %d: place %d", i, ref)
		}
	}
	b, err := p.Predict(items, Kept, zeros{}, BlankAt)
	if err == nil && p.hashed != nil {
		p.markForm(b)
	}
	return b, err
}

// markForm gives the first encoded entry one block, in the form that the tables
// have those of one.
func (p *pak) markForm(b []byte) {
	const heads = 4 + 8 + 2*(4+36) // count, seed, two parts
	at := p.index + len(p.mount) + heads
	first := b[at+4:]
	le := binary.LittleEndian
	if le.Uint32(b[at:]) < 4 || p.hashed.form == blockExact {
		return
	}
	bits := le.Uint32(first)&^0x3f | 1<<6
	if p.hashed.form == blockLarge {
		bits |= 0x3e
	}
	le.PutUint32(first, bits)
}

// Ends returns where Unreal tables may end in b, which has up to some hundred
// bytes of something else after them: the largest first.
func Ends(b []byte) (ends []int) {
	tail := max(0, len(b)-512)
	magic := bytes.LastIndex(b[tail:], binary.LittleEndian.AppendUint32(nil, pakMagic))
	if magic < 0 {
		return nil
	}
	for _, n := range []int{44 + 1 + 5*32, 44 + 5*32, 44 + 4*32, 44} {
		if n <= len(b)-tail-magic {
			ends = append(ends, tail+magic+n)
		}
	}
	return ends
}

// zeros is a file of nothing but them: its records are those of empty entries.
type zeros struct{}

func (zeros) ReadAt(b []byte, _ int64) (int, error) {
	clear(b)
	return len(b), nil
}

var _ io.ReaderAt = zeros{}
