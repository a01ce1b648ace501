package retropak

import (
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
