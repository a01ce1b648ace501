package gpak

import (
	"context"
	"errors"
	"io"
	"iter"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

const (
	kapgVersion = 1
	headerSize  = 12
	// recordSize is what an entry takes without its name.
	recordSize = 28
	// partSize is how much of a table is read at once: some 600 entries.
	partSize int64 = 64 << 10
	// marked is how many entries lie between those whose places are kept.
	marked = 1024
)

// kapg makes each Entry from the table in the file when asked. It keeps where every 1024th
// record is.
type kapg struct {
	file
	count int
	marks []int64
	data  int64 // absolute offset of the first byte after the table
}

func openKAPG(ctx context.Context, f file) (codecs.Archive, error) {
	a := &kapg{file: f}
	if err := a.readHeader(); err != nil {
		return nil, err
	}
	if err := a.readTable(); err != nil {
		return nil, err
	}
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

// Info describes the pak.
func (a *kapg) Info() codecs.Info {
	return codecs.Info{Format: name, Version: "KAPG 1", EntryCount: a.count, Warnings: a.warnings}
}

// Entries makes each entry from the table.
func (a *kapg) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for rec, err := range a.records() {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(a.entry(rec)) {
				return
			}
		}
	}
}

// At returns the entry of an ordinal, as Entries does.
func (a *kapg) At(ordinal int) (*codecs.Entry, error) {
	if ordinal < 0 || ordinal >= a.count {
		return nil, a.fail("", "ordinal", -1, codecs.Errorf(codecs.ErrCorrupt, "%d of %d entries", ordinal, a.count))
	}
	t := a.tableAt(a.marks[ordinal/marked])
	for i := ordinal / marked * marked; ; i++ {
		rec, err := t.next()
		if err != nil {
			return nil, err
		}
		if rec.ordinal = i; i == ordinal {
			return a.entry(rec)
		}
	}
}

// entry returns rec as an Entry. One with impossible numbers has none of them,
// and no place, so that opening it fails as well.
func (a *kapg) entry(rec record) (*codecs.Entry, error) {
	path, _ := readable(rec.name)
	e := &codecs.Entry{Ordinal: rec.ordinal, Name: path, PathHash: codecs.ID64(rec.hash), Offset: -1,
		Method: compress.LZ4, Mod: modTime(int64(rec.mod))}
	if field, at, err := a.check(rec); err != nil {
		return e, a.fail(path, field, rec.tail()+at, err)
	}
	e.Offset, e.Stored, e.Size = a.data+int64(rec.off), int64(rec.csz), int64(rec.usz)
	return e, nil
}

// check returns the first impossible number of rec, its name and its place
// after the name.
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
	stored := buffer(e.Stored)
	defer release(stored)
	if err := bin.Fill(a.src.ReaderAt, *stored, e.Offset); err != nil {
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
