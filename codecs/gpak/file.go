package gpak

import (
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
// limits or beyond what the stored bytes can decode to. An entry is in memory as a whole.
func (f *file) checkSize(e *codecs.Entry, m compress.Method) error {
	if most := min(f.limits.Entry, f.limits.Table); e.Size > most {
		return f.fail(e.Name, "size", -1, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, most))
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
