package retropak

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
	"pakdb/codecs/internal/spool"
)

// writer builds a pak of any variant. Data is spooled, because the tables come
// first and their size is known last, and the MD5 covers them before the data.
type writer struct {
	out     io.WriteSeeker
	variant variant
	method  compress.Method // asked for; None leaves it to the cooker's rules
	named   []named
	records []record // offsets from the start of the data
	data    spool.Spool
	lzo     lzo.Encoder
	noMD5   bool // keep the MD5 zero, as editors do
	based   bool // offsets count from the data, as in one prototype
	err     error
}

var (
	_ codecs.Writer     = (*writer)(nil)
	_ codecs.NameWriter = (*writer)(nil)
	_ codecs.Imitator   = (*writer)(nil)
)

func create(out io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	if o == nil {
		o = &codecs.CreateOptions{}
	}
	v, ok := variantNamed(o.Version)
	if !ok {
		return nil, refuse("version", "%q is not one of %v", o.Version, versions())
	}
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	switch {
	case o.Keys != nil && o.Keys([16]byte{}) != nil:
		return nil, refuse("keys", "paks are not encrypted")
	case o.Method != compress.None && o.Method != v.method:
		return nil, failure("", "", string(codecs.OptionMethod), -1, codecs.Errorf(codecs.ErrOption, "version %s has no %q", v.name, o.Method))
	}
	return &writer{out: out, variant: v, method: o.Method}, nil
}

func refuse(field, format string, args ...any) error {
	return failure("", "", field, -1, codecs.Errorf(errors.ErrUnsupported, format, args...))
}

// AddName appends a named resource. It may name an id that the pak does not
// hold: the games' own paks do.
func (w *writer) AddName(res codecs.NamedResource) error {
	n, err := w.variant.namedFrom(res)
	if err != nil {
		return w.fail(res.Name, "named resource", err)
	}
	w.named = append(w.named, n)
	return nil
}

// Imitate keeps the MD5 of original zero where it is, and the base of its
// offsets.
func (w *writer) Imitate(original codecs.Archive) error {
	a, ok := original.(*archive)
	if !ok || a.layout != w.variant.layout {
		return w.fail("", "original", codecs.Errorf(errors.ErrUnsupported, "not a pak of the same layout"))
	}
	w.noMD5 = a.header.md5 == [16]byte{}
	w.based = !a.cmpd && a.base != 0
	return nil
}

// Add stores the content of r, compressed where the game's own cooker would,
// and where that makes it smaller. Uncompressed content is filled up with 0xFF
// and reads back so: see [codecs.Padder]. Where e has neither Type nor ID, its
// Name has them. Times are not stored.
func (w *writer) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	rec, err := w.record(e)
	if err != nil {
		return err
	}
	content, err := io.ReadAll(io.LimitReader(codecs.ContextReader(ctx, r), math.MaxUint32))
	if err != nil {
		return w.fail(e.Name, "content", err)
	}
	if w.method != compress.None || w.variant.cooks(string(rec.fourCC[:]), int64(len(content))) {
		packed, err := w.variant.pack(content, &w.lzo)
		if err != nil {
			return w.fail(e.Name, "content", err)
		}
		if packed != nil {
			content, rec.compressed = packed, 1
		}
	}
	_, err = w.store(e, rec, bytes.NewReader(content))
	return err
}

// AddRaw stores bytes as another pak of the same variant has them. Entries with
// a Method, or with Blocks, are marked as compressed.
func (w *writer) AddRaw(ctx context.Context, e *codecs.Entry, stored io.Reader) error {
	rec, err := w.record(e)
	if err != nil {
		return err
	}
	if v := w.variant; v.method != compress.None && e.Method != compress.None && e.Method != v.method {
		return w.fail(e.Name, "method", codecs.Errorf(errors.ErrUnsupported, "version %s has no %q", v.name, e.Method))
	}
	stored = codecs.ContextReader(ctx, stored)
	if e.Method != compress.None || e.Blocks != nil {
		rec.compressed = 1
		var head [4]byte
		if _, err := io.ReadFull(stored, head[:]); err != nil {
			return w.fail(e.Name, "stored bytes", err)
		}
		if hasTable := string(head[:]) == "CMPD"; hasTable != w.variant.cmpd {
			return w.fail(e.Name, "stored bytes", codecs.Errorf(errors.ErrUnsupported, "compressed for another game: % x", head))
		}
		stored = io.MultiReader(bytes.NewReader(head[:]), stored)
	}
	n, err := w.store(e, rec, stored)
	if err != nil {
		return err
	}
	if n != e.Stored {
		return w.fail(e.Name, "stored bytes", codecs.Errorf(codecs.ErrTruncated, "%d, the entry has %d", n, e.Stored))
	}
	return nil
}

// record starts the table line of e.
func (w *writer) record(e *codecs.Entry) (rec record, err error) {
	if rec.fourCC, rec.id, err = identify(e, w.variant.layout); err != nil {
		return rec, w.fail(e.Name, "entry", err)
	}
	if e.Flags != 0 {
		return rec, w.fail(e.Name, "flags", codecs.Errorf(errors.ErrUnsupported, "paks have neither encrypted entries nor delete records"))
	}
	return rec, nil
}

// store appends an entry and fills it up. It returns the length of r.
func (w *writer) store(e *codecs.Entry, rec record, r io.Reader) (int64, error) {
	rec.offset = w.data.Size()
	n, err := io.Copy(&w.data, r)
	if err == nil {
		_, err = w.data.Write(padding(w.data.Size(), w.variant.align, fill))
	}
	if err != nil {
		return n, w.fail(e.Name, "content", err)
	}
	if w.data.Size() > math.MaxUint32 {
		return n, w.fail(e.Name, "offset", codecs.Errorf(codecs.ErrLimit, "offsets have 32 bits"))
	}
	rec.size = w.data.Size() - rec.offset
	w.records = append(w.records, rec)
	return n, nil
}

// Close writes tables and data.
func (w *writer) Close() error {
	defer func() { _ = w.data.Reset() }()
	if w.err != nil {
		return w.err
	}
	write := w.writePrime
	if w.variant.cmpd {
		write = w.writeCorruption
	}
	if err := write(); err != nil {
		return w.fail("", "file", err)
	}
	return nil
}

// fail records the first error: what is written after it is worthless.
func (w *writer) fail(entry, field string, err error) error {
	fe := failure("", entry, field, -1, err)
	if w.err == nil {
		w.err = fe
	}
	return fe
}

// padding returns what fills size up to a multiple of align.
func padding(size, align int64, b byte) []byte {
	return bytes.Repeat([]byte{b}, int((align-size%align)%align))
}
