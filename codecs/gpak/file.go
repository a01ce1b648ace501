// Package gpak reads and writes the .sip paks of Marvel Heroes: SQLite
// databases up to client 1.28, and the custom archive "GPAK" from 1.29 on. One
// [Format] distinguishes the three kinds by their bytes.
//
// The custom kind, all integers little-endian:
//
//	0x00  "KAPG"     the multi-character constant 'GPAK' as it lies on disk
//	0x04  u32        version, 1
//	0x08  i32        number of entries
//	0x0C  entries    u64 path hash ([Hash])
//	                 i32 length of the name in bytes
//	                 ..  name, UTF-8
//	                 i32 modification time, Unix seconds
//	                 i32 offset from the first byte after the table
//	                 i32 compressed size
//	                 i32 uncompressed size
//	then  data       one LZ4 block per entry, no frame; never stored raw
//
// The SQLite kinds have a table data_tbl(i, n, b, l, s): path hash as a signed
// integer, path, content, decoded length, Unix seconds; and a table ver(v, s)
// of one row. In version 1.5 b is the content, in 1.6 one LZ4 block.
//
// Sources: the tools that read and repack the game's files (MHServerEmu,
// MHPakTool, MHSqlitePakRepacker, OpenCalligraphy); what they contradict is in
// FORMAT.md. No database is ever opened by path: SQLite sees the Source through
// a read-only file system of one file, so that nothing appears beside it.
package gpak

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/internal/latin1"
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

func newFile(src codecs.Source, o *codecs.Options) file {
	return file{src: src, limits: o.WithDefaults().Limits}
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
	buf := buffer(e.Size)
	if err := compress.Decode(compress.LZ4, *buf, stored); err != nil {
		release(buf)
		return nil, f.fail(e.Name, field, e.Offset, err)
	}
	c := &content{buf: buf}
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

// large is the size of a buffer above which it is not kept for the next entry.
const large = 4 << 20

// small is the least capacity of a buffer, which most blocks and contents fit in: one that
// the next is too large for is lost.
const small = 4 << 10

// buffers keeps blocks and contents for reuse: an archive of a hundred thousand
// entries would otherwise allocate all of its contents once. They are of all archives:
// a pool in one keeps them until the second collection after it.
var buffers sync.Pool // of *[]byte

// buffer returns one of n bytes, with whatever they were.
func buffer(n int64) *[]byte {
	if buf, ok := buffers.Get().(*[]byte); ok && int64(cap(*buf)) >= n {
		*buf = (*buf)[:n]
		return buf
	}
	buf := make([]byte, n, max(n, small))
	return &buf
}

// release gives a buffer back.
func release(buf *[]byte) {
	if cap(*buf) <= large {
		buffers.Put(buf)
	}
}

// content reads a decoded entry. Close gives the buffer back, so nothing can be
// read after it.
type content struct {
	bytes.Reader
	buf *[]byte
}

// Bytes implements [codecs.Whole].
func (c *content) Bytes() []byte { return *c.buf }

func (c *content) Close() error {
	if c.buf != nil {
		c.Reset(nil)
		release(c.buf)
		c.buf = nil
	}
	return nil
}

// Hash returns the path hash that names an entry in every kind of pak:
// CRC-32 and Adler-32 of the lower-cased path, joined, minus one. Hash("") is
// 0, the game's invalid reference.
//
// Only A to Z are lowered. The real names are ASCII without exception, and
// beyond ASCII the game's peers (.NET, Python, Go) disagree on letters such as
// U+0130, so that any promise there would be invented.
func Hash(path string) uint64 { return calligraphy.PathHash(path) }

// FileID returns the id of a file of the game's database: of a curve, type, blueprint or
// prototype. path is the entry's path, with or without "Calligraphy/".
func FileID(path string) uint64 { return calligraphy.ID(path) }

// ResourceID returns the prototype id of a resource file, whose path begins with "Resource/".
func ResourceID(path string) uint64 { return calligraphy.ResourceID(path) }
