package retropak

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"strconv"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// LZSS is the method of compressed entries of Metroid Prime Remastered, for
// which there is no decoder here.
const LZSS compress.Method = "retro-lzss"

// formArchive is a pak of Tropical Freeze or Metroid Prime Remastered. It lists
// entries, and opens those that are not compressed. Content is as stored: what
// META says about decompressing graphics is for those who decode them.
type formArchive struct {
	src        codecs.Source
	opts       codecs.Options
	order      binary.ByteOrder
	entries    list
	recordSize int
	strg       form
	named      list // of strg, where that is understood
	metaSize   int64
	warnings   []*codecs.FormatError
}

var (
	_ codecs.Archive = (*formArchive)(nil)
	_ codecs.Namer   = (*formArchive)(nil)
)

func (a *formArchive) Info() codecs.Info {
	version := "TF"
	if a.recordSize == recordMPR {
		version = "MPR"
	}
	return codecs.Info{Format: formatName, Version: version, EntryCount: a.entries.n, Warnings: a.warnings, Details: []codecs.Detail{
		{Name: "STRG bytes", Value: strconv.FormatInt(a.strg.size, 10)},
		{Name: "byte order", Value: a.order.String()},
		{Name: "META bytes", Value: strconv.FormatInt(a.metaSize, 10)},
	}}
}

// Entries yields the directory in stored order, which is that of the GUIDs.
func (a *formArchive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i := range a.entries.n {
			e, err := a.entry(i)
			if !yield(e, err) {
				return
			}
		}
	}
}

func (a *formArchive) entry(i int) (*codecs.Entry, error) {
	at := i * a.recordSize
	r := bin.NewReader(a.entries.bytes[at:at+a.recordSize], a.entries.at+int64(at), a.order)
	e := &codecs.Entry{Ordinal: i, Offset: -1}
	var fourCC [4]byte
	copy(fourCC[:], r.Bytes(4))
	e.ID = guid(r.Bytes(16))
	e.Name = entryName(fourCC, e.ID)
	e.Type = typeName(fourCC)
	if a.recordSize == recordMPR {
		r.Skip(8)
	}
	off := r.Off()
	offset, size := r.U64(), r.U64()
	stored := size
	if a.recordSize == recordMPR {
		stored = r.U64()
	}
	total := uint64(a.src.Size)
	if offset > total || stored > total-offset {
		return e, failure(a.src.Name, e.Name, "offset", off, codecs.Errorf(codecs.ErrTruncated,
			"0x%x + %d bytes, the file has %d", offset, stored, total))
	}
	if size > 1<<62 {
		return e, failure(a.src.Name, e.Name, "size", off+8, codecs.Errorf(codecs.ErrCorrupt, "%d", size))
	}
	e.Offset, e.Stored, e.Size = int64(offset), int64(stored), int64(size)
	if e.Size != e.Stored {
		e.Method = LZSS
	}
	return e, nil
}

func (a *formArchive) stored(e *codecs.Entry) (*codecs.Entry, error) {
	if e.Ordinal < 0 || e.Ordinal >= a.entries.n {
		return nil, failure(a.src.Name, e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d", e.Ordinal))
	}
	return a.entry(e.Ordinal)
}

func (a *formArchive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	e, err := a.stored(e)
	if err != nil {
		return nil, err
	}
	if e.Method != compress.None {
		return nil, failure(a.src.Name, e.Name, "compressed data", e.Offset, codecs.Errorf(errors.ErrUnsupported, "%s", e.Method))
	}
	if e.Size > a.opts.Limits.Entry {
		return nil, failure(a.src.Name, e.Name, "size", e.Offset, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, a.opts.Limits.Entry))
	}
	return newContent(ctx, a.src, e), nil
}

func (a *formArchive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	e, err := a.stored(e)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(a.src, e.Offset, e.Stored), nil
}

// Named yields the named resources of Metroid Prime Remastered.
func (a *formArchive) Named() iter.Seq2[codecs.NamedResource, error] {
	return func(yield func(codecs.NamedResource, error) bool) {
		if a.recordSize != recordMPR && a.strg.size > 0 {
			yield(codecs.NamedResource{}, failure(a.src.Name, "", "STRG", a.strg.at,
				codecs.Errorf(errors.ErrUnsupported, "names of Tropical Freeze")))
			return
		}
		r := bin.NewReader(a.named.bytes, a.named.at, a.order)
		for i := range a.named.n {
			res, err := a.readNamed(r)
			res.Ordinal = i
			if !yield(res, err) || err != nil {
				return
			}
		}
	}
}

// readNamed reads fourCC (in the order of numbers), GUID, length and name.
func (a *formArchive) readNamed(r *bin.Reader) (res codecs.NamedResource, err error) {
	var fourCC [4]byte
	copy(fourCC[:], r.Bytes(4))
	fourCC = a.swapped(fourCC)
	res.ID = guid(r.Bytes(16))
	res.Name = string(r.Bytes(r.Count(1)))
	res.Type = typeName(fourCC)
	if err := r.Err(); err != nil {
		return res, failure(a.src.Name, "", "STRG", a.named.at, err)
	}
	return res, nil
}

func (a *formArchive) Close() error { return nil }
