package retropak

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

// The paks of Tropical Freeze and later are forms of chunks:
//
//	form   "RFRM", u64 size, u64, fourCC, u32 reader version, u32 writer version, size bytes
//	chunk  fourCC, u64 size, u32, u64 skip, skip bytes, size bytes
//	pak    form PACK { form TOCC { chunks ADIR, META, STRG }, data }
const (
	magicRFRM   = 0x5246524d
	formHeader  = 32
	chunkHeader = 24
)

// The sizes of an ADIR record, by which the games differ.
const (
	recordTF  = 36 // fourCC, GUID, u64 offset, u64 size
	recordMPR = 52 // fourCC, GUID, u32, u32, u64 offset, u64 decoded size, u64 size
)

// maxChunks bounds the chunks of a TOCC. Real ones have up to three.
const maxChunks = 64

// toccPrime4 is the version of TOCC in Metroid Prime 4, which nobody reads yet.
const toccPrime4 = 4

// probeRFRM starts after the magic.
func probeRFRM(r *bin.Reader) bool {
	r.Skip(16)
	return string(r.Bytes(4)) == "PACK"
}

// form is the header of a form or of a chunk.
type form struct {
	kind    string
	version uint32 // of the reader; forms only
	at      int64  // of the content
	size    int64
}

// rfrmReader walks forms and chunks of one file.
type rfrmReader struct {
	src   codecs.Source
	limit int64
	order binary.ByteOrder
}

func openRFRM(src codecs.Source, o codecs.Options) (codecs.Archive, error) {
	a, err := readRFRM(src, o)
	if err != nil {
		return nil, failure(src.Name, "", "RFRM", 0, err)
	}
	return a, nil
}

func readRFRM(src codecs.Source, o codecs.Options) (*formArchive, error) {
	rd := &rfrmReader{src: src, limit: o.Limits.Table}
	pack, err := rd.start()
	if err != nil {
		return nil, err
	}
	if pack.kind != "PACK" {
		return nil, &atField{"form", 20, codecs.Errorf(errors.ErrUnsupported, "%q, not PACK", pack.kind)}
	}
	tocc, err := rd.form(pack.at)
	if err != nil {
		return nil, err
	}
	if tocc.kind != "TOCC" {
		return nil, &atField{"form", pack.at + 20, codecs.Errorf(codecs.ErrCorrupt, "%q, not TOCC", tocc.kind)}
	}
	if tocc.version >= toccPrime4 {
		return nil, &atField{"TOCC version", pack.at + 24, codecs.Errorf(errors.ErrUnsupported, "%d", tocc.version)}
	}
	a := &formArchive{src: src, opts: o, order: rd.order}
	return a, a.readChunks(rd, tocc)
}

// start reads the first form and finds the byte order: the one in which its
// size is the smaller number, as no pak has 2^32 bytes or more.
func (rd *rfrmReader) start() (form, error) {
	rd.order = binary.BigEndian
	pack, err := rd.form(0)
	if err != nil && !errors.Is(err, codecs.ErrTruncated) {
		return form{}, err
	}
	rd.order = binary.LittleEndian
	little, lerr := rd.form(0)
	if err == nil && (lerr != nil || pack.size <= little.size) {
		rd.order = binary.BigEndian
		return pack, nil
	}
	return little, lerr
}

func (rd *rfrmReader) form(at int64) (form, error) {
	buf, err := bin.Section(rd.src, at, formHeader, rd.src.Size, formHeader)
	if err != nil {
		return form{}, &atField{"form", -1, err}
	}
	r := bin.NewReader(buf, at, rd.order)
	if magic := string(r.Bytes(4)); magic != "RFRM" {
		return form{}, &atField{"form", at, codecs.Errorf(codecs.ErrCorrupt, "starts with %q", magic)}
	}
	size := r.U64()
	r.Skip(8)
	f := form{kind: string(r.Bytes(4)), version: r.U32(), at: at + formHeader}
	f.size, err = rd.fit("form size", at+4, f.at, size)
	return f, err
}

func (rd *rfrmReader) chunk(at int64) (form, error) {
	buf, err := bin.Section(rd.src, at, chunkHeader, rd.src.Size, chunkHeader)
	if err != nil {
		return form{}, &atField{"chunk", -1, err}
	}
	r := bin.NewReader(buf, at, rd.order)
	f := form{kind: string(r.Bytes(4)), at: at + chunkHeader}
	size := r.U64()
	r.Skip(4)
	skip, err := rd.fit("chunk skip", at+16, f.at, r.U64())
	if err != nil {
		return form{}, err
	}
	f.at += skip
	f.size, err = rd.fit("chunk size", at+4, f.at, size)
	return f, err
}

// fit returns size, and fails if the file has fewer bytes after at.
func (rd *rfrmReader) fit(field string, off, at int64, size uint64) (int64, error) {
	if left := max(rd.src.Size-at, 0); size > uint64(left) {
		return 0, &atField{field, off, codecs.Errorf(codecs.ErrTruncated, "%d bytes, the file has %d left", size, left)}
	}
	return int64(size), nil
}

// table reads a chunk that starts with a count.
func (rd *rfrmReader) table(c form, minRecord int) (list, error) {
	buf, err := bin.Section(rd.src, c.at, c.size, rd.src.Size, rd.limit)
	if err != nil {
		return list{}, &atField{c.kind, -1, err}
	}
	r := bin.NewReader(buf, c.at, rd.order)
	n := r.Count(minRecord)
	if err := r.Err(); err != nil {
		return list{}, &atField{c.kind, -1, err}
	}
	return list{n: n, at: r.Off(), bytes: buf[r.Pos():]}, nil
}

func (a *formArchive) readChunks(rd *rfrmReader, tocc form) error {
	found := false
	at := tocc.at
	for i := 0; at < tocc.at+tocc.size; i++ {
		if i == maxChunks {
			return &atField{"TOCC", at, codecs.Errorf(codecs.ErrLimit, "more than %d chunks", maxChunks)}
		}
		c, err := rd.chunk(at)
		if err != nil {
			return err
		}
		if err := a.readChunk(rd, c); err != nil {
			return err
		}
		found = found || c.kind == "ADIR"
		at = c.at + c.size
	}
	if !found {
		return &atField{"TOCC", tocc.at, codecs.Errorf(codecs.ErrCorrupt, "no ADIR in it")}
	}
	return a.readSTRG(rd)
}

func (a *formArchive) readChunk(rd *rfrmReader, c form) error {
	switch c.kind {
	case "ADIR":
		return a.readADIR(rd, c)
	case "STRG":
		a.strg = c
	case "META":
		a.metaSize = c.size
	}
	return nil
}

// readSTRG reads the names of Remastered. Those of Tropical Freeze are laid out
// otherwise, which is known from hearsay only. Damage is a warning.
func (a *formArchive) readSTRG(rd *rfrmReader) error {
	if a.strg.size == 0 || a.recordSize != recordMPR {
		return nil
	}
	var err error
	if a.named, err = rd.table(a.strg, 24); err != nil && !damaged(err) {
		return err
	} else if err != nil {
		a.warnings = append(a.warnings, failure(a.src.Name, "", "STRG", a.strg.at, err))
	}
	return nil
}

func (a *formArchive) readADIR(rd *rfrmReader, c form) (err error) {
	if a.entries, err = rd.table(c, recordTF); err != nil {
		return err
	}
	n := a.entries.n
	for _, size := range []int{recordTF, recordMPR} {
		if len(a.entries.bytes) == n*size {
			a.recordSize = size
			return nil
		}
	}
	return &atField{"ADIR", c.at, codecs.Errorf(errors.ErrUnsupported, "%d records in %d bytes", n, len(a.entries.bytes))}
}

// guid is an id of 16 bytes in the order in which they are stored, whatever
// the byte order of numbers.
func guid(b []byte) codecs.ID {
	if len(b) != 16 {
		return codecs.ID{}
	}
	return codecs.ID{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:]), Bits: 128}
}

// swapped is a fourCC as STRG stores it where numbers are little-endian.
func (a *formArchive) swapped(fourCC [4]byte) [4]byte {
	if a.order == binary.LittleEndian {
		slices.Reverse(fourCC[:])
	}
	return fourCC
}

// LZSS is the method of compressed entries of Metroid Prime Remastered, for
// which there is no decoder here.
const LZSS compress.Method = "retro-lzss"

// formArchive is a pak of Tropical Freeze or Metroid Prime Remastered. It lists
// entries, and opens those that are not compressed. Content is as stored: what
// META says about decompressing graphics is for decoders of them.
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
