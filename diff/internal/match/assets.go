package match

import (
	"pakdb/diff/internal/side"
	"pakdb/internal/asset"
	"slices"
)

// An asset of Unreal Engine 4 and 5 is cooked to two, three or four files that
// only mean something together. What happened to them is one change of the
// asset, called by the file with the tables, or by the first one that changed.

// groupAssets finds the pairs that belong together.
func groupAssets(out *Outcome) {
	g := newGrouping(out)
	if g == nil {
		return
	}
	for _, both := range []bool{true, false} {
		for i := range out.Pairs {
			g.add(int32(i), both)
		}
	}
	if len(g.groups) == 0 {
		return
	}
	out.Groups, out.Hidden = make(map[int32]*Group, len(g.groups)), make([]bool, len(out.Pairs))
	for _, one := range g.groups {
		g.chooseLead(one)
		out.Groups[one.Lead] = one
		for _, i := range one.Rest {
			out.Hidden[i] = true
		}
	}
}

// grouping is the groups on the way: by the number of an asset on either side the
// first pair of its group, from 1, and by that the groups of several.
type grouping struct {
	out      *Outcome
	old, new []int32
	groups   map[int32]*Group
}

// newGrouping returns nil when nothing changed but assets of one file each.
func newGrouping(out *Outcome) *grouping {
	for i := range out.Pairs {
		if _, part := out.Names.PartOf(out.Place(&out.Pairs[i]).Path); part > asset.Header {
			n := out.Names.Assets()
			return &grouping{out: out, old: make([]int32, n+1), new: make([]int32, n+1), groups: map[int32]*Group{}}
		}
	}
	return nil
}

func (g *grouping) assetOf(rows []side.Row, at int32) int32 {
	if at < 0 {
		return 0
	}
	return g.out.Names.Asset(rows[at].Path)
}

// add takes the pairs that have both sides first. A file that came or went joins
// those of its asset that stayed.
func (g *grouping) add(i int32, both bool) {
	p := &g.out.Pairs[i]
	if (p.Old >= 0 && p.New >= 0) != both {
		return
	}
	old, new := g.assetOf(g.out.Sides.Old.Rows, p.Old), g.assetOf(g.out.Sides.New.Rows, p.New)
	a, b := g.old[old], g.new[new]
	switch {
	case old == 0 && new == 0:
	case !both && g.out.KeptBy(p) != nil: // what came joins what went
		of := old + new
		if first := max(g.old[of], g.new[of]); first != 0 {
			g.join(first, i)
		} else {
			g.old[of], g.new[of] = i+1, i+1
		}
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
		one = &Group{Lead: first - 1}
		g.groups[first] = one
	}
	one.Rest = append(one.Rest, i)
}

// chooseLead takes the file with the tables where it is there, and one that both
// builds have.
func (g *grouping) chooseLead(one *Group) {
	all := append([]int32{one.Lead}, one.Rest...)
	rank := func(i int32) int {
		p := &g.out.Pairs[i]
		_, part := g.out.Names.PartOf(g.out.Place(p).Path)
		if p.Old < 0 || p.New < 0 {
			part += 100
		}
		return int(part)
	}
	slices.Sort(all)
	slices.SortStableFunc(all, func(a, b int32) int { return rank(a) - rank(b) })
	one.Lead, one.Rest = all[0], all[1:]
}
