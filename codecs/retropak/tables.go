package retropak

import (
	"bytes"
	"encoding/binary"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// tables are a pak's tables as they are stored: lists are decoded as they are
// iterated, so that a table costs its own size in memory and no more.
type tables struct {
	layout
	named    list
	entries  list
	base     int64 // added to an entry's stored offset
	first    int64 // where the first entry belongs
	end      int64 // where the last one ends, if the tables are right
	header   header
	warnings []*codecs.FormatError
}

// list is n records, stored from offset at.
type list struct {
	n     int
	at    int64
	bytes []byte
}

// header is what only the layout with sections has.
type header struct {
	size     int64 // where the section table starts
	md5      [16]byte
	sections []section
}

type section struct {
	name     string
	at, size int64
}

// record is one line of the entry table.
type record struct {
	compressed uint32
	fourCC     [4]byte
	id         uint64
	size       int64
	offset     int64 // in the file
	at         int64 // of the record itself
}

// The words that a pak starts with.
const (
	magicPrime      = 0x00030005
	magicCorruption = 2
)

func readTables(magic uint32, src codecs.Source, lim codecs.Limits) (*tables, error) {
	switch magic {
	case magicPrime:
		return readPrime(src, lim)
	case magicCorruption:
		return readCorruption(src, lim)
	}
	return nil, codecs.ErrUnknown
}

// record returns line i of the entry table.
func (t *tables) record(i int) record {
	size := t.recordSize()
	var r bin.Reader
	r.Reset(t.entries.bytes[i*size:(i+1)*size], t.entries.at+int64(i*size), binary.BigEndian)
	rec := record{at: r.Off(), compressed: r.U32()}
	copy(rec.fourCC[:], r.Bytes(4))
	rec.id = t.readID(&r)
	rec.size = int64(r.U32())
	rec.offset = t.base + int64(r.U32())
	return rec
}

func (l layout) readID(r *bin.Reader) uint64 {
	if l.idBytes == 4 {
		return uint64(r.U32())
	}
	return r.U64()
}

// Offsets of a record's fields from its start.
func (t *tables) sizeField(r record) int64   { return r.at + 8 + int64(t.idBytes) }
func (t *tables) offsetField(r record) int64 { return r.at + 12 + int64(t.idBytes) }

// score counts the records that could be real ones, one more when the first of
// them is where the data starts, and one more when they end where the file does:
// the measure by which the width of ids and the base of offsets are decided.
// fits means that there are records and that nothing is wrong with them.
func (t *tables) score(size int64) (n int, fits bool) {
	start, last := int64(-1), int64(-1)
	for i := range t.entries.n {
		r := t.record(i)
		if printable(r.fourCC) && r.compressed <= 1 && r.size%t.align == 0 && r.offset%t.align == 0 &&
			r.offset >= t.first && bin.Range(r.offset, r.size, size) == nil {
			n++
		}
		if start < 0 || r.offset < start {
			start = r.offset
		}
		last = r.offset + r.size
	}
	if start == t.first {
		n++
	}
	if last == size {
		n++
	}
	return n, t.entries.n > 0 && n == t.entries.n+2
}

// headerSize is what every real pak declares; the field is followed all the
// same, within reason.
const (
	headerSize    = 0x40
	maxHeaderSize = 0x1000
	maxSections   = 16
)

// readCorruption reads the header and the sections that start with 2.
func readCorruption(src codecs.Source, lim codecs.Limits) (*tables, error) {
	t := &tables{layout: corruption}
	if err := t.readHeader(src); err != nil {
		return nil, err
	}
	entries, ok := t.section("RSHD")
	data, ok2 := t.section("DATA")
	if !ok || !ok2 {
		return nil, &atField{"sections", t.header.size, codecs.Errorf(codecs.ErrCorrupt, "no RSHD or no DATA among them")}
	}
	var err error
	if t.entries, err = readList(src, lim, entries, t.recordSize()); err != nil {
		return nil, err
	}
	if err := t.readSTRG(src, lim); err != nil {
		return nil, err
	}
	t.base, t.first, t.end = data.at, data.at, data.at+data.size
	if err := bin.Range(data.at, data.size, src.Size); err != nil {
		t.warnings = append(t.warnings, failure(src.Name, "", "DATA", data.at, err))
	}
	return t, nil
}

// readSTRG reads the named resources. Entries can be listed without them, so
// damage there is a warning.
func (t *tables) readSTRG(src codecs.Source, lim codecs.Limits) error {
	s, ok := t.section("STRG")
	if !ok {
		return nil
	}
	var err error
	if t.named, err = readList(src, lim, s, 13); err != nil && !damaged(err) {
		return err
	} else if err != nil {
		t.warnings = append(t.warnings, failure(src.Name, "", "STRG", s.at, err))
	}
	return nil
}

func (t *tables) readHeader(src codecs.Source) error {
	buf, err := bin.Section(src, 0, 0x18, src.Size, 0x18)
	if err != nil {
		return &atField{"header", -1, err}
	}
	r := bin.NewReader(buf, 0, binary.BigEndian)
	r.Skip(4)
	t.header.size = int64(r.U32())
	copy(t.header.md5[:], r.Bytes(16))
	if t.header.size < 0x18 || t.header.size > maxHeaderSize {
		return &atField{"header size", 4, codecs.Errorf(codecs.ErrCorrupt, "%d", t.header.size)}
	}
	return t.readSections(src)
}

// readSections reads the section table; sections follow it in its order.
func (t *tables) readSections(src codecs.Source) error {
	at := t.header.size
	count, err := bin.Section(src, at, 4, src.Size, 4)
	if err != nil {
		return &atField{"section count", -1, err}
	}
	n := int64(binary.BigEndian.Uint32(count))
	if n > maxSections {
		return &atField{"section count", at, codecs.Errorf(codecs.ErrCorrupt, "%d", n)}
	}
	buf, err := bin.Section(src, at+4, 8*n, src.Size, 8*maxSections)
	if err != nil {
		return &atField{"sections", -1, err}
	}
	r := bin.NewReader(buf, at+4, binary.BigEndian)
	next := t.alignUp(at + 4 + 8*n)
	for range n {
		s := section{name: string(r.Bytes(4)), at: next, size: int64(r.U32())}
		next += s.size
		t.header.sections = append(t.header.sections, s)
	}
	return nil
}

func (t *tables) section(name string) (section, bool) {
	for _, s := range t.header.sections {
		if s.name == name {
			return s, true
		}
	}
	return section{}, false
}

// readList reads a section that is a count and records of at least minRecord
// bytes. Its size includes padding, which stays in memory unread.
func readList(src codecs.Source, lim codecs.Limits, s section, minRecord int) (list, error) {
	buf, err := bin.Section(src, s.at, s.size, src.Size, lim.Table)
	if err != nil {
		return list{}, &atField{s.name, -1, err}
	}
	r := bin.NewReader(buf, s.at, binary.BigEndian)
	n := r.Count(minRecord)
	if err := r.Err(); err != nil {
		return list{}, &atField{s.name, -1, err}
	}
	return list{n: n, at: r.Off(), bytes: buf[r.Pos():]}, nil
}

// headSize is the size of the two words that a pak begins with.
const headSize = 8

// readPrime reads the tables that start with 0x00030005. Nothing in them says
// how wide ids are or, with 64 bits, what offsets are relative to: what makes
// the most records plausible is right.
func readPrime(src codecs.Source, lim codecs.Limits) (*tables, error) {
	narrow, err := readPrimeAs(src, lim, prime)
	best := 0
	if err == nil {
		n, fits := narrow.score(src.Size)
		if fits {
			return narrow, nil
		}
		best = n
	}
	wide, wideErr := readPrimeAs(src, lim, prototype)
	if wideErr != nil {
		return narrow, err
	}
	absolute, _ := wide.score(src.Size)
	wide.base = wide.first
	relative, _ := wide.score(src.Size)
	if absolute >= relative {
		wide.base = 0
	}
	if max(absolute, relative) > best {
		return wide, nil
	}
	return narrow, err
}

// readPrimeAs reads a growing part of the file until both lists are inside:
// nothing but the first list itself shows where the second one starts.
func readPrimeAs(src codecs.Source, lim codecs.Limits, l layout) (*tables, error) {
	for n := int64(4 << 10); ; n *= 8 {
		n = min(n, src.Size, lim.Table)
		buf, err := bin.Section(src, 0, n, src.Size, n)
		if err != nil {
			return nil, err
		}
		t, err := parsePrime(buf, l, lim.Name)
		switch {
		case err == nil:
			t.end = src.Size
			return t, nil
		case n == src.Size || !short(err):
			return nil, err
		case n == lim.Table:
			return nil, &bin.Error{Need: n + 1, Have: lim.Table, Err: bin.ErrLimit}
		}
	}
}

func parsePrime(buf []byte, l layout, maxName int) (*tables, error) {
	r := bin.NewReader(buf, 0, binary.BigEndian)
	r.Skip(8)
	t := &tables{layout: l}
	t.named.n = r.Count(8 + l.idBytes)
	t.named.at = r.Off()
	for range t.named.n {
		if _, err := l.readNamed(r, maxName); err != nil {
			return nil, &atField{"named resource", -1, err}
		}
	}
	t.named.bytes = bytes.Clone(buf[t.named.at:r.Pos()])
	t.entries.n = r.Count(l.recordSize())
	t.entries.at = r.Off()
	t.entries.bytes = bytes.Clone(r.Bytes(t.entries.n * l.recordSize()))
	t.first = l.alignUp(r.Off())
	if err := r.Err(); err != nil {
		return nil, &atField{"tables", -1, err}
	}
	return t, nil
}
