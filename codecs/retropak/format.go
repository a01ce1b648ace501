// Package retropak reads and writes the .pak archives of Retro Studios' games:
// Metroid Prime 1, 2 and 3 and Donkey Kong Country Returns; those of Donkey
// Kong Country: Tropical Freeze and Metroid Prime Remastered it lists. Its
// [Inspector] finds references between their assets.
//
// Numbers are big-endian, except in Remastered. Metroid Prime 1 and 2:
//
//	u32 0x00030005, u32 0
//	u32 n, n named resources: fourCC, u32 id, u32 length, name
//	u32 n, n entries: u32 compressed, fourCC, u32 id, u32 size, u32 offset
//	zeros to 32
//	data: entries in table order, each filled up with 0xFF to 32
//	      compressed: u32 decoded size, then zlib (1) or segments of LZO1X (2)
//
// The E3 prototype of Metroid Prime 3 is the same with ids of 64 bits. Metroid
// Prime 3 and Donkey Kong Country Returns:
//
//	0x00  u32 2, u32 header size, MD5 of all from 0x40 on, zeros to 0x40
//	0x40  u32 3, "STRG" u32 size, "RSHD" u32 size, "DATA" u32 size, zeros to 0x80
//	STRG  u32 n, n named resources: name, NUL, fourCC, u64 id; zeros to 64
//	RSHD  u32 n, n entries: u32 compressed, fourCC, u64 id, u32 size, u32 offset in DATA; zeros to 64
//	DATA  entries in table order, each filled up with 0xFF to 64
//	      compressed: "CMPD", u32 n, n blocks: u8 flag, u24 size, u32 decoded size; blocks
//
// An uncompressed entry has no true length: see [codecs.Padder]. FORMAT.md has
// the rest, and where each fact comes from.
package retropak

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

// Format reads and writes the paks of Metroid Prime 1 to 3 and Donkey Kong
// Country Returns, and lists those of Tropical Freeze and Metroid Prime
// Remastered.
//
// CreateOptions.Version is one of "MP1", "MP2", "MP3", "DKCR", "MP3-E3", and
// "MP1/MP2" or "MP3/DKCR" for paks without compression. CreateOptions.Method
// "" compresses new entries by the rules of the original cooker, the version's
// own method compresses whatever becomes smaller.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     formatName,
		Doc:      "Metroid Prime, Donkey Kong Country Returns and Tropical Freeze .pak",
		Spec:     spec,
		Exts:     []string{".pak"},
		Versions: versions(),
		Reads:    "MP1, MP2, MP3-E3, MP3, DKCR; Tropical Freeze as a list",
		Methods:  []compress.Method{compress.Zlib, compress.LZO1X},
		Options:  options,
		Revision: 3,
		Probe:    probe,
		Open:     open,

		EntrySpaces: []codecs.Space{Asset},
		Create:      create,
	}
}

// options: where no entry is compressed, there is nothing to choose.
func options(version string) []codecs.Option {
	if v, ok := variantNamed(version); !ok || v.method == compress.None {
		return nil
	}
	return []codecs.Option{codecs.OptionMethod}
}

// probeSize covers the section table of every real pak, and the first named
// resource or the first entry of the others.
const probeSize = 0x80

func probe(src codecs.Source) (codecs.Match, error) {
	n := min(src.Size, probeSize)
	head, err := bin.Section(src, 0, n, src.Size, n)
	if errors.Is(err, bin.ErrShort) || n < headSize {
		return codecs.NoMatch, nil
	} else if err != nil {
		return codecs.NoMatch, err
	}
	r := bin.NewReader(head, 0, binary.BigEndian)
	ok := false
	switch r.U32() {
	case magicPrime:
		ok = probePrime(r, src.Size)
	case magicCorruption:
		ok = probeCorruption(r)
	case magicRFRM:
		ok = probeRFRM(r)
	}
	if ok {
		return codecs.MagicMatch, nil
	}
	return codecs.NoMatch, nil
}

// probePrime wants a zero, and a first named resource, or failing that a first
// entry, that could be one.
func probePrime(r *bin.Reader, size int64) bool {
	if r.U32() != 0 {
		return false
	}
	if size == headSize { // cut short
		return true
	}
	named := int64(r.U32())
	if named == 0 {
		if r.U32() == 0 {
			return r.Err() == nil
		}
		r.Skip(4)
	}
	var fourCC [4]byte
	copy(fourCC[:], r.Bytes(4))
	return r.Err() == nil && printable(fourCC) && named <= size/12
}

func probeCorruption(r *bin.Reader) bool {
	at := r.U32()
	if at < 0x18 || at > probeSize-8 {
		return false
	}
	r.Seek(int(at))
	n, name := r.U32(), string(r.Bytes(4))
	return n >= 2 && n <= maxSections && (name == "STRG" || name == "RSHD" || name == "DATA")
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts := o.WithDefaults()
	head, err := bin.Section(src, 0, 4, src.Size, 4)
	if err != nil {
		return nil, failure(src.Name, "", "magic", 0, err)
	}
	magic := binary.BigEndian.Uint32(head)
	if magic == magicRFRM {
		return openRFRM(src, opts)
	}
	t, err := readTables(magic, src, opts.Limits)
	if err != nil {
		return nil, failure(src.Name, "", "magic", 0, err)
	}
	a := &archive{src: src, opts: opts, tables: t}
	a.variant = variantOf(t.layout, compressionOf(a))
	return a, nil
}

const formatName = "retropak"

// atField carries an error to the field that it concerns.
type atField struct {
	field string
	off   int64 // -1: the error below knows
	err   error
}

func (e *atField) Error() string { return e.field + ": " + e.err.Error() }
func (e *atField) Unwrap() error { return e.err }

// failure returns err as a FormatError. field and off hold unless err knows
// better.
func failure(file, entry, field string, off int64, err error) *codecs.FormatError {
	var fe *codecs.FormatError
	if errors.As(err, &fe) {
		return fe
	}
	var at *atField
	if errors.As(err, &at) {
		field, err = at.field, at.err
		if at.off >= 0 {
			off = at.off
		}
	}
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, File: file, Entry: entry, Field: field, Off: off, Err: err}
}

// short recognises an error that more bytes could cure.
func short(err error) bool { return errors.Is(err, bin.ErrShort) || errors.Is(err, bin.ErrCount) }

// damaged distinguishes an error of the file from one of the disk.
func damaged(err error) bool { return short(err) || errors.Is(err, bin.ErrLimit) }
