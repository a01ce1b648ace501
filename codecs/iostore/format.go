// Package iostore reads and writes the IoStore containers of Unreal Engine
// 4.25 and later: a .utoc, which lists chunks, and one or several .ucas, which
// hold them.
//
// The archive is the .utoc. It has the chunks' ids and extents, the blocks that
// they are compressed in, the hash of every chunk's content, and, in most
// containers, a directory that gives chunks paths:
//
//	header | chunk ids | extents | perfect hash | blocks | [IVs] | methods |
//	[signatures] | [directory index] | metas
//
// The .ucas lies beside it and is found through Source.Dir: game.ucas, then
// game_s1.ucas and so on for the partitions of large containers. It is opened
// with the first content; a container without it lists, and compares by its
// hashes, all the same. FORMAT.md has the layout, what each version adds, and
// how sure each fact is.
//
// # Entries
//
// An entry is a chunk. Ordinals follow the data, so that reading entries in
// order reads the .ucas from start to end; the order of the table is that of a
// hash. Its Type is the name of the
// chunk's type, its ID the 12 bytes of the chunk's id in the order of the file
// ([PackageOf] takes the package's id out of it). Its Name is the path that
// the directory index gives it, relative to Info.MountPoint; a chunk that has
// none is named by type and id, as in
// "ContainerHeader/f284deb7f0e2318e00000006". Offset counts in the data of all
// partitions one after the other, each as long as the header says they are.
//
// A container's order among others is that of the .pak of the same name
// ([MountOrder]). Two containers are compared by chunk id, never by position.
//
// [Format] is safe for concurrent use, and so is every archive it opens. A
// writer is not.
package iostore

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

// formatName is Format.Name, which is in catalogs.
const formatName = "iostore"

// leOrder is the byte order of most integers in a .utoc; extents and one field
// of chunk ids are big-endian.
var leOrder = binary.LittleEndian

// Format is the IoStore container: TOC versions 1 to 10 are read, 1 to 8
// written.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     formatName,
		Doc:      "Unreal Engine 4.25 and later, IoStore .utoc with .ucas",
		Spec:     spec,
		Exts:     []string{extTOC},
		Versions: writable(),
		Methods:  []compress.Method{compress.None, compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd},
		Reads:    "1 to 10",
		Decodes:  []compress.Method{compress.Oodle},
		Revision: 3,
		Parts:    parts,
		IsPart:   IsPartition,
		Mounting: &codecs.Mounting{
			Order:       MountOrder,
			FirstByName: true,
			By:          "unrealpak",
			Paired:      true,
			OwnTypes:    []string{TypeContainerHeader},
			PatchName:   func(name string, n int) string { return unreal.PatchName(name, extTOC, n) },
			Overlay:     Overlay,
			Chunk:       unreal.Chunk,
		},
		Probe:   probe,
		Open:    open,
		Explain: explain,
		Options: options,
		Create:  create,
		Like:    like,
	}
}

func options(string) []codecs.Option {
	return []codecs.Option{codecs.OptionMount, codecs.OptionMethod, codecs.OptionBlockSize,
		codecs.OptionEffort, codecs.OptionEncrypt, codecs.OptionEncryptIndex, codecs.OptionKeyID, codecs.OptionAlign}
}

// The extensions of the two files.
const (
	extTOC = ".utoc"
	extCAS = ".ucas"
)

// magic starts every .utoc.
var magic = []byte("-==--==--==--==-")

func probe(src codecs.Source) (codecs.Match, error) {
	head := make([]byte, len(magic))
	switch err := bin.Fill(src, head, 0); {
	case errors.Is(err, bin.ErrShort):
		return codecs.NoMatch, nil
	case err != nil:
		return codecs.NoMatch, err
	case bytes.Equal(head, magic):
		return codecs.MagicMatch, nil
	}
	return codecs.NoMatch, nil
}

// MountOrder returns the order that the engine mounts a container with, from
// the path of its .utoc in the game's folder: that of the .pak beside it. Of
// two containers that hold a chunk, the one of higher order gives it.
func MountOrder(name string) int { return unreal.MountOrder(name, extTOC) }

// IsPartition reports whether the file name in dir is a .ucas that belongs to
// a .utoc beside it. Such a file has no magic of its own, and is no archive:
// walks of folders pass over it.
func IsPartition(name string, dir fs.FS) bool {
	base, ok := unreal.CutSuffixFold(name, extCAS)
	if !ok || dir == nil {
		return false
	}
	if isFile(dir, base+extTOC) {
		return true
	}
	stem, ok := cutPartition(base)
	return ok && isFile(dir, stem+extTOC)
}

// parts names the .ucas files of a container.
func parts(src codecs.Source) ([]string, error) {
	head := make([]byte, headerSize)
	if err := bin.Fill(src, head, 0); err != nil {
		return nil, formatError(src.Name, "", at("header", 0, err))
	}
	h, err := parseHeader(head)
	if err != nil {
		return nil, formatError(src.Name, "", err)
	}
	names := make([]string, min(h.partitions, maxPartitions))
	for i := range names {
		names[i] = partitionName(src.Name, i)
	}
	return names, nil
}

// explain says what a .ucas is, which has nothing to be recognised by, and what a
// .utoc that does not start as one lacks.
func explain(src codecs.Source) *codecs.FormatError {
	if _, ok := unreal.CutSuffixFold(src.Name, extTOC); ok {
		return formatError(src.Name, "", at("magic", 0, codecs.Errorf(codecs.ErrTruncated, "no table of contents: empty, cut short or overwritten")))
	}
	base, ok := unreal.CutSuffixFold(src.Name, extCAS)
	if !ok {
		return nil
	}
	err := codecs.Errorf(errors.ErrUnsupported, "a .ucas means nothing without its .utoc, which is not beside it")
	if IsPartition(src.Name, src.Dir) {
		if stem, ok := cutPartition(base); ok && !isFile(src.Dir, base+extTOC) {
			base = stem
		}
		err = codecs.Errorf(errors.ErrUnsupported, "the chunks in it are listed in %s: open that", base+extTOC)
	}
	return formatError(src.Name, "", err)
}

// cutPartition takes the "_s12" of a partition's name off.
func cutPartition(base string) (stem string, ok bool) {
	i := len(base)
	for i > 0 && base[i-1] >= '0' && base[i-1] <= '9' {
		i--
	}
	if i == len(base) || i < 2 {
		return "", false
	}
	return unreal.CutSuffixFold(base[:i], "_s")
}

func isFile(dir fs.FS, name string) bool {
	st, err := fs.Stat(dir, name)
	return err == nil && !st.IsDir()
}

// fieldError is an error that knows the file, the field and the place it is
// about.
type fieldError struct {
	file  string // "" is the .utoc
	field string
	off   int64
	err   error
}

func (e *fieldError) Error() string { return fmt.Sprintf("%s at 0x%x: %v", e.field, e.off, e.err) }
func (e *fieldError) Unwrap() error { return e.err }

// at says which field, at which absolute offset, err is about; nil stays nil.
func at(field string, off int64, err error) error {
	if err == nil {
		return nil
	}
	return &fieldError{field: field, off: off, err: err}
}

// formatError turns err into a FormatError. Errors of a context stay what they
// are, inside.
func formatError(file, entry string, err error) *codecs.FormatError {
	fe := &codecs.FormatError{Format: formatName, File: file, Entry: entry, Off: -1}
	var place *fieldError
	if errors.As(err, &place) {
		fe.Field, fe.Off, err = place.field, place.off, place.err
		if place.file != "" {
			fe.File = place.file
		}
	}
	fe.Err, fe.Off = codecs.Classify(err, fe.Off)
	return fe
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
