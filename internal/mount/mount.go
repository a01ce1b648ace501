// Package mount decides which archive provides a file to the game. It is the one place
// where that is decided: the indexer stores its verdicts in the catalog
// (build_archive.place, build_shadow), comparisons read them there, and plans of
// patches ask it again for archives that no catalog knows.
//
// A game sees one entry for each file:
//   - [FileKey] is equal for entries that are the same file.
//   - [Compare] decides which of two archives wins.
//   - [View] goes through the entries in that order, and knows about delete
//     records and about several entries of one file in one archive.
//
// The facts about Unreal Engine are in codecs/unrealpak/FORMAT.md, "Which file
// wins". It imports nothing of ours, so that the catalog may use it.
package mount

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
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
// if the archive that is first in the build wins. It is a strict weak order.
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

// Path returns where an entry of that name lies in a game's file system when
// its archive is mounted: mount point and name joined, without the leading
// ../../../ or drive that leads to the game's root, dots resolved, with forward
// slashes. It is always relative and never contains "..", and it is "" when
// nothing is left.
func Path(mount, name string) string {
	full := strings.ReplaceAll(mount, `\`, "/")
	if full != "" && !strings.HasSuffix(full, "/") {
		full += "/"
	}
	full += strings.ReplaceAll(name, `\`, "/")
	if len(full) >= 2 && full[1] == ':' && full[0]|0x20 >= 'a' && full[0]|0x20 <= 'z' {
		full = full[2:]
	}
	return strings.TrimPrefix(path.Clean("/"+full), "/")
}

// FileKey is what two entries share when they are the same file of a game: their
// [Path] in lower case, as lookups of games ignore case.
func FileKey(mount, name string) string { return string(AppendFileKey(nil, mount, name)) }

// AppendFileKey appends [FileKey] to b.
func AppendFileKey(b []byte, mount, name string) []byte {
	at := mount
	for strings.HasPrefix(at, "../") { // above the root is the root
		at = at[3:]
	}
	at = strings.TrimSuffix(at, "/")
	if !plain(name) || at != "" && !plain(at) {
		return append(b, strings.ToLower(Path(mount, name))...)
	}
	from := len(b)
	if at != "" {
		b = append(append(b, at...), '/')
	}
	b = append(b, name...)
	lower := b[from:]
	for i, c := range lower {
		if c-'A' < 26 {
			lower[i] = c | 0x20
		}
	}
	return b
}

// plain reports whether a path is its own [Path], as far as can be seen at once: ASCII,
// relative, with forward slashes, and nothing that begins with a dot.
func plain(s string) bool {
	if len(s) > 1 && s[1] == ':' {
		return false
	}
	before := byte('/')
	for i := range len(s) {
		c := s[i]
		if before == '/' && (c == '/' || c == '.') || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
		before = c
	}
	return before != '/'
}

// View finds what a game sees of mounted archives. It is offered their entries
// archive by archive, the archive that wins first (see [Compare]); those of one
// archive begin with the one that counts among several of one file: its first,
// or in some formats its last. K identifies files, E is an entry. The
// zero value is not ready; see [NewView].
type View[K comparable, E any] struct {
	at    map[K]int32
	cells []cell[E]
}

// cell is what is known of one file while archives are gone through.
type cell[E any] struct {
	seen      E // when isSeen
	gone      E // the uppermost delete record, when isGone
	goneOrder int64
	latest    int32 // the last archive that had the file, from 1
	isSeen    bool
	isGone    bool
}

// NewView returns a view that has room for so many files.
func NewView[K comparable, E any](files int) *View[K, E] {
	return &View[K, E]{at: make(map[K]int32, files), cells: make([]cell[E], 0, files)}
}

// Offer takes the next entry, of the file key, in an archive of that mount order.
// archive identifies the archive and is not below 0. It returns what hides the
// entry: the one that the game sees, else a delete record; hidden is false for
// the entry that the game sees, and for delete records.
//
// A delete record hides the file in archives of lower mount order, not in others
// of its own. In its own archive, as any entry, it hides the further ones of the
// file.
func (v *View[K, E]) Offer(key K, e E, archive int, order int64, deleted bool) (by E, hidden bool) {
	i, known := v.at[key]
	if !known {
		i = int32(len(v.cells))
		v.at[key] = i
		v.cells = append(v.cells, cell[E]{})
	}
	c := &v.cells[i]
	further := c.latest == int32(archive)+1
	c.latest = int32(archive) + 1
	switch {
	case deleted:
		if !further && !c.isGone {
			c.gone, c.goneOrder, c.isGone = e, order, true
		}
		return by, false
	case c.isSeen:
		return c.seen, true
	case c.isGone && (further || order < c.goneOrder):
		return c.gone, true
	}
	c.seen, c.isSeen = e, true
	return by, false
}

// Seen yields what the game sees, in no particular order.
func (v *View[K, E]) Seen() iter.Seq2[K, E] {
	return func(yield func(K, E) bool) {
		for key, i := range v.at {
			if c := &v.cells[i]; c.isSeen && !yield(key, c.seen) {
				return
			}
		}
	}
}
