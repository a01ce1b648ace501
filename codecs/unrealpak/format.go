// Package unrealpak reads and writes the .pak archives of Unreal Engine 4, 5
// and 6.
//
// A pak is read from its end. The footer (footer.go) names the version and the
// place of the index; the index lists the entries, as records with paths
// (index.go, versions 1 to 9), or as encoded entries that a directory of names
// and a table of path hashes refer to (pathhash.go, directory.go,
// version 10 on). Each payload follows a copy of its record (record.go) and is
// stored, or compressed in blocks that decode alone; both index and payloads
// may be encrypted with AES-256 (crypt.go).
//
//	payload ... payload | index | [path hashes | directory] | footer
//
// FORMAT.md has the layout, what each version adds, and how sure each fact is.
// The facts come from files that UnrealPak 4.20 to 6.0 wrote, and from the
// public readers of the field: repak, CUE4Parse, u4pak.
//
// [Format] is safe for concurrent use, and so is every archive it opens. A
// writer is not.
package unrealpak

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

// formatName is Format.Name, which is in catalogs.
const formatName = "unrealpak"

// leOrder is the byte order of every integer in a pak.
var leOrder = binary.LittleEndian

// Format is the Unreal Engine .pak: versions 1 to 15 are read, 3 to 12 written.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     formatName,
		Doc:      "Unreal Engine 4, 5 and 6 .pak",
		Spec:     spec,
		Exts:     []string{".pak"},
		Versions: writable(),
		Methods:  []compress.Method{compress.None, compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd},
		Reads:    "1 to 15",
		Decodes:  []compress.Method{compress.Oodle},
		Revision: 2,
		Mounting: &codecs.Mounting{
			Order:     MountOrder,
			LastEntry: true, // the engine reads the index into a map
			Paired:    true,
			PatchName: PatchName,
			CanDelete: canDelete,
			Chunk:     Chunk,
		},
		Probe:   probe,
		Open:    open,
		Explain: Explain,
		Options: options,
		Create:  create,
		Like:    like,
	}
}

// options are those of a version: the fields that it lacks take nothing.
func options(text string) []codecs.Option {
	all := []codecs.Option{codecs.OptionMount, codecs.OptionMethod, codecs.OptionBlockSize, codecs.OptionEffort, codecs.OptionEncrypt, codecs.OptionAlign}
	v, _ := byText(text)
	if v >= indexEncryption {
		all = append(all, codecs.OptionEncryptIndex)
	}
	if v >= encryptionKeyGUID {
		all = append(all, codecs.OptionKeyID)
	}
	if v >= pathHashIndex {
		all = append(all, codecs.OptionSeed)
	}
	return all
}

func canDelete(text string) bool {
	v, known := byText(text)
	return known && v >= deleteRecords
}

// probe claims a file whose end is a footer: the magic, a version, and a
// distance to the end that fits it. A future version counts as well, so that
// its error says what it is. A footer that more follows than its version
// explains is left to others: an archive may hold a pak, and end soon after it.
// If no other format claims the file, Explain says so.
func probe(src codecs.Source) (codecs.Match, error) {
	f, err := readFooter(src)
	switch {
	case err == nil:
		return codecs.MagicMatch, nil
	case errors.Is(err, codecs.ErrUnknown), errors.Is(err, bin.ErrShort): // shorter than it says
		return codecs.NoMatch, nil
	case f == nil:
		return codecs.NoMatch, err
	case f.known() && f.version == noVersion:
		return codecs.NoMatch, nil
	}
	if f.number >= 1 && f.number <= 255 && f.index.check(f.at, f.at+8) == nil {
		return codecs.MagicMatch, nil
	}
	return codecs.NoMatch, nil
}

// formatError turns err into a FormatError. Errors of a context stay what they
// are, inside.
func formatError(file, entry string, err error) *codecs.FormatError {
	fe := &codecs.FormatError{Format: formatName, File: file, Entry: entry, Off: -1}
	var place *fieldError
	if errors.As(err, &place) {
		fe.Field, fe.Off, err = place.field, place.off, place.err
	}
	fe.Err, fe.Off = codecs.Classify(err, fe.Off)
	return fe
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// MountOrder returns the order that the engine mounts a pak with, from its path
// in the game's folder (with forward slashes or backslashes). Of two paks that
// hold a file, the one of higher order gives it. Equal orders are no order: do
// not rely on a tie.
//
// The folder counts 4 for Project/Content/Paks/Project-*, 3 for other content
// of the project, 2 for the engine's, 1 for the saved folder, and 0 for
// others, so also for a bare file name. A name that ends in _P.pak counts 100
// more, or 100 x (N+1) when it ends in _N_P.pak with N >= 1. Engines up to 4.16
// add 100 whatever N is.
func MountOrder(name string) int { return unreal.MountOrder(name, ".pak") }

// PatchName returns the name of the n-th patch of a pak: Game_2_P.pak for
// Game.pak, Game_P.pak and Game_0_P.pak with n = 2. [MountOrder] of it is
// 100 x (n+1).
func PatchName(name string, n int) string { return unreal.PatchName(name, ".pak", n) }

// Chunk returns N for a pak named pakchunkN-*.pak or pakchunkN_*.pak.
func Chunk(name string) (n int, ok bool) { return unreal.Chunk(name) }
