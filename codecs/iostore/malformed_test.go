package iostore_test

import (
	"context"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
)

// vectorItems give a table of three chunks, one of them of two blocks.
func vectorItems() []codecstest.Item {
	return []codecstest.Item{
		{Entry: &codecs.Entry{Name: "Game/Content/A.uasset"}, Data: text(1000)},
		{Entry: &codecs.Entry{Name: "Game/Content/B.uasset"}, Data: text(66_000)},
		{Entry: &codecs.Entry{Name: "Game/Content/C.umap"}, Data: noise(40)},
	}
}

// withData is the format with the .ucas of p beside every file.
func withData(p pair) *codecs.Format {
	f := *iostore.Format()
	open := f.Open
	f.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		src.Dir = p.source("x").Dir
		src.Name = "x.utoc"
		return open(ctx, src, o)
	}
	return &f
}

func TestMalformed(t *testing.T) {
	p := build(t, codecs.CreateOptions{Method: compress.Zlib}, vectorItems())
	toc := p[""].Bytes()
	at := tablesOf(toc)
	// The first chunk in the table, whichever it is, and its first block.
	extent := at.extents
	type vector = codecstest.Vector
	u32 := []byte{0xff, 0xff, 0xff, 0x7f}
	codecstest.Malformed(t, withData(p), []vector{
		{Name: "empty", Want: codecs.ErrTruncated, Field: "header", Off: 0},
		{Name: "other magic", Bytes: codecstest.Patch(toc, 3, '+'), Want: codecs.ErrUnknown, Field: "magic", Off: 0},
		{Name: "version 0", Bytes: codecstest.Patch(toc, 16, 0), Want: errors.ErrUnsupported, Field: "version", Off: 16},
		{Name: "version 11", Bytes: codecstest.Patch(toc, 16, 11), Want: errors.ErrUnsupported, Field: "version", Off: 16},
		{Name: "header size", Bytes: codecstest.Patch(toc, 20, 8), Want: codecs.ErrCorrupt, Field: "header size", Off: 20},
		{Name: "header past the end", Bytes: codecstest.Patch(toc, 20, u32...), Want: codecs.ErrTruncated, Field: "header size", Off: 20},
		{Name: "entries", Bytes: codecstest.Patch(toc, 24, u32...), Want: codecs.ErrTruncated, Field: "chunk ids", Off: 24},
		{Name: "blocks", Bytes: codecstest.Patch(toc, 28, u32...), Want: codecs.ErrTruncated, Field: "blocks", Off: 28},
		{Name: "block entry size", Bytes: codecstest.Patch(toc, 32, 16), Want: errors.ErrUnsupported, Field: "block entry size", Off: 32},
		{Name: "methods", Bytes: codecstest.Patch(toc, 36, 0, 1), Want: codecs.ErrCorrupt, Field: "method count", Off: 36},
		{Name: "method name length", Bytes: codecstest.Patch(toc, 40, u32...), Want: codecs.ErrCorrupt, Field: "method name length", Off: 40},
		{Name: "block size 0", Bytes: codecstest.Patch(toc, 44, 0, 0, 0, 0), Want: codecs.ErrCorrupt, Field: "compression block size", Off: 44},
		{Name: "block size of 2 GiB", Bytes: codecstest.Patch(toc, 44, u32...), Want: codecs.ErrCorrupt, Field: "compression block size", Off: 44},
		{Name: "directory size", Bytes: codecstest.Patch(toc, 48, u32...), Want: codecs.ErrTruncated, Field: "directory index", Off: 48},
		{Name: "partitions", Bytes: codecstest.Patch(toc, 52, u32...), Want: codecs.ErrCorrupt, Field: "partition count", Off: 52},
		{Name: "seeds", Bytes: codecstest.Patch(toc, 84, u32...), Want: codecs.ErrTruncated, Field: "perfect hash seeds", Off: 84},
		{Name: "left out", Bytes: codecstest.Patch(toc, 96, u32...), Want: codecs.ErrCorrupt, Field: "chunks without perfect hash", Off: 96},
		{Name: "partition size 0", Bytes: codecstest.Patch(codecstest.Patch(toc, 52, 2), 88, 0, 0, 0, 0, 0, 0, 0, 0), Want: codecs.ErrCorrupt, Field: "partition size", Off: 88},
		{Name: "encrypted, no key", Bytes: codecstest.Patch(toc, 80, 0x0b), Want: codecs.ErrEncrypted, Field: "directory index", Off: int64(at.dir)},
		{Name: "signed, but no room", Bytes: codecstest.Patch(toc, 80, 0x0d), Want: codecs.ErrTruncated, Field: "directory index", Off: 48},
		{Name: "trailing", Bytes: append(codecstest.Patch(toc, 0, toc[0]), 1, 2), Want: codecs.ErrNonStrict, Field: "end", Off: int64(len(toc))},
		{Name: "mount point", Bytes: codecstest.Patch(toc, at.dir, 0xff, 0xff, 0, 0), Want: codecs.ErrCorrupt, Field: "directory index", Off: int64(at.dir) + 4},
		{Name: "folder reached twice", Bytes: codecstest.Patch(toc, at.dir+4+4+16+4, 0), Want: codecs.ErrCorrupt, Field: "directory index: folder", Off: int64(at.dir) + 24},
		{Name: "unaligned extent", Bytes: codecstest.Patch(toc, extent+4, 1), Want: codecs.ErrCorrupt, Field: "extent", Off: int64(extent)},
		{Name: "extent past the blocks", Bytes: codecstest.Patch(toc, extent, 1), Want: codecs.ErrCorrupt, Field: "extent", Off: int64(extent)},
		{Name: "length past the blocks", Bytes: codecstest.Patch(toc, extent+5, 1), Want: codecs.ErrCorrupt, Field: "extent", Off: int64(extent)},
		{Name: "hash", Bytes: codecstest.Patch(toc, at.metas, toc[at.metas]^1), Want: codecs.ErrChecksum, Field: "hash", Off: int64(at.metas)},
		{Name: "an id twice", Bytes: codecstest.Patch(toc, at.ids+12, toc[at.ids:at.ids+12]...), Want: codecs.ErrCorrupt, Field: "chunk id", Off: int64(at.ids) + 12},
	})
	// What is wrong with the blocks of the first chunk that was added.
	b := at.blocks
	entry := "Game/Content/A.uasset"
	codecstest.Malformed(t, withData(p), []vector{
		{Name: "block.size", Bytes: codecstest.Patch(toc, b+8, 7), Entry: entry, Want: codecs.ErrCorrupt, Field: "block.size", Off: int64(b) + 8},
		{Name: "block.method", Bytes: codecstest.Patch(toc, b+11, 9), Entry: entry, Want: codecs.ErrCorrupt, Field: "block.method", Off: int64(b) + 11},
		{Name: "block without method", Bytes: codecstest.Patch(toc, b+11, 0), Entry: entry, Want: codecs.ErrCorrupt, Field: "block.stored", Off: int64(b) + 5},
		{Name: "block.stored", Bytes: codecstest.Patch(toc, b+5, 9), Entry: entry, Want: codecs.ErrCorrupt, Field: "blocks[0]", Off: 0},
		{Name: "block out of the file", Bytes: codecstest.Patch(toc, b+4, 1), Want: codecs.ErrTruncated, Field: "block", Off: int64(b)},
		{Name: "ratio", Bytes: codecstest.Patch(toc, b+5, 0), Entry: entry, Want: codecs.ErrCorrupt, Field: "block.size", Off: int64(b) + 8},
	})
}

// What only Verify sees.
func TestVerifyFindings(t *testing.T) {
	p := build(t, codecs.CreateOptions{}, vectorItems())
	toc, data := p[""].Bytes(), p[".ucas"].Bytes()
	at := tablesOf(toc)
	for _, tt := range []struct {
		name      string
		toc, data []byte
		want      error
		field     string
	}{
		{"seeds are gone", codecstest.Patch(toc, at.seeds, 0, 0, 0, 0, 0, 0, 0, 0), data, codecs.ErrCorrupt, "perfect hash"},
		{"a gap with something in it", toc, append(codecstest.Patch(data, 0, data[0]), 1), codecs.ErrNonStrict, "gap"},
		{"padding may be anything", toc, codecstest.Patch(data, 1001, 0xAA), nil, ""},
		{"two blocks in one place", codecstest.Patch(toc, at.blocks+12, toc[at.blocks:at.blocks+5]...), data, codecs.ErrNonStrict, "block.offset"},
	} {
		q := pair{"": {}, ".ucas": {}}
		_, _ = q[""].Write(tt.toc)
		_, _ = q[".ucas"].Write(tt.data)
		var first *codecs.FormatError
		err := q.open(t, nil).(codecs.Verifier).Verify(t.Context(), func(e *codecs.FormatError) {
			if first == nil {
				first = e
			}
		})
		switch {
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want == nil && first == nil:
		case first == nil || !errors.Is(first, tt.want) || first.Field != tt.field:
			t.Errorf("%s: %v", tt.name, first)
		}
	}
}
