// Package asset groups the files of one cooked asset of Unreal Engine 4 and 5: its
// tables, the bytes of its exports, and what is loaded on demand.
package asset

import (
	"os"
	"path/filepath"
	"strings"
)

// Part is what a file is to its asset.
type Part uint8

// The parts of an asset. Header is .uasset or .umap, and the whole asset where
// there is no Body.
const (
	None   Part = iota // the file is no part of an asset
	Header             // .uasset, .umap
	Body               // .uexp: the bytes of the exports
	Bulk               // .ubulk, .m.ubulk, .uptnl, .ufont: loaded on demand
)

// suffixes are tried in their order.
var suffixes = []struct {
	text string
	part Part
}{{".uasset", Header}, {".umap", Header}, {".uexp", Body}, {".m.ubulk", Bulk}, {".ubulk", Bulk},
	{".uptnl", Bulk}, {".ufont", Bulk}}

// Split divides a path or name into what the files of an asset have in common
// and the rest, ".uexp". Of another file the part is None and the stem all of it.
func Split(name string) (stem, ext string, part Part) {
	for _, s := range suffixes {
		if n := len(name) - len(s.text); n > 0 && name[n] == '.' && strings.EqualFold(name[n:], s.text) {
			return name[:n], name[n:], s.part
		}
	}
	return name, "", None
}

// Of returns the asset that a file is a part of: the same text for all of its files, whatever
// their case, and "" for a file that is no part of one.
func Of(name string) string {
	stem, _, part := Split(name)
	if part == None {
		return ""
	}
	return strings.ToLower(stem)
}

// Same reports whether two names are those of one file of one asset, whatever their case;
// names of other files have to be equal.
func Same(a, b string) bool {
	_, _, part := Split(a)
	return a == b || part != None && strings.EqualFold(a, b)
}

// Files lists the names that the files of an asset may have, by the name of one of them;
// of another file that name alone.
func Files(name string) []string {
	stem, ext, part := Split(name)
	if part == None {
		return []string{name}
	}
	all := make([]string, len(suffixes))
	for i, s := range suffixes {
		if all[i] = stem + s.text; strings.EqualFold(s.text, ext) {
			all[i] = name
		}
	}
	return all
}

// Beside returns the name that a file of an asset has in its folder, by the path of another
// one and an extension, whatever their case: that name as it is where there is none.
func Beside(path, ext string) string {
	stem, _, _ := Split(path)
	name := stem + ext
	if _, err := os.Lstat(name); err == nil {
		return name
	}
	files, _ := os.ReadDir(filepath.Dir(name))
	for _, f := range files {
		if strings.EqualFold(f.Name(), filepath.Base(name)) {
			return filepath.Join(filepath.Dir(name), f.Name())
		}
	}
	return name
}

// Headers lists the names that the file with an asset's tables may have.
func Headers(stem string) []string { return []string{stem + ".uasset", stem + ".umap"} }
