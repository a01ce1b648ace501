package diff

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pakdb/internal/asset"
)

// An asset of Unreal Engine 4 and 5 is cooked to two, three or four files that
// only mean something together. What happened to them is one change of the
// asset, called by the file with the tables, or by the first one that changed.

// group is the pairs that one change stands for.
type group struct {
	lead int32   // the pair it is called by
	rest []int32 // the others, in the order of their names
	what Kind
}

// partOf says what a file is to its asset.
func (n *names) partOf(path int64) (ext string, part asset.Part) {
	i, ok := slices.BinarySearch(n.ids, path)
	if !ok {
		return "", asset.None
	}
	_, ext, part = asset.Split(n.base(i))
	return ext, part
}

// groupAssets finds the pairs that belong together.
func (r *Result) groupAssets() {
	g := r.newGrouping()
	if g == nil {
		return
	}
	for _, both := range []bool{true, false} {
		for i := range r.pairs {
			g.add(int32(i), both)
		}
	}
	if len(g.groups) == 0 {
		return
	}
	r.assets, r.hidden = make(map[int32]*group, len(g.groups)), make([]bool, len(r.pairs))
	for _, one := range g.groups {
		r.chooseLead(one)
		one.what = r.whatHappened(one)
		r.assets[one.lead] = one
		for _, i := range one.rest {
			r.hidden[i] = true
			r.hiding++
		}
	}
}

// grouping is the groups on the way: by the number of an asset on either side the
// first pair of its group, from 1, and by that the groups of several.
type grouping struct {
	r        *Result
	old, new []int32
	groups   map[int32]*group
}

// newGrouping returns nil when nothing changed but assets of one file each.
func (r *Result) newGrouping() *grouping {
	for i := range r.pairs {
		if _, part := r.names.partOf(r.place(&r.pairs[i]).path); part > asset.Header {
			n := r.names.assets().count
			return &grouping{r: r, old: make([]int32, n+1), new: make([]int32, n+1), groups: map[int32]*group{}}
		}
	}
	return nil
}

func (g *grouping) assetOf(rows []row, at int32) int32 {
	if at < 0 {
		return 0
	}
	return g.r.names.asset(rows[at].path)
}

// add takes the pairs that have both sides first. A file that came or went joins
// those of its asset that stayed.
func (g *grouping) add(i int32, both bool) {
	p := &g.r.pairs[i]
	if (p.old >= 0 && p.new >= 0) != both {
		return
	}
	old, new := g.assetOf(g.r.old.rows, p.old), g.assetOf(g.r.new.rows, p.new)
	a, b := g.old[old], g.new[new]
	switch {
	case old == 0 && new == 0:
	case both && a != 0 && a == b, !both && old != 0 && a != 0:
		g.join(a, i)
	case !both && new != 0 && b != 0:
		g.join(b, i)
	default:
		if old != 0 && a == 0 {
			g.old[old] = i + 1
		}
		if new != 0 && b == 0 {
			g.new[new] = i + 1
		}
	}
}

func (g *grouping) join(first, i int32) {
	one := g.groups[first]
	if one == nil {
		one = &group{lead: first - 1}
		g.groups[first] = one
	}
	one.rest = append(one.rest, i)
}

// chooseLead takes the file with the tables where it is there, and one that both
// builds have.
func (r *Result) chooseLead(g *group) {
	all := append([]int32{g.lead}, g.rest...)
	rank := func(i int32) int {
		p := &r.pairs[i]
		_, part := r.names.partOf(r.place(p).path)
		if p.old < 0 || p.new < 0 {
			part += 100
		}
		return int(part)
	}
	slices.Sort(all)
	slices.SortStableFunc(all, func(a, b int32) int { return rank(a) - rank(b) })
	g.lead, g.rest = all[0], all[1:]
}

// whatHappened is what happened to any of the files. An asset that lost or got
// one of them was modified, and so was one of which a file has its name in another
// case now; only one whose files are all cosmetic is so itself.
func (r *Result) whatHappened(g *group) Kind {
	what, every := r.pairs[g.lead].what, r.pairs[g.lead].what
	for _, i := range g.rest {
		what |= r.pairs[i].what
		every &= r.pairs[i].what
	}
	if partly := what &^ every & (Added | Removed); partly != 0 {
		what = what&^partly | Modified
	}
	if what&^r.pairs[g.lead].what&Renamed != 0 {
		what = what&^Renamed | Modified
	}
	if what&Modified != 0 {
		what &^= Cosmetic
	}
	return what
}

// addParts makes the change of a lead that of its group.
func (r *Result) addParts(c *Change, lead int32, g *group) {
	c.Kind = g.what.first()
	c.Also = g.what &^ c.Kind
	kept, size := int64(0), int64(0)
	for n, i := range append([]int32{lead}, g.rest...) {
		p := &r.pairs[i]
		part := Part{Kind: p.what.first()}
		part.Ext, _ = r.names.partOf(r.place(p).path)
		if p.old >= 0 {
			part.OldSize = r.old.rows[p.old].size
		}
		if p.new >= 0 {
			part.NewSize = r.new.rows[p.new].size
		}
		kept, size = kept+part.NewSize*int64(p.similarity), size+part.NewSize
		c.Parts = append(c.Parts, part)
		if n == 0 {
			continue
		}
		c.Download += r.download[i]
		if c.Old != nil && p.old >= 0 {
			c.Old.Size, c.Old.Stored = c.Old.Size+part.OldSize, c.Old.Stored+r.old.rows[p.old].stored
		}
		if c.New != nil && p.new >= 0 {
			c.New.Size, c.New.Stored = c.New.Size+part.NewSize, c.New.Stored+r.new.rows[p.new].stored
		}
	}
	if size > 0 {
		c.Similarity = int(kept / size)
	}
}

// PartList names the files that a change stands for, ".uasset .uexp"; "" when it
// is one.
func (c *Change) PartList() string {
	exts := make([]string, len(c.Parts))
	for i := range c.Parts {
		exts[i] = c.Parts[i].Ext
	}
	return strings.Join(exts, " ")
}

// byAsset lets the files of an asset follow one of them that was found under
// another name: a package carries its own name, so that its bytes always change
// with it, while those of its exports may not.
func (m *matcher) byAsset(context.Context) error {
	names := &m.r.names
	if m.done() || !slices.ContainsFunc(m.old.open, func(i int32) bool {
		_, part := names.partOf(m.old.rows[i].path)
		return part != asset.None
	}) {
		return nil
	}
	became := m.becameAssets()
	type file struct {
		asset int32
		ext   string
	}
	match(m, assetWay, Renamed, func(s side, i int32) (file, bool) {
		path := s.rows[i].path
		number := names.asset(path)
		if s.build == m.old.build {
			number = became[number]
		}
		ext, _ := names.partOf(path)
		return file{number, strings.ToLower(ext)}, number != 0
	})
	return nil
}

// becameAssets says, by the number of an old asset, which new one its files were
// found in. Each asset follows one, and one follows it, so that both directions
// agree; where files went apart, the surest way decides, then the file with the
// tables, then names, in an order that is the same from either side.
func (m *matcher) becameAssets() map[int32]int32 {
	type link struct {
		old, new, low, high int32
		way                 uint8
		part                asset.Part
	}
	names := &m.r.names
	var links []link
	for _, p := range m.found {
		old, new := m.old.rows[p.old].path, m.new.rows[p.new].path
		_, part := names.partOf(old)
		if _, same := names.partOf(new); part == same && part != asset.None {
			a, b := names.rank(old), names.rank(new)
			links = append(links, link{names.asset(old), names.asset(new), min(a, b), max(a, b), p.by, part})
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
