package quakepak

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/internal/latin1"
	"pakdb/internal/bin"
)

// archive keeps the directory as it is stored, and decodes an entry when asked.
type archive struct {
	src    codecs.Source
	at     int64 // offset of the directory
	table  []byte
	limits codecs.Limits
}

func failure(file, entry, field string, off int64, err error) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, File: file, Entry: entry, Field: field, Off: off, Err: err}
}

// readHeader returns where the directory is. A directory outside the file is
// codecs.ErrTruncated, another file codecs.ErrUnknown.
func readHeader(src codecs.Source) (at, size int64, err error) {
	head := make([]byte, min(src.Size, headerSize))
	if err := bin.Fill(src, head, 0); err != nil {
		return 0, 0, failure(src.Name, "", "header", 0, err)
	}
	if !bytes.HasPrefix(head, []byte(magic)) {
		return 0, 0, failure(src.Name, "", "magic", 0, codecs.Errorf(codecs.ErrUnknown, "%q", head[:min(len(head), len(magic))]))
	}
	r := bin.NewReader(head, 0, binary.LittleEndian)
	r.Skip(len(magic))
	at, size = int64(r.U32()), int64(r.U32())
	if err := r.Err(); err != nil {
		return 0, 0, failure(src.Name, "", "header", 0, err)
	}
	if bin.Range(at, size, src.Size) != nil {
		return 0, 0, failure(src.Name, "", "directory", 4,
			codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d, the file has %d", size, at, src.Size))
	}
	return at, size, nil
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a := &archive{src: src, limits: o.WithDefaults().Limits}
	at, size, err := readHeader(src)
	if err != nil {
		return nil, err
	}
	a.at = at
	if a.table, err = bin.Section(src, at, size, src.Size, a.limits.Table); err != nil {
		return nil, failure(src.Name, "", "directory", at, err)
	}
	switch {
	case daikatana(a.table):
		return nil, failure(src.Name, "", "directory", at, codecs.Errorf(errors.ErrUnsupported, "entries of 72 bytes, as in Daikatana"))
	case size%entrySize != 0:
		return nil, failure(src.Name, "", "directory", 8, codecs.Errorf(codecs.ErrCorrupt, "%d bytes, not a multiple of %d", size, entrySize))
	}
	return a, nil
}

// daikatana reports whether a directory has entries of 72 bytes, which end in a
// compressed size and a flag. A number of entries that 8 divides would else pass
// for a directory of Quake.
func daikatana(table []byte) bool {
	const size = entrySize + 8
	for e := range slices.Chunk(table, size) {
		if len(e) < size || e[0] == 0 || binary.LittleEndian.Uint32(e[size-4:]) > 1 {
			return false
		}
	}
	return len(table) > 0
}

func (a *archive) Info() codecs.Info {
	return codecs.Info{Format: formatName, Version: magic, EntryCount: a.count()}
}

func (a *archive) count() int { return len(a.table) / entrySize }

// offsetOf returns the offset of a directory entry in the file.
func (a *archive) offsetOf(i int) int64 { return a.at + int64(i)*entrySize }

// entry decodes entry i of the directory. The error says why it cannot be read.
func (a *archive) entry(i int) (*codecs.Entry, error) {
	r := bin.NewReader(a.table[i*entrySize:], a.offsetOf(i), binary.LittleEndian)
	name, _, _ := bytes.Cut(r.Bytes(nameSize), []byte{0})
	offset, size := int64(r.U32()), int64(r.U32())
	e := &codecs.Entry{Ordinal: i, Offset: offset, Stored: size, Size: size,
		Name: latin1.Decode(bytes.ReplaceAll(name, []byte(`\`), []byte("/")))}
	switch field := a.offsetOf(i) + nameSize; {
	case bin.Range(offset, size, a.src.Size) != nil:
		return e, failure(a.src.Name, e.Name, "offset", field, codecs.Errorf(codecs.ErrTruncated,
			"%d bytes at %d, the file has %d", size, offset, a.src.Size))
	case size > a.limits.Entry:
		return e, failure(a.src.Name, e.Name, "size", field+4, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", size, a.limits.Entry))
	}
	return e, nil
}

func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i := range a.count() {
			if !yield(a.entry(i)) {
				return
			}
		}
	}
}

func (a *archive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	if e.Ordinal < 0 || e.Ordinal >= a.count() {
		return nil, failure(a.src.Name, e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d of %d", e.Ordinal, a.count()))
	}
	own, err := a.entry(e.Ordinal)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(a.src, own.Offset, own.Stored), nil
}

func (a *archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	raw, err := a.OpenRaw(e)
	if err != nil {
		return nil, err
	}
	return codecs.NewStoredReader(ctx, raw, func(off int64, err error) error {
		return failure(a.src.Name, e.Name, "data", off, err)
	}), nil
}

func (a *archive) Close() error { return nil }

// Verify checks that names end in NUL and are padded with NUL, and that header,
// entries and directory fill the file without gaps and overlaps.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	finding := func(entry, field string, off int64, format string, args ...any) {
		report(failure(a.src.Name, entry, field, off, codecs.Errorf(codecs.ErrNonStrict, format, args...)))
	}
	parts := []codecs.Entry{{Size: headerSize}, {Offset: a.at, Size: int64(len(a.table))}, {Offset: a.src.Size}}
	for i := range a.count() {
		e, err := a.entry(i)
		if err == nil && e.Size > 0 {
			parts = append(parts, *e)
		}
		name := a.table[i*entrySize:][:nameSize]
		if used := bytes.IndexByte(name, 0); used < 0 || len(bytes.Trim(name[used:], "\x00")) > 0 {
			finding(e.Name, "name", a.offsetOf(i), "not padded with NUL")
		}
	}
	slices.SortStableFunc(parts, func(x, y codecs.Entry) int { return cmp.Compare(x.Offset, y.Offset) })
	end := int64(0) // of the parts so far
	for _, p := range parts {
		switch {
		case p.Offset < end:
			finding(p.Name, "offset", p.Offset, "overlaps what ends at %d", end)
		case p.Offset > end:
			finding("", "data", end, "%d bytes belong to nothing", p.Offset-end)
		}
		end = max(end, p.Offset+p.Size)
	}
	return ctx.Err()
}
