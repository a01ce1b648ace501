package gpak

import (
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

const (
	kapgVersion = 1
	headerSize  = 12
	// recordSize is what an entry takes without its name.
	recordSize = 28
	// usualRecord is a first guess at the size of an entry with its name: real
	// paths have 60 to 70 bytes.
	usualRecord = 100
)

// kapg keeps the raw table, about 100 bytes an entry, and makes each Entry from
// it when asked: a million entries cost what their table costs.
type kapg struct {
	file
	table []byte
	count int
	data  int64 // absolute offset of the first byte after the table
}

// record is an entry as the table has it. name aliases the table.
type record struct {
	pos  int64 // absolute offset of the record
	hash uint64
	name []byte
	mod  int32
	off  int32 // from the first byte after the table
	csz  int32
	usz  int32
}

// tail is the absolute offset of the fields behind the name.
func (r record) tail() int64 { return r.pos + 12 + int64(len(r.name)) }

// readRecord reads the next record; its Reader fails at the end of the table.
func readRecord(r *bin.Reader) record {
	rec := record{pos: r.Off()}
	head := r.Bytes(12)
	if head == nil {
		return rec
	}
	rec.hash = le.Uint64(head)
	rec.name = r.Bytes(int(int32(le.Uint32(head[8:]))))
	tail := r.Bytes(16)
	if tail == nil {
		return rec
	}
	rec.mod = int32(le.Uint32(tail))
	rec.off = int32(le.Uint32(tail[4:]))
	rec.csz = int32(le.Uint32(tail[8:]))
	rec.usz = int32(le.Uint32(tail[12:]))
	return rec
}

func openKAPG(ctx context.Context, f file) (codecs.Archive, error) {
	a := &kapg{file: f}
	if err := a.readHeader(); err != nil {
		return nil, err
	}
	if err := a.readTable(); err != nil {
		return nil, err
	}
	a.survey()
	return a, ctx.Err()
}

func (a *kapg) readHeader() error {
	head, err := bin.Section(a.src, 0, headerSize, a.src.Size, headerSize)
	if err != nil {
		return a.fail("", "header", 0, err)
	}
	if v := le.Uint32(head[4:]); v != kapgVersion {
		return a.fail("", "version", 4, codecs.Errorf(errors.ErrUnsupported, "KAPG version %d; 1 is known", v))
	}
	n, room := int64(int32(le.Uint32(head[8:]))), a.src.Size-headerSize
	switch {
	case n < 0:
		return a.fail("", "entry count", 8, codecs.Errorf(codecs.ErrCorrupt, "%d", n))
	case n > room/recordSize:
		return a.fail("", "entry count", 8, codecs.Errorf(codecs.ErrTruncated,
			"%d entries take at least %d bytes, %d remain", n, n*recordSize, room))
	}
	a.count = int(n)
	return nil
}

// readTable finds the end of the table, which nothing declares, by reading as
// much as tables usually take and more when that falls short.
func (a *kapg) readTable() error {
	most := min(a.src.Size-headerSize, a.limits.Table)
	var buf []byte
	for size := min(int64(a.count)*usualRecord, most); ; size = min(size*2, most) {
		had := len(buf)
		buf = append(slices.Grow(buf, int(size)-had), make([]byte, int(size)-had)...)
		if err := bin.Fill(a.src, buf[had:], headerSize+int64(had)); err != nil {
			return a.fail("", "entry table", headerSize, err)
		}
		end, err := a.tableEnd(buf, size < most)
		if err != nil {
			return err
		}
		if end >= 0 {
			a.table, a.data = buf[:end:end], headerSize+int64(end)
			return nil
		}
	}
}

// tableEnd returns the length of the table in buf, or -1 when buf ends before
// the table does and there is more to read.
func (a *kapg) tableEnd(buf []byte, more bool) (int, error) {
	r := bin.NewReader(buf, headerSize, le)
	for range a.count {
		pos := r.Off()
		r.Skip(8)
		n := r.I32()
		if r.Err() == nil && (n < 0 || int(n) > a.limits.Name) {
			return 0, a.fail("", "name length", pos+8, nameLengthError(n, a.limits.Name))
		}
		r.Skip(int(n) + 16)
		if err := r.Err(); err != nil {
			return a.tableShort(err, more)
		}
	}
	return r.Pos(), nil
}

func (a *kapg) tableShort(err error, more bool) (int, error) {
	if more {
		return -1, nil
	}
	if a.src.Size-headerSize > a.limits.Table {
		err = codecs.Errorf(codecs.ErrLimit, "%d entries take more than %d bytes", a.count, a.limits.Table)
	}
	return 0, a.fail("", "entry table", headerSize, err)
}

func nameLengthError(n int32, limit int) error {
	if n < 0 {
		return codecs.Errorf(codecs.ErrCorrupt, "%d", n)
	}
	return codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", n, limit)
}

// records yields the table in stored order.
func (a *kapg) records() iter.Seq2[int, record] {
	return func(yield func(int, record) bool) {
		r := bin.NewReader(a.table, headerSize, le)
		for i := range a.count {
			if !yield(i, readRecord(r)) {
				return
			}
		}
	}
}

// survey looks for what makes a table odd without making it unreadable.
func (a *kapg) survey() {
	inOrder, end := true, int64(0)
	for _, rec := range a.records() {
		if !utf8.Valid(rec.name) {
			path, _ := readable(rec.name)
			a.warn(path, "name", rec.pos+12, codecs.Errorf(codecs.ErrNonStrict, "not UTF-8, shown as Latin-1"))
		}
		if rec.csz > 0 {
			inOrder = inOrder && int64(rec.off) >= end
			end = int64(rec.off) + int64(rec.csz)
		}
	}
	if !inOrder {
		a.overlaps()
	}
}

// overlaps warns of entries that share stored bytes. Only tables whose data is
// not in table order come here.
func (a *kapg) overlaps() {
	type extent struct {
		off, end int64
		ordinal  int
	}
	all := make([]extent, 0, a.count)
	for i, rec := range a.records() {
		if rec.off >= 0 && rec.csz > 0 {
			all = append(all, extent{int64(rec.off), int64(rec.off) + int64(rec.csz), i})
		}
	}
	slices.SortFunc(all, func(x, y extent) int {
		if x.off != y.off {
			return int(min(max(x.off-y.off, -1), 1))
		}
		return x.ordinal - y.ordinal
	})
	shared := map[int]int{} // ordinal -> ordinal it overlaps
	for i := 1; i < len(all) && len(shared) < maxWarnings; i++ {
		if prev := all[i-1]; all[i].off < prev.end {
			shared[all[i].ordinal] = prev.ordinal
			all[i].end = max(all[i].end, prev.end)
		}
	}
	for i, rec := range a.records() {
		if with, ok := shared[i]; ok {
			path, _ := readable(rec.name)
			a.warn(path, "offset", rec.tail()+4, codecs.Errorf(codecs.ErrNonStrict, "shares stored bytes with entry %d", with))
		}
	}
}

// Info describes the pak.
func (a *kapg) Info() codecs.Info {
	return codecs.Info{Format: name, Version: "KAPG 1", EntryCount: a.count, Warnings: a.warnings}
}

// Entries makes each entry from the table.
func (a *kapg) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i, rec := range a.records() {
			if !yield(a.entry(i, rec)) {
				return
			}
		}
	}
}

// entry returns rec as an Entry. One with impossible numbers has none of them,
// and no place, so that opening it fails as well.
func (a *kapg) entry(i int, rec record) (*codecs.Entry, error) {
	path, _ := readable(rec.name)
	e := &codecs.Entry{Ordinal: i, Name: path, PathHash: codecs.ID64(rec.hash), Offset: -1,
		Method: compress.LZ4, Mod: modTime(int64(rec.mod))}
	if field, at, err := a.check(rec); err != nil {
		return e, a.fail(path, field, rec.tail()+at, err)
	}
	e.Offset, e.Stored, e.Size = a.data+int64(rec.off), int64(rec.csz), int64(rec.usz)
	return e, nil
}

// check returns the first impossible number of rec, its name and its place
// behind the name.
func (a *kapg) check(rec record) (field string, at int64, err error) {
	room := a.src.Size - a.data
	switch {
	case rec.off < 0:
		return "offset", 4, codecs.Errorf(codecs.ErrCorrupt, "%d", rec.off)
	case rec.csz < 0:
		return "compressed size", 8, codecs.Errorf(codecs.ErrCorrupt, "%d", rec.csz)
	case int64(rec.off) > room:
		return "offset", 4, codecs.Errorf(codecs.ErrTruncated, "%d, but there are %d bytes of data", rec.off, room)
	case int64(rec.csz) > room-int64(rec.off):
		return "compressed size", 8, codecs.Errorf(codecs.ErrTruncated, "%d, but %d bytes remain", rec.csz, room-int64(rec.off))
	}
	return "uncompressed size", 12, checkRatio(compress.LZ4, int64(rec.csz), int64(rec.usz))
}

// Open decodes the entry's block.
func (a *kapg) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := a.inData(e); err != nil {
		return nil, err
	}
	if err := a.checkSize(e, compress.LZ4); err != nil {
		return nil, err
	}
	stored := a.buffers.get(e.Stored)
	defer a.buffers.put(stored)
	if err := bin.Fill(a.src, *stored, e.Offset); err != nil {
		return nil, a.fail(e.Name, "data", e.Offset, err)
	}
	return a.decode(e, "data", *stored)
}

// OpenRaw returns the entry's LZ4 block.
func (a *kapg) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	if err := a.inData(e); err != nil {
		return nil, err
	}
	return io.NewSectionReader(a.src, e.Offset, e.Stored), nil
}

// inData refuses entries that lie elsewhere: those that Entries reported, and
// those of another archive.
func (a *kapg) inData(e *codecs.Entry) error {
	if e.Offset < a.data {
		return a.fail(e.Name, "offset", -1, codecs.Errorf(codecs.ErrCorrupt, "%d is not within the data", e.Offset))
	}
	if err := bin.Range(e.Offset, e.Stored, a.src.Size); err != nil {
		return a.fail(e.Name, "offset", -1, err)
	}
	return nil
}

// Close has nothing to release.
func (a *kapg) Close() error { return nil }
