package umod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// uzArchive is a file and its one entry. err says why the entry cannot be read,
// or only up to the block where the chain breaks.
type uzArchive struct {
	src   codecs.Source
	entry codecs.Entry
	old   bool // .uz
	err   error
}

func (a *uzArchive) fail(field string, off int64, err error) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: uzFormatName, File: a.src.Name, Field: field, Off: off, Err: err}
}

func uzOpen(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits := o.WithDefaults().Limits
	a := &uzArchive{src: src}
	if name, err := readOld(src); err == nil {
		a.old = true
		a.entry = codecs.Entry{Name: name, Stored: src.Size, Method: "uz"}
		a.err = a.fail("data", 0, codecs.Errorf(errors.ErrUnsupported, "no decoder for .uz"))
		return a, nil
	}
	blocks, err := walk(ctx, src, limits.Table)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	field := fmt.Sprintf("blocks[%d]", len(blocks))
	if len(blocks) == 0 {
		if err == nil {
			err = codecs.Errorf(codecs.ErrTruncated, "empty file")
		}
		return nil, a.fail(field, 0, err)
	}
	a.entry = codecs.Entry{Name: uzEntryName(src.Name), Stored: src.Size, Method: compress.Zlib, Blocks: blocks}
	for _, b := range blocks {
		a.entry.Size += b.Size
	}
	last := blocks[len(blocks)-1]
	if err != nil {
		a.err = a.fail(field, last.Offset+last.Stored, err)
	} else if a.entry.Size > limits.Entry {
		a.err = a.fail("size", 0, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", a.entry.Size, limits.Entry))
	}
	return a, nil
}

// uzEntryName is the file's name without its extension.
func uzEntryName(file string) string {
	name := strings.ToValidUTF8(strings.ReplaceAll(file, `\`, "/"), "\uFFFD")
	if cut := len(name) - len(".uz2"); cut > 0 && strings.EqualFold(name[cut:], ".uz2") {
		return name[:cut]
	}
	return name
}

func (a *uzArchive) Info() codecs.Info {
	version := "uz2"
	if a.old {
		version = "uz"
	}
	return codecs.Info{Format: uzFormatName, Version: version, EntryCount: 1}
}

func (a *uzArchive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		e := a.entry
		e.Blocks = append([]codecs.Block(nil), a.entry.Blocks...)
		err := a.err
		if a.old {
			err = nil // a healthy file, listed; only reading it is unsupported
		}
		yield(&e, err)
	}
}

// OpenRaw returns the whole file, headers of blocks included.
func (a *uzArchive) OpenRaw(*codecs.Entry) (*io.SectionReader, error) {
	return io.NewSectionReader(a.src, 0, a.src.Size), nil
}

func (a *uzArchive) Open(ctx context.Context, _ *codecs.Entry) (io.ReadCloser, error) {
	if a.err != nil {
		return nil, a.err
	}
	return &reader{ctx: ctx, a: a, buf: make([]byte, 0, maxBlock)}, nil
}

func (a *uzArchive) Close() error { return nil }

// reader decodes block by block. It keeps the context of Open, which its reads
// end with.
type reader struct {
	ctx    context.Context
	a      *uzArchive
	next   int    // block to decode
	buf    []byte // of the current block
	at     int    // read of it
	stored []byte
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.at == len(r.buf) {
		if r.next == len(r.a.entry.Blocks) {
			return 0, io.EOF
		}
		if err := r.decode(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf[r.at:])
	r.at += n
	return n, nil
}

// decode decodes the next block. Its size was checked when the chain was read.
func (r *reader) decode() error {
	b := r.a.entry.Blocks[r.next]
	if int64(cap(r.stored)) < b.Stored {
		r.stored = make([]byte, maxStored)
	}
	r.stored, r.buf, r.at = r.stored[:b.Stored], r.buf[:b.Size], 0
	err := bin.Fill(r.a.src, r.stored, b.Offset)
	if err == nil {
		err = compress.Decode(compress.Zlib, r.buf, r.stored)
	}
	if err != nil {
		r.buf = r.buf[:0]
		return r.a.fail(fmt.Sprintf("blocks[%d]", r.next), b.Offset, err)
	}
	r.next++
	return nil
}

func (r *reader) Close() error { return nil }
