package diff

import (
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

// assetName is what the files of one asset share on one side.
type assetName struct {
	dir  int64
	stem string
}

// assetOf returns the asset that a path is a file of.
func (n *names) assetOf(path int64) (name assetName, ext string, part asset.Part) {
	i, ok := slices.BinarySearch(n.ids, path)
	if !ok {
		return assetName{}, "", asset.None
	}
	stem, ext, part := asset.Split(n.base[i])
	return assetName{n.dirOf[i], stem}, ext, part
}

// groupAssets finds the pairs that belong together.
func (r *Result) groupAssets() {
	g := r.newGrouping()
	if g == nil {
		return
	}
	for i := range r.pairs {
		g.add(int32(i), true)
	}
	for i := range r.pairs {
		g.add(int32(i), false)
	}
	r.assets, r.hidden = map[int32]*group{}, make([]bool, len(r.pairs))
	for _, one := range g.all {
		if len(one.rest) == 0 {
			continue
		}
		r.chooseLead(one)
		one.what = r.whatHappened(one)
		r.assets[one.lead] = one
		for _, i := range one.rest {
			r.hidden[i] = true
			r.hiding++
		}
	}
}

// grouping is the groups on the way, by the names of their assets.
type grouping struct {
	r        *Result
	old, new map[assetName]*group
	all      []*group
}

// newGrouping returns nil when nothing changed but assets of one file each.
func (r *Result) newGrouping() *grouping {
	for i := range r.pairs {
		if _, _, part := r.names.assetOf(r.place(&r.pairs[i]).path); part > asset.Header {
			return &grouping{r: r, old: map[assetName]*group{}, new: map[assetName]*group{}}
		}
	}
	return nil
}

// add takes the pairs that have both sides first. A file that came or went joins
// those of its asset that stayed.
func (g *grouping) add(i int32, both bool) {
	p := &g.r.pairs[i]
	if (p.old >= 0 && p.new >= 0) != both {
		return
	}
	var old, new assetName
	var part asset.Part
	if p.old >= 0 {
		old, _, part = g.r.names.assetOf(g.r.old.rows[p.old].path)
	}
	if p.new >= 0 {
		new, _, part = g.r.names.assetOf(g.r.new.rows[p.new].path)
	}
	if part == asset.None {
		return
	}
	a, b := g.old[old], g.new[new]
	switch {
	case both && a != nil && a == b, !both && p.old >= 0 && a != nil:
		a.rest = append(a.rest, i)
	case !both && p.new >= 0 && b != nil:
		b.rest = append(b.rest, i)
	default:
		g.start(i, old, new, a, b)
	}
}

func (g *grouping) start(i int32, old, new assetName, a, b *group) {
	one := &group{lead: i}
	g.all = append(g.all, one)
	if a == nil && old.stem != "" {
		g.old[old] = one
	}
	if b == nil && new.stem != "" {
		g.new[new] = one
	}
}

// chooseLead takes the file with the tables where it is there, and one that both
// builds have.
func (r *Result) chooseLead(g *group) {
	all := append([]int32{g.lead}, g.rest...)
	rank := func(i int32) int {
		p := &r.pairs[i]
		_, _, part := r.names.assetOf(r.place(p).path)
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
// one of them was modified; only one whose files are all cosmetic is so itself.
func (r *Result) whatHappened(g *group) Kind {
	what, every := r.pairs[g.lead].what, r.pairs[g.lead].what
	for _, i := range g.rest {
		what |= r.pairs[i].what
		every &= r.pairs[i].what
	}
	if partly := what &^ every & (Added | Removed); partly != 0 {
		what = what&^partly | Modified
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
		_, part.Ext, _ = r.names.assetOf(r.place(p).path)
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
		_, _, part := names.assetOf(m.old.rows[i].path)
		return part != asset.None
	}) {
		return nil
	}
	became := map[assetName]assetName{}
	for _, p := range m.found {
		from, _, part := names.assetOf(m.old.rows[p.old].path)
		to, _, same := names.assetOf(m.new.rows[p.new].path)
		if _, taken := became[from]; part == same && part != asset.None && !taken {
			became[from] = to
		}
	}
	type file struct {
		assetName
		ext string
	}
	m.match(assetWay, func(s side, i int32) any {
		name, ext, part := names.assetOf(s.rows[i].path)
		if s.build == m.old.build {
			name = became[name]
		}
		if part == asset.None || name.stem == "" {
			return nil
		}
		return file{name, strings.ToLower(ext)}
	}, Renamed)
	return nil
}
