package gpak

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/latin1"
)

// maxWarnings bounds Info.Warnings: a file with a million odd names is one
// finding, not a million.
const maxWarnings = 100

// large is the size from which on an entry is read in pieces.
const large = 4 << 20

// file is what both readers share: the source and how to complain about it.
type file struct {
	src      codecs.Source
	limits   codecs.Limits
	buffers  *buffers
	warnings []*codecs.FormatError
}

func newFile(src codecs.Source, o *codecs.Options) file {
	return file{src: src, limits: o.WithDefaults().Limits, buffers: new(buffers)}
}

// fail classifies err and says where it struck. off is absolute, -1 for none.
func (f *file) fail(entry, field string, off int64, err error) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: name, File: f.src.Name, Entry: entry, Field: field, Off: off, Err: err}
}

func (f *file) warn(entry, field string, off int64, err error) {
	if len(f.warnings) < maxWarnings {
		f.warnings = append(f.warnings, f.fail(entry, field, off, err))
	}
}

// checkSize refuses, before anything is read or allocated by it, a size over the
// limit or beyond what the stored bytes can decode to.
func (f *file) checkSize(e *codecs.Entry, m compress.Method) error {
	if e.Size > f.limits.Entry {
		return f.fail(e.Name, "size", -1, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, f.limits.Entry))
	}
	if err := checkRatio(m, e.Stored, e.Size); err != nil {
		return f.fail(e.Name, "size", -1, err)
	}
	return nil
}

// decode returns the content of a block of LZ4, which is decoded as a whole.
func (f *file) decode(e *codecs.Entry, field string, stored []byte) (io.ReadCloser, error) {
	buf := f.buffers.get(e.Size)
	if err := compress.Decode(compress.LZ4, *buf, stored); err != nil {
		f.buffers.put(buf)
		return nil, f.fail(e.Name, field, e.Offset, err)
	}
	c := &content{buf: buf, owner: f.buffers}
	c.Reset(*buf)
	return c, nil
}

// stored returns the bytes of an entry that is read in pieces.
func (f *file) stored(ctx context.Context, e *codecs.Entry, field string, raw *io.SectionReader) io.ReadCloser {
	name, place := e.Name, e.Offset
	return codecs.NewStoredReader(ctx, raw, func(off int64, err error) error {
		if place < 0 {
			off = -1 // raw is no part of the file
		}
		return f.fail(name, field, off, err)
	})
}

// stream returns the content of a block of LZ4 that is decoded while it is read, so that
// an entry of any size takes the memory of a small one.
func (f *file) stream(ctx context.Context, e *codecs.Entry, field string, raw *io.SectionReader) io.ReadCloser {
	own := codecs.Entry{Name: e.Name, Offset: e.Offset}
	return &streamed{f, compress.NewLZ4Reader(f.stored(ctx, &own, field, raw), e.Size), own, field}
}

// streamed says which entry a damaged block is of.
type streamed struct {
	file  *file
	r     io.Reader
	entry codecs.Entry
	field string
}

func (s *streamed) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if errors.Is(err, compress.ErrCorrupt) {
		err = s.file.fail(s.entry.Name, s.field, s.entry.Offset, err)
	}
	return n, err
}

func (s *streamed) Close() error { return nil }

// checkRatio refuses a decoded size that no stored block of that length can
// have.
func checkRatio(m compress.Method, stored, size int64) error {
	switch {
	case size < 0 || stored < 0:
		return codecs.Errorf(codecs.ErrCorrupt, "negative: %d", min(size, stored))
	case m == compress.None && stored != size:
		return codecs.Errorf(codecs.ErrCorrupt, "%d stored bytes for %d decoded", stored, size)
	case m == compress.LZ4 && size > stored*compress.MaxRatio(m):
		return codecs.Errorf(codecs.ErrCorrupt, "%d > %d, the most that %d bytes of LZ4 can hold",
			size, stored*compress.MaxRatio(m), stored)
	}
	return nil
}

// readable returns b as a path. What is not UTF-8 is taken as Latin-1, so that
// different names stay different and can be looked at.
func readable(b []byte) (path string, valid bool) {
	if valid = utf8.Valid(b); valid {
		path = string(b)
	} else {
		path = latin1.Decode(b)
	}
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return path, valid
}

// modTime is the zero time for 0, which is what a writer stores for "none".
func modTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
