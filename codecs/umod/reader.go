package umod

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

type archive struct {
	src      codecs.Source
	trailer  trailer
	entries  []entry
	manifest manifest
	warnings []*codecs.FormatError
}

// entry is a line of the directory. err says why it cannot be read.
type entry struct {
	codecs.Entry
	err error
}

func (a *archive) fail(name, field string, off int64, err error) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, File: a.src.Name, Entry: name, Field: field, Off: off, Err: err}
}

func (a *archive) warn(field string, off int64, format string, args ...any) {
	a.warnings = append(a.warnings, a.fail("", field, off, codecs.Errorf(codecs.ErrNonStrict, format, args...)))
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits := o.WithDefaults().Limits
	a := &archive{src: src}
	t, err := readTrailer(src)
	if err != nil {
		return nil, a.fail("", "trailer", src.Size-trailerSize, err)
	}
	a.trailer = t
	if t.magic != magic {
		return nil, a.fail("", "magic", src.Size-trailerSize, codecs.Errorf(codecs.ErrUnknown, "0x%08x", t.magic))
	}
	if t.size != src.Size {
		a.warn("size", src.Size-12, "%d, but the file has %d", t.size, src.Size)
	}
	if t.version != version {
		a.warn("version", src.Size-8, "%d", t.version)
	}
	if err := a.readDirectory(limits); err != nil {
		return nil, err
	}
	if err := a.readManifest(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *archive) readDirectory(limits codecs.Limits) error {
	at, end := a.trailer.directory, a.src.Size-trailerSize
	if at > end {
		return a.fail("", "directory", a.src.Size-16, codecs.Errorf(codecs.ErrTruncated, "starts at %d of %d", at, end))
	}
	buf, err := bin.Section(a.src, at, end-at, a.src.Size, limits.Table)
	if err != nil {
		return a.fail("", "directory", at, err)
	}
	r := bin.NewReader(buf, at, binary.LittleEndian)
	n := r.CheckCount(int64(unreal.CompactIndex(r)), minEntry)
	for i := range n {
		e := a.readEntry(r, i, limits)
		if r.Err() != nil {
			break
		}
		a.entries = append(a.entries, e)
	}
	if err := r.Err(); err != nil {
		return a.fail("", "directory", at, corruptIndex(err))
	}
	if r.Len() > 0 {
		a.warn("directory", r.Off(), "%d bytes between directory and trailer", r.Len())
	}
	return nil
}

// corruptIndex gives the class to a compact index that overflows.
func corruptIndex(err error) error {
	if errors.Is(err, unreal.ErrIndex) {
		return fmt.Errorf("%w: %w", codecs.ErrCorrupt, err)
	}
	return err
}

func (a *archive) readEntry(r *bin.Reader, i int, limits codecs.Limits) (e entry) {
	off := r.Off()
	raw := r.Bytes(r.CheckCount(int64(unreal.CompactIndex(r)), 1))
	offset, size := int64(r.U32()), int64(r.U32())
	r.Skip(4) // flags, which follow from the name
	if r.Err() != nil {
		return e
	}
	e.Entry = codecs.Entry{Ordinal: i, Name: entryName(raw), Offset: offset, Stored: size, Size: size}
	switch {
	case len(raw) > limits.Name:
		e.err = a.fail(fmt.Sprint(i), "name", off, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", len(raw), limits.Name))
	case size > limits.Entry:
		e.err = a.fail(e.Name, "size", off, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", size, limits.Entry))
	case bin.Range(offset, size, a.trailer.directory) != nil:
		e.err = a.fail(e.Name, "offset", off, codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d, data ends at %d", size, offset, a.trailer.directory))
	}
	return e
}

// entryName decodes a stored name: Latin-1, without its NUL, with forward
// slashes.
func entryName(raw []byte) string {
	if n := len(raw); n > 0 && raw[n-1] == 0 {
		raw = raw[:n-1]
	}
	return strings.ReplaceAll(latin1.Decode(raw), `\`, "/")
}

func (a *archive) Info() codecs.Info {
	return codecs.Info{
		Format: formatName, Version: fmt.Sprint(a.trailer.version), EntryCount: len(a.entries),
		Details: a.manifest.details(), Warnings: a.warnings,
	}
}

func (a *archive) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i := range a.entries {
			e := a.entries[i].Entry
			if !yield(&e, a.entries[i].err) {
				return
			}
		}
	}
}

func (a *archive) OpenRaw(e *codecs.Entry) (*io.SectionReader, error) {
	if e.Ordinal < 0 || e.Ordinal >= len(a.entries) {
		return nil, a.fail(e.Name, "ordinal", -1, codecs.Errorf(codecs.ErrNotFound, "%d of %d", e.Ordinal, len(a.entries)))
	}
	own := &a.entries[e.Ordinal]
	if own.err != nil {
		return nil, own.err
	}
	return io.NewSectionReader(a.src, own.Offset, own.Stored), nil
}

func (a *archive) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	raw, err := a.OpenRaw(e)
	if err != nil {
		return nil, err
	}
	return a.stored(ctx, raw, e.Name), nil
}

func (a *archive) Close() error { return nil }

// stored reads a part of the file; name is that of the entry, or "".
func (a *archive) stored(ctx context.Context, raw *io.SectionReader, name string) io.ReadCloser {
	return codecs.NewStoredReader(ctx, raw, func(off int64, err error) error { return a.fail(name, "data", off, err) })
}
