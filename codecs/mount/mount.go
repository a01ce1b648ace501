// Package mount decides which archive provides a file to the game. It is the one place
// where that is decided: the indexer stores its verdicts in the catalog
// (build_archive.place, build_shadow), comparisons read them there, and plans of
// patches ask it again for archives that no catalog knows.
//
// A game sees one entry for each file:
//   - [FileKey] tells which entries are the same file.
//   - [Compare] tells which of two archives wins.
//   - [View] goes through the entries in that order, and knows about delete
//     records and about several entries of one file in one archive.
//
// The facts about Unreal Engine are in codecs/unrealpak/FORMAT.md, "Which file
// wins". It imports nothing of ours, so that the catalog may use it.
package mount

import (
	"cmp"
	"slices"
	"strings"
)

// Archive is what decides, of an archive, which files of it a game sees.
type Archive struct {
	Order   int64 // the higher one wins; 0 where the format has no mount order
	Ordered bool  // the format has a mount order
	// FirstByName: of archives of one order the first by name wins, not the last.
	FirstByName bool
	Name        string // relative to the folder of the build
}

// kind ranks archives of one mount order. Paks and containers never hold the
// same file, for chunks are known by their ids; that they do not compare by
// name with each other is what makes the order one without circles.
func (a *Archive) kind() int {
	switch {
	case !a.Ordered:
		return 2
	case a.FirstByName:
		return 0
	}
	return 1
}

// Compare returns a number below 0 if a wins over b, above 0 if b does, and 0
// if the archive that stands first in the build wins. It is a strict weak order.
//
// The higher mount order wins. Of equal orders the engine mounts paks by
// descending name, without regard to case, and the first one mounted wins; among
// IoStore containers the first by name wins, as authors of mods measured. Both
// are ties that nobody should rely on. Archives without an order, as loose files,
// lose to paks of order 0.
func Compare(a, b *Archive) int {
	byOrder := cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(a.kind(), b.kind()))
	if byOrder != 0 || !a.Ordered {
		return byOrder
	}
	byName := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	if a.FirstByName {
		return byName
	}
	return -byName
}

// Places returns the place of each archive: 0 for the one that wins over all
// others, then 1, and so on. archives are in the order of the build.
func Places(archives []Archive) []int {
	byRank := make([]int, len(archives))
	for i := range byRank {
		byRank[i] = i
	}
	slices.SortStableFunc(byRank, func(i, j int) int { return Compare(&archives[i], &archives[j]) })
	places := make([]int, len(archives))
	for place, i := range byRank {
		places[i] = place
	}
	return places
}
