package retropak

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strconv"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// archive is a pak of Metroid Prime 1 to 3 or Donkey Kong Country Returns.
type archive struct {
	src  codecs.Source
	opts codecs.Options
	*tables
	variant variant
}

var (
	_ codecs.Archive = (*archive)(nil)
	_ codecs.Namer   = (*archive)(nil)
	_ codecs.Padder  = (*archive)(nil)
)

func (a *archive) Info() codecs.Info {
	d := []codecs.Detail{
		{Name: "named resources", Value: strconv.Itoa(a.named.n)},
		{Name: "alignment", Value: strconv.FormatInt(a.align, 10)},
		{Name: "compression", Value: a.variant.method.String()},
	}
	if a.cmpd {
		d = append(d, codecs.Detail{Name: "md5", Value: fmt.Sprintf("%x", a.header.md5)})
	} else if a.idBytes == 8 {
		d = append(d, codecs.Detail{Name: "offsets from", Value: fmt.Sprintf("0x%x", a.base)})
	}
	return codecs.Info{Format: formatName, Version: a.variant.name, EntryCount: a.tables.entries.n,
		Details: d, Warnings: a.warnings}
}

// Entries yields the table in stored order, which is also the order of the
// data. Decoded sizes are with the data, so a small read is made for each
// compressed entry.
func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		p := newPeeker(a)
		for i := range a.tables.entries.n {
			e, err := a.entry(i, p)
			if !yield(e, err) {
				return
			}
		}
	}
}

// entry returns entry i. With an error, the entry holds what the table says.
func (a *archive) entry(i int, p *peeker) (*codecs.Entry, error) {
	rec := a.record(i)
	id := a.id(rec.id)
	e := &codecs.Entry{Ordinal: i, Name: entryName(rec.fourCC, id), Type: typeName(rec.fourCC), ID: id,
		Offset: rec.offset, Stored: rec.size}
	switch {
	case !printable(rec.fourCC):
		return e, a.fail(e.Name, "type", rec.at+4, codecs.Errorf(codecs.ErrCorrupt, "% x", rec.fourCC))
	case rec.compressed > 1:
		return e, a.fail(e.Name, "compressed", rec.at, codecs.Errorf(codecs.ErrCorrupt, "%d, not 0 or 1", rec.compressed))
	}
	if err := bin.Range(rec.offset, rec.size, a.src.Size); err != nil {
		return e, a.fail(e.Name, "offset", a.offsetField(rec), codecs.Errorf(codecs.ErrTruncated,
			"0x%x + %d bytes, the file has %d", rec.offset, rec.size, a.src.Size))
	}
	if rec.compressed == 0 {
		e.Size = rec.size
		return e, nil
	}
	if err := describe(a, e, p); err != nil {
		return e, a.fail(e.Name, "compressed data", rec.offset, err)
	}
	return e, nil
}

// compressionOf looks for the first compressed entry that states its method. It
// gives up after some: a pak of stored blocks alone is as good as one without
// compression.
func compressionOf(a *archive) compress.Method {
	p := newPeeker(a)
	for i, left := 0, 256; i < a.tables.entries.n && left > 0; i++ {
		if a.record(i).compressed != 1 {
			continue
		}
		left--
		if e, err := a.entry(i, p); err == nil && e.Method != compress.None {
			return e.Method
		}
	}
	return compress.None
}

// stored returns the entry that e names by its ordinal, as the pak has it.
func (a *archive) stored(e *codecs.Entry) (*codecs.Entry, error) {
	if e.Ordinal < 0 || e.Ordinal >= a.tables.entries.n {
		return nil, a.fail(e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d", e.Ordinal))
	}
	return a.entry(e.Ordinal, newPeeker(a))
}

func (a *archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	e, err := a.stored(e)
	if err != nil {
		return nil, err
	}
	if e.Size > a.opts.Limits.Entry {
		return nil, a.fail(e.Name, "size", e.Offset, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, a.opts.Limits.Entry))
	}
	return a.content(ctx, e), nil
}

func (a *archive) content(ctx context.Context, e *codecs.Entry) *content {
	c := newContent(ctx, a.src, e)
	c.exact = a.cmpd
	return c
}

func (a *archive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	if e.Ordinal < 0 || e.Ordinal >= a.tables.entries.n {
		return nil, a.fail(e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d", e.Ordinal))
	}
	rec := a.record(e.Ordinal)
	if err := bin.Range(rec.offset, rec.size, a.src.Size); err != nil {
		return nil, a.fail(e.Name, "offset", a.offsetField(rec), err)
	}
	return io.NewSectionReader(a.src, rec.offset, rec.size), nil
}

// Padding returns the pak's alignment and 0xFF.
func (a *archive) Padding(*codecs.Entry) (int64, byte) { return a.align, fill }

func (a *archive) Close() error { return nil }

func (a *archive) fail(entry, field string, off int64, err error) *codecs.FormatError {
	return failure(a.src.Name, entry, field, off, err)
}

// fill is what entries are filled up with.
const fill = 0xff
