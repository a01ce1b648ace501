package match

import (
	"cmp"
	"context"
	"pakdb/internal/asset"
	"slices"
	"strings"
)

// byAsset lets the files of an asset follow one of them that was found under
// another name: a package carries its own name, so that its bytes always change
// with it, while those of its exports may not.
func byAsset(_ context.Context, m *matcher) error {
	names := m.Names
	if m.done() || !slices.ContainsFunc(m.old.rows, func(i int32) bool {
		_, part := names.PartOf(m.old.Rows[i].Path)
		return part != asset.None
	}) {
		return nil
	}
	became := becameAssets(m)
	type file struct {
		asset int32
		ext   string
	}
	match(m, assetWay, Renamed, func(s *open, i int32) (file, bool) {
		path := s.Rows[i].Path
		number := names.Asset(path)
		if s == &m.old {
			number = became[number]
		}
		ext, _ := names.PartOf(path)
		return file{number, strings.ToLower(ext)}, number != 0
	})
	return nil
}

// becameAssets says, by the number of an old asset, which new one its files were
// found in. Each asset follows one, and one follows it, so that both directions
// agree; where files went apart, the surest way decides, then the file with the
// tables, then names, in an order that is the same from either side.
func becameAssets(m *matcher) map[int32]int32 {
	type link struct {
		old, new, low, high int32
		way                 Way
		part                asset.Part
	}
	names := m.Names
	var links []link
	for _, p := range m.found {
		old, new := m.old.Rows[p.Old].Path, m.new.Rows[p.New].Path
		_, part := names.PartOf(old)
		if _, same := names.PartOf(new); part == same && part != asset.None {
			a, b := names.Rank(old), names.Rank(new)
			links = append(links, link{names.Asset(old), names.Asset(new), min(a, b), max(a, b), p.By, part})
		}
	}
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.way, b.way), cmp.Compare(a.part, b.part), cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high))
	})
	became, came := make(map[int32]int32, len(links)), make(map[int32]int32, len(links))
	for _, l := range links {
		if became[l.old] == 0 && came[l.new] == 0 {
			became[l.old], came[l.new] = l.new, l.old
		}
	}
	return became
}
