// Package umod reads and writes the installers of Unreal Tournament and its
// kin: .umod, .ut2mod, .ut4mod, .rmod. Despite the dialogs around it, a UMOD is
// a plain archive:
//
//	data of the entries, one after another
//	directory   compact index count, then for each entry:
//	            compact index length, name with NUL, u32 offset, size, flags
//	trailer     u32 9FE3C5A3, directory offset, file size, version, CRC
//
// Integers are little-endian. The checksum is CRC-32/BZIP2 (most significant
// bit first) of everything before the trailer. Names have backslashes; flags 3
// marks the manifest, which is not installed. The manifest lists the entries
// by group once more; its sizes are often wrong, so the directory decides.
//
// Source: the Unreal Wiki's page on UMOD, corrected by a file (the checksum's
// polynomial), see FORMAT.md.
//
// # Compressed files of Unreal Tournament
//
// [UzFormat] reads and writes the compressed files of Unreal's redirect
// servers as archives of one entry.
//
// A .uz2 (UT2003 and later) is a chain of blocks without any magic:
//
//	u32  stored size
//	u32  decoded size, at most 0x8000
//	     zlib stream
//
// It is recognised by its first block decoding to what it declares and the
// chain of sizes ending with the file. The entry's name is the file's without
// the extension, since the file does not store one.
//
// A .uz (Unreal Tournament) starts with u32 1234 or 5678 and the original name;
// what follows is a chain of Burrows-Wheeler, move-to-front, run-length and
// Huffman coders that no file at hand could verify. It is listed, and reading
// it is [errors.ErrUnsupported].
//
// Integers are little-endian. Source: UZ.md.
package umod

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

const (
	formatName   = "umod"
	magic        = 0x9FE3C5A3
	trailerSize  = 20
	version      = 1
	flagManifest = 3 // not installed
	minEntry     = 1 + 12
)

// Format returns the format of UMOD installers.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     formatName,
		Doc:      "installers of Unreal Tournament and its kin (.umod .ut2mod .ut4mod)",
		Spec:     spec,
		Exts:     extensions(),
		Versions: []string{"1"},
		Methods:  []compress.Method{compress.None},
		Options:  func(string) []codecs.Option { return []codecs.Option{codecs.OptionMethod} },
		Revision: 1,
		Probe:    probe,
		Open:     open,
		Explain:  explain,
		Create:   create,
	}
}

// probe looks for the trailer. Its magic at this place is enough; what else
// is wrong with the file, Open reports. The first file of an installer may be an archive
// that begins as its format does.
func probe(src codecs.Source) (codecs.Match, error) {
	t, err := readTrailer(src)
	switch {
	case errors.Is(err, bin.ErrShort):
		return codecs.NoMatch, nil
	case err != nil:
		return codecs.NoMatch, err
	case t.magic != magic || t.directory > src.Size-trailerSize:
		return codecs.NoMatch, nil
	case t.size == src.Size:
		return codecs.WholeMatch, nil
	}
	return codecs.MagicMatch, nil
}

// explain reports why a file that is named as an installer is none: what makes it
// one is at its end.
func explain(src codecs.Source) *codecs.FormatError {
	ext := strings.ToLower(path.Ext(src.Name))
	if !slices.Contains(extensions(), ext) {
		return nil
	}
	a := &archive{src: src}
	t, err := readTrailer(src)
	switch {
	case err != nil:
		return a.fail("", "trailer", 0, err)
	case t.magic == magic:
		return a.fail("", "directory", src.Size-16, codecs.Errorf(codecs.ErrTruncated, "starts at %d of %d", t.directory, src.Size-trailerSize))
	}
	return a.fail("", "trailer", src.Size-trailerSize, codecs.Errorf(codecs.ErrTruncated, "no trailer at the end: cut short, or no installer"))
}

func extensions() []string { return []string{".umod", ".ut2mod", ".ut4mod", ".rmod", ".u2mod"} }

type trailer struct {
	magic           uint32
	directory, size int64
	version, crc    uint32
}

func readTrailer(src codecs.Source) (t trailer, err error) {
	if err := bin.Range(0, trailerSize, src.Size); err != nil {
		return t, err
	}
	buf, err := bin.Section(src, src.Size-trailerSize, trailerSize, src.Size, trailerSize)
	if err != nil {
		return t, err
	}
	r := bin.NewReader(buf, src.Size-trailerSize, binary.LittleEndian)
	t.magic = r.U32()
	t.directory, t.size = int64(r.U32()), int64(r.U32())
	t.version, t.crc = r.U32(), r.U32()
	return t, r.Err()
}
