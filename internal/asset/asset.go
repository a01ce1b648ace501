// Package asset knows the files that one asset of Unreal Engine 4 and 5 is
// cooked to: its tables, the bytes of its exports, and what is loaded on demand.
package asset

import "strings"

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

// Others lists the names that the other files of an asset may have, by the name of the one
// with its tables; none of another file.
func Others(name string) []string {
	stem, _, part := Split(name)
	if part != Header {
		return nil
	}
	var others []string
	for _, s := range suffixes {
		if s.part != Header {
			others = append(others, stem+s.text)
		}
	}
	return others
}

// Headers lists the names that the file with an asset's tables may have.
func Headers(stem string) []string { return []string{stem + ".uasset", stem + ".umap"} }
