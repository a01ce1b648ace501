package pkg

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
)

// Package is what [Read] found: the tables, where they lie, and what is wrong
// with them. It is safe for concurrent use.
type Package struct {
	unreal.PackageFacts
	Summary  Summary
	Problems []*codecs.FormatError // Off is in the decompressed package

	space *space
	noise []unreal.Span
	tags  tagLayout // of the properties in exports

	versions versions // UE4 and UE5: what it was read as
	numbers  []place
}

// Read reads the summary and the tables of the package in the first size bytes
// of r. It reads no data of exports; of a compressed package it decodes the
// blocks that hold the tables. r is kept for [Package.OpenExport].
//
// Damage that leaves something to read is in Problems. An error means that r holds
// no package ([codecs.ErrUnknown]), could not be read, or that ctx is done.
func Read(ctx context.Context, r io.ReaderAt, size int64) (*Package, error) {
	src := &source{ReaderAt: r}
	p, err := read(ctx, newSpace(src, size, size))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failed := src.failed(); failed != nil {
		return nil, failure("read", -1, failed)
	}
	return p, err
}

func read(ctx context.Context, sp *space) (*Package, error) {
	if err := sp.load(headBytes); err != nil {
		return nil, failure("tag", 0, err)
	}
	o := open8(sp.head)
	switch {
	case o.order == nil:
		return readOther(ctx, sp)
	case o.wrapped():
		return readWrapped(ctx, sp)
	case o.modern():
		return readModern(ctx, sp, o)
	}
	return readClassic(ctx, sp, o)
}

// failure is the error of a package that nothing is known of.
func failure(field string, off int64, err error) error {
	err, off = classify(err, off)
	return &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: err}
}

// only returns a package of which nothing but a problem is known.
func only(sp *space, facts unreal.PackageFacts, field string, err error) *Package {
	var f findings
	f.err(field, 0, err)
	return &Package{PackageFacts: facts, Problems: f.list, space: sp}
}

// readOther names what does not start with a package's tag: a vendor's own
// one, or Lineage's wrapper.
func readOther(ctx context.Context, sp *space) (*Package, error) {
	if len(sp.head) < 8 {
		return nil, failure("tag", 0, codecs.Errorf(codecs.ErrTruncated, "%d bytes", len(sp.head)))
	}
	dword := binary.LittleEndian.Uint32(sp.head)
	if dword == tagLineage {
		return readLineage(ctx, sp)
	}
	game := vendors[dword]
	if game == "" {
		return nil, failure("tag", 0, codecs.Errorf(codecs.ErrUnknown, "0x%08x", dword))
	}
	err := codecs.Errorf(errors.ErrUnsupported, "tag 0x%08x of %s", dword, game)
	return only(sp, unreal.PackageFacts{Layout: game}, "tag", err), nil
}

// readWrapped reads a package that is compressed as a whole. Its byte order is
// its own, not the wrapper's.
func readWrapped(ctx context.Context, sp *space) (*Package, error) {
	c, err := openWrapper(sp.r, sp.size)
	facts := unreal.PackageFacts{Engine: "UE3", Compression: "unknown"}
	if err != nil {
		return only(sp, facts, "wrapper", err), nil
	}
	facts.Compression = c.method.String()
	inner := newSpace(c, c.size(), sp.size)
	head, err := inner.window(0, 8)
	if err != nil {
		return only(sp, facts, "wrapper", err), nil
	}
	if o := open8(head); o.order == nil || o.wrapped() {
		return only(sp, facts, "wrapper", codecs.Errorf(codecs.ErrCorrupt, "decompresses to %x, no package", head)), nil
	}
	p, err := read(ctx, inner)
	if err != nil {
		return nil, err
	}
	if p.Compression != "" {
		facts.Compression += "+" + p.Compression
	}
	p.Compression = facts.Compression
	return p, nil
}

// lineageHead is "Lineage2Ver111" in UTF-16.
const lineageHead = 28

// readLineage reads Lineage 2's wrapper: version 111 is XOR with one byte,
// found from the first one of the tag; others need keys.
func readLineage(ctx context.Context, sp *space) (*Package, error) {
	units := make([]uint16, 0, lineageHead/2)
	for i := 0; i+1 < min(lineageHead, len(sp.head)); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(sp.head[i:]))
	}
	version, ok := strings.CutPrefix(string(utf16.Decode(units)), "Lineage2Ver")
	if !ok || len(sp.head) < lineageHead+8 {
		return nil, failure("tag", 0, codecs.Errorf(codecs.ErrUnknown, "%x", sp.head[:8]))
	}
	x := &xorReader{r: sp.r, key: sp.head[lineageHead] ^ 0xC1}
	inner := newSpace(x, sp.size-lineageHead, sp.size)
	head, err := inner.window(0, 8)
	if err != nil {
		return nil, failure("tag", lineageHead, err)
	}
	if o := open8(head); o.order == nil || o.modern() || o.wrapped() {
		err := codecs.Errorf(errors.ErrUnsupported, "encryption of Lineage2Ver%s", version)
		return only(sp, unreal.PackageFacts{Engine: "UE2", Layout: "Lineage2Ver" + version}, "tag", err), nil
	}
	p, err := read(ctx, inner)
	if err == nil {
		p.Layout = "Lineage2Ver" + version
	}
	return p, err
}

// xorReader reads what follows Lineage's header.
type xorReader struct {
	r   io.ReaderAt
	key byte
}

func (x *xorReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := x.r.ReadAt(p, off+lineageHead)
	for i := range p[:n] {
		p[i] ^= x.key
	}
	return n, err
}

// OpenExport returns the bytes of export i. Those of a [Split] package lie in
// its .uexp, which is then needed and otherwise ignored.
func (p *Package) OpenExport(i int, uexp *io.SectionReader) (*io.SectionReader, error) {
	if i < 0 || i >= len(p.Exports) {
		return nil, failure("exports", -1, codecs.Errorf(codecs.ErrNotFound, "export %d of %d", i, len(p.Exports)))
	}
	off, r, size := p.Exports[i].Offset, p.space.r, p.space.size
	if p.Split {
		if uexp == nil {
			return nil, failure("exports", off, codecs.Errorf(codecs.ErrNotFound, "data is in the .uexp"))
		}
		off, r, size = off-p.HeaderSize, uexp, uexp.Size()
	}
	n := p.Exports[i].Size
	if off < 0 || n < 0 || off > size || n > size-off {
		return nil, failure(fmt.Sprintf("exports[%d].offset", i), off, codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", n, off, size))
	}
	return io.NewSectionReader(r, off, n), nil
}

// methodText is how facts name a method: "" for none.
func methodText(m compress.Method) string {
	if m == compress.None {
		return ""
	}
	return m.String()
}
