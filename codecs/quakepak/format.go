// Package quakepak reads and writes the .pak archives of Quake, Quake II and the
// games that took over their engines:
//
//	header     "PACK", u32 offset of the directory, u32 size of the directory
//	data       of the entries, stored
//	directory  for each entry: name[56], padded with NUL, u32 offset, u32 size
//
// Integers are little-endian. It is the smallest format that has a reader, a
// writer and patches: CONTRIBUTING.md shows by it how a format is added.
package quakepak

import (
	_ "embed"
	"errors"
	"path"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

//go:embed FORMAT.md
var spec string

const (
	formatName = "quakepak"
	ext        = ".pak"
	magic      = "PACK"
	headerSize = 12
	nameSize   = 56 // the last byte is NUL
	entrySize  = nameSize + 8
)

// Format returns the format of Quake's paks.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     formatName,
		Doc:      "Quake, Quake II, Half-Life .pak",
		Spec:     spec,
		Exts:     []string{ext},
		Versions: []string{magic},
		Methods:  []compress.Method{compress.None},
		Revision: 1,
		Mounting: &codecs.Mounting{Order: mountOrder, PatchName: patchName},
		Probe:    probe,
		Explain:  explain,
		Open:     open,
		Options:  func(string) []codecs.Option { return []codecs.Option{codecs.OptionMethod} },
		Create:   create,
	}
}

// probe wants the directory inside the file as well: packs of Git start with
// "PACK" too.
func probe(src codecs.Source) (codecs.Match, error) {
	_, _, err := readHeader(src)
	switch {
	case err == nil:
		return codecs.MagicMatch, nil
	case errors.Is(err, codecs.ErrUnknown), errors.Is(err, codecs.ErrTruncated):
		return codecs.NoMatch, nil
	}
	return codecs.NoMatch, err
}

// explain says of a .pak that starts as one of Quake where it was cut off.
func explain(src codecs.Source) *codecs.FormatError {
	_, _, err := readHeader(src)
	var cut *codecs.FormatError
	if strings.EqualFold(path.Ext(src.Name), ext) && errors.Is(err, codecs.ErrTruncated) && errors.As(err, &cut) {
		return cut
	}
	return nil
}

// mountOrder returns the number that the name ends in: the engine mounts pak0.pak
// first, and pak1.pak wins over it. It mounts no pak without a number, so even
// loose files, whose order is 0, win over these.
func mountOrder(name string) int {
	_, number := splitNumber(name)
	n, err := strconv.Atoi(number)
	if err != nil {
		return -1
	}
	return n
}

// patchName returns the name of a pak with the number n: pak2.pak for pak0.pak.
func patchName(name string, n int) string {
	stem, _ := splitNumber(name)
	return stem + strconv.Itoa(n) + ext
}

func splitNumber(name string) (stem, number string) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	base = strings.TrimSuffix(base, path.Ext(base))
	stem = strings.TrimRight(base, "0123456789")
	return stem, base[len(stem):]
}
