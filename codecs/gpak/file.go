package gpak

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// maxWarnings bounds Info.Warnings: a file with a million odd names is one
// finding, not a million.
const maxWarnings = 100

// file is what both readers share: the source and how to complain about it.
type file struct {
	src      codecs.Source
	limits   codecs.Limits
	warnings []*codecs.FormatError
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

// content decodes what load returns to exactly e.Size bytes. Size is checked
// against what LZ4 can reach before anything is allocated by it. A block must
// be whole to be decoded, so the context is asked between the steps.
func (f *file) content(ctx context.Context, e *codecs.Entry, m compress.Method, field string,
	load func() ([]byte, error)) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if e.Size > f.limits.Entry {
		return nil, f.fail(e.Name, "size", -1, codecs.Errorf(codecs.ErrLimit, "%d > %d bytes", e.Size, f.limits.Entry))
	}
	if err := checkRatio(m, e.Stored, e.Size); err != nil {
		return nil, f.fail(e.Name, "size", -1, err)
	}
	stored, err := load()
	if err != nil {
		return nil, err
	}
	if m == compress.None {
		return io.NopCloser(bytes.NewReader(stored)), nil
	}
	decoded := make([]byte, e.Size)
	if err := compress.Decode(m, decoded, stored); err != nil {
		return nil, f.fail(e.Name, field, e.Offset, err)
	}
	return io.NopCloser(bytes.NewReader(decoded)), ctx.Err()
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
		var s strings.Builder
		for _, c := range b {
			s.WriteRune(rune(c))
		}
		path = s.String()
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
