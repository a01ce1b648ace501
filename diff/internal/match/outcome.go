package match

import (
	"cmp"

	"pakdb/diff/internal/side"
	"pakdb/internal/radix"
)

// Outcome is what two builds differ in, as plain data.
type Outcome struct {
	Sides     *side.Sides
	Pairs     []Pair      // what differs, ordered by folder, name and what happened
	Downloads []int64     // of Pairs: bytes that must be fetched, about
	Names     *side.Names // of Pairs

	Groups map[int32]*Group // by the pair that is shown for one: Unreal assets of several files
	Hidden []bool           // of Pairs: those that belong to a group whose lead is another; nil: none

	Kept map[string]*Kept // by asset.Of: assets that both builds have, and of which files came or went

	Taken  map[int64]Taken       // by path_id: paths that are those of other records now
	Public map[int64][2][]string // by path_id: public names on both sides, where they differ

	Unknown   []int32  // rows of the new side: of one size with the old one's, and one of both was not decoded
	Reordered []string // archives whose entries lie in another order as a whole
}

// Taken is a path whose file is that of another record in the new build, with the
// records of both; the zero GUID is none.
type Taken struct {
	Old, New side.GUID
	split    bool // one of the records has another path in the other build
}

// Group is the pairs of one change.
type Group struct {
	Lead int32   // index of the pair it is called by
	Rest []int32 // those of the others, in the order of their names
}

// Place returns the row that a pair is listed by: that of the new build if there is
// one.
func (out *Outcome) Place(p *Pair) *side.Row {
	if p.New >= 0 {
		return &out.Sides.New.Rows[p.New]
	}
	return &out.Sides.Old.Rows[p.Old]
}

// Each calls do for the pairs to which any of some things happened, and whose
// contents are known and differ.
func (out *Outcome) Each(what What, do func(p *Pair, old, new int64)) {
	for i := range out.Pairs {
		p := &out.Pairs[i]
		if p.What&what == 0 || p.Old < 0 || p.New < 0 {
			continue
		}
		if a, b := out.Sides.Old.Rows[p.Old].Content, out.Sides.New.Rows[p.New].Content; a != 0 && b != 0 {
			do(p, a, b)
		}
	}
}

// noter adds notes to pairs, which it finds by their rows in the new build.
type noter struct {
	pairs []Pair
	at    map[int32]int
}

func newNoter(pairs []Pair) *noter {
	n := &noter{pairs, map[int32]int{}}
	for i, p := range pairs {
		if p.Old >= 0 && p.New >= 0 {
			n.at[p.New] = i
		}
	}
	return n
}

// note adds to what differs in the metadata of a pair; one that is not there is
// added.
func (n *noter) note(old, new int32, what Note) {
	i, ok := n.at[new]
	if !ok {
		i = len(n.pairs)
		n.at[new] = i
		n.pairs = append(n.pairs, Pair{Old: old, New: new})
	}
	n.pairs[i].Notes |= what
	n.pairs[i].What |= Metadata
}

// sort orders the pairs by folder, then by name: the order is the same whichever
// ids a catalog gave.
func (out *Outcome) sort() {
	radix.Sort(out.Pairs, func(p *Pair) int64 { return int64(out.Names.Rank(out.Place(p).Path)) }, func(a, b Pair) int {
		x, y := out.Place(&a), out.Place(&b)
		return cmp.Or(cmp.Compare(a.What.First(), b.What.First()), cmp.Compare(x.Archive, y.Archive), cmp.Compare(x.Seq, y.Seq))
	})
}
