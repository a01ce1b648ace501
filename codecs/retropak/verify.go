package retropak

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// Verify reports departures from the form of the games' own paks, all of them
// [codecs.ErrNonStrict]: readers, the games' included, take such paks. It reads
// the whole file, and copies of an entry twice.
//
// The MD5 is one of these: editors leave it zero, which is not reported, and
// the games do not check it.
func (a *archive) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	v := verifier{a: a, ctx: ctx, report: report, of: map[uint64][]int{}}
	for _, check := range []func() error{v.header, v.order, v.resources, v.ends, v.copies, v.md5} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

type verifier struct {
	a      *archive
	ctx    context.Context
	report func(*codecs.FormatError)
	of     map[uint64][]int // ordinals of the copies of an id
}

// odd reports a departure.
func (v *verifier) odd(entry, field string, off int64, format string, args ...any) {
	v.report(v.a.fail(entry, field, off, codecs.Errorf(codecs.ErrNonStrict, format, args...)))
}

// header checks what is before and between the tables.
func (v *verifier) header() error {
	t := v.a.tables
	if !v.a.cmpd {
		return v.filled("", "tables", t.entries.at+int64(len(t.entries.bytes)), t.first, 0)
	}
	if t.header.size != headerSize {
		v.odd("", "header size", 4, "%d, not %d", t.header.size, headerSize)
	}
	v.sections()
	toc := t.header.size + 4 + 8*int64(len(t.header.sections))
	records := t.entries.at + int64(t.entries.n*t.recordSize())
	return errors.Join(
		v.filled("", "header", 0x18, t.header.size, 0),
		v.filled("", "sections", toc, v.a.alignUp(toc), 0),
		v.filled("", "RSHD", records, v.a.alignUp(records), 0),
	)
}

func (v *verifier) sections() {
	h := v.a.tables.header
	if len(h.sections) != 3 || h.sections[0].name != "STRG" || h.sections[1].name != "RSHD" || h.sections[2].name != "DATA" {
		v.odd("", "sections", h.size, "not STRG, RSHD, DATA")
	}
	for i, s := range h.sections {
		if s.size%v.a.align != 0 {
			v.odd("", s.name, h.size+8+8*int64(i), "%d bytes, not a multiple of %d", s.size, v.a.align)
		}
	}
	if end := v.a.tables.end; end < v.a.src.Size {
		v.odd("", "DATA", end, "%d bytes follow it", v.a.src.Size-end)
	}
}

// filled checks that [from, to), which is short, holds nothing but b.
func (v *verifier) filled(entry, field string, from, to int64, b byte) error {
	buf, err := bin.Section(v.a.src, from, to-from, v.a.src.Size, maxHeaderSize)
	if err != nil {
		return v.a.fail(entry, field, from, err)
	}
	for i, c := range buf {
		if c != b {
			v.odd(entry, field, from+int64(i), "0x%02x, not 0x%02x", c, b)
			return nil
		}
	}
	return nil
}

// order checks that entries follow each other without a gap, in table order,
// and fill the data.
func (v *verifier) order() error {
	next := v.a.first
	for i := range v.a.tables.entries.n {
		rec := v.a.record(i)
		name := entryName(rec.fourCC, v.a.id(rec.id))
		if rec.offset != next {
			v.odd(name, "offset", v.a.offsetField(rec), "starts at 0x%x, the entry before it ends at 0x%x", rec.offset, next)
		}
		if rec.size%v.a.align != 0 {
			v.odd(name, "size", v.a.sizeField(rec), "%d, not a multiple of %d", rec.size, v.a.align)
		}
		if copies := v.of[rec.id]; len(copies) > 0 && v.a.record(copies[0]).fourCC != rec.fourCC {
			v.odd(name, "type", rec.at+4, "entry %d of the same id has another", copies[0])
		}
		v.of[rec.id] = append(v.of[rec.id], i)
		next = rec.offset + rec.size
	}
	if next != v.a.tables.end {
		v.odd("", "data", next, "entries end here, the data at 0x%x", v.a.tables.end)
	}
	return nil
}

// resources checks that named resources name entries of their type.
func (v *verifier) resources() error {
	for n, err := range v.a.names() {
		if err != nil {
			v.report(v.a.fail("", "named resource", n.at, err))
			return nil
		}
		copies := v.of[n.id]
		if len(copies) == 0 {
			v.odd(string(n.name), "named resource", n.at, "%s is not in this pak", entryName(n.fourCC, v.a.id(n.id)))
		} else if rec := v.a.record(copies[0]); rec.fourCC != n.fourCC {
			v.odd(string(n.name), "named resource", n.at, "%s is a %s", entryName(n.fourCC, v.a.id(n.id)), typeName(rec.fourCC))
		}
	}
	return nil
}

// ends checks the fill after compressed data. Damage is for those to report
// that read the entry.
func (v *verifier) ends() error {
	for e, err := range v.a.Entries() {
		if err != nil || e.Blocks == nil || e.Size > v.a.opts.Limits.Entry {
			continue
		}
		if err := v.end(e); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) end(e *codecs.Entry) error {
	c := v.a.content(v.ctx, e)
	defer func() { _ = c.Close() }()
	if _, err := io.Copy(io.Discard, c); err != nil {
		return v.ctx.Err()
	}
	end := e.Offset + e.Stored
	if end-c.end >= v.a.align {
		v.odd(e.Name, "padding", c.end, "%d bytes, the boundary is nearer", end-c.end)
		return nil
	}
	return v.filled(e.Name, "padding", c.end, end, fill)
}

// copies checks that entries of one id hold the same content, however it is
// stored.
func (v *verifier) copies() error {
	for i := range v.a.tables.entries.n {
		id := v.a.record(i).id
		if copies := v.of[id]; len(copies) > 1 && copies[0] == i {
			v.compare(copies)
		}
		if err := v.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) compare(copies []int) {
	first, err := v.digest(copies[0])
	for _, i := range copies[1:] {
		rec := v.a.record(i)
		if sum, err2 := v.digest(i); err == nil && err2 == nil && sum != first {
			v.odd(entryName(rec.fourCC, v.a.id(rec.id)), "content", rec.offset, "entry %d differs from its copy, entry %d", i, copies[0])
		}
	}
}

// digest is the SHA-256 of an entry's content, filled up to the boundary.
func (v *verifier) digest(i int) (sum [32]byte, err error) {
	c, err := v.a.Open(v.ctx, &codecs.Entry{Ordinal: i})
	if err != nil {
		return sum, err
	}
	defer func() { _ = c.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, c)
	if err == nil {
		_, err = h.Write(padding(n, v.a.align, fill))
	}
	copy(sum[:], h.Sum(nil))
	return sum, err
}

func (v *verifier) md5() error {
	want := v.a.tables.header.md5
	if !v.a.cmpd || want == [16]byte{} {
		return nil
	}
	h := md5.New()
	if _, err := io.Copy(h, codecs.ContextReader(v.ctx, io.NewSectionReader(v.a.src, headerSize, v.a.src.Size-headerSize))); err != nil {
		return v.a.fail("", "md5", 8, err)
	}
	if got := h.Sum(nil); !bytes.Equal(got, want[:]) {
		v.report(v.a.fail("", "md5", 8, fmt.Errorf("%w: %w: %x, the header says %x", codecs.ErrNonStrict, codecs.ErrChecksum, got, want)))
	}
	return nil
}
