package overlay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// changes lists what differs between the two views, by path, with what belongs
// to it.
func changes(p *Plan) []Item {
	cooked := !slices.ContainsFunc(p.New.Mounts, p.formats.patches)
	before, after := p.Old.View(), p.New.View()
	var over map[Key]*File
	if p.under != nil {
		over = p.under.View()
	}
	var items []Item
	for key, f := range after {
		if f.Mount.Loose() && !cooked {
			continue
		}
		it := Item{New: f, Old: before[key]}
		if it.Old != nil && it.Old.Mount.Loose() {
			it.Old = nil
		}
		other := it
		if other.Old = over[key]; p.under != nil && other.Old != nil && other.Old.Mount.Loose() {
			other.Old = nil
		}
		switch {
		case judge(p, &it):
			items = append(items, it)
		case p.under != nil && judge(p, &other):
			other.Old = it.Old
			items = append(items, other)
		}
	}
	for key, f := range before {
		if after[key] == nil && !f.Mount.Loose() {
			items = append(items, Item{Path: f.Path(), Action: Delete, Reason: "removed", Old: f})
		}
	}
	for key, f := range over {
		if after[key] == nil && before[key] == nil && !f.Mount.Loose() {
			items = append(items, Item{Path: f.Path(), Action: Delete, Reason: "removed", Old: f})
		}
	}
	byPath(items)
	return items
}

func byPath(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)), strings.Compare(a.Path, b.Path))
	})
}

// judge decides about a file of the new build.
func judge(p *Plan, it *Item) bool {
	a, b := it.Old, it.New
	switch {
	case a == nil:
		it.Action, it.Reason = Add, "added"
	case a.Mount.same(b.Mount) && a.Ordinal == b.Ordinal:
		return false
	case !a.Known || !b.Known:
		it.Action, it.Reason = Replace, "content not known"
	case a.Content != b.Content:
		it.Action, it.Reason = Replace, "modified"
	case p.options.PerChunk && p.formats.chunkOf(a.Mount) != p.formats.chunkOf(b.Mount) && p.formats.patches(b.Mount):
		it.Action, it.Reason = Carry, "moved from "+a.Mount.Name
	default:
		return false
	}
	if it.Path = b.Path(); a != nil && it.Path != a.Path() {
		it.Reason += ", was " + a.Path()
	}
	return true
}

// selection is which changes a patch is made of.
type selection struct {
	p       *Plan
	changed []Item
	chosen  map[Key]bool
}

// choose keeps what was asked for, adds what belongs to it, and sets aside what no
// archive of the format can do.
func choose(p *Plan, changed []Item) error {
	s := &selection{p, changed, map[Key]bool{}}
	for i := range changed {
		if o := p.options; o.Only == nil || o.Only(&changed[i]) {
			s.chosen[changed[i].Key()] = true
		}
	}
	b := s.bundles()
	if p.options.Needs != nil && p.options.Only != nil {
		if err := s.draw(b); err != nil {
			return err
		}
		b = s.bundles()
	}
	for _, it := range changed {
		switch {
		case !s.chosen[it.Key()] && !b.wants(&it):
			p.Left = append(p.Left, it)
		case it.Action == Delete && p.formats.patches(it.Old.Mount) && !p.formats.canDelete(p.Old, it.Old.Mount):
			p.Kept = append(p.Kept, it)
		default:
			p.Items = append(p.Items, it)
		}
	}
	p.Items = append(p.Items, b.carried...)
	byPath(p.Items)
	return refuseForeign(p)
}

// refuseForeign reports files that lie in archives of another format.
func refuseForeign(p *Plan) error {
	foreign := map[string]int{}
	total := 0
	for i := range p.Items {
		f := p.Items[i].either()
		if p.formats.patches(f.Mount) || f.Mount.Loose() {
			continue
		}
		foreign[f.Mount.Name]++
		total++
	}
	if total == 0 {
		return nil
	}
	var names []string
	for name, n := range foreign {
		names = append(names, fmt.Sprintf("%s (%d)", name, n))
	}
	slices.Sort(names)
	return fmt.Errorf("%w: %d in %s, which a patch of format %s does not hide", ErrForeign, total,
		strings.Join(names[:min(len(names), 4)], ", "), p.Format.Name)
}

// countHidden tells of each item how many entries of the old build it buries.
func countHidden(p *Plan) {
	at := make(map[Key]int, len(p.Items))
	for i := range p.Items {
		at[p.Items[i].Key()] = i
	}
	for i := range p.Old.Files {
		f := &p.Old.Files[i]
		if n, ok := at[f.Key]; ok && !f.Deleted() && !f.Mount.Loose() {
			p.Items[n].Hides++
		}
	}
}
