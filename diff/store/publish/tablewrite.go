package publish

import (
	"maps"
	"slices"

	"pakdb/diff/store"
)

// writeTables writes where the frames of all packs are. Those that earlier tables
// have stay in them, so that clients read of new packs alone; but a table that is
// not twice as large as what follows it is joined with that, so that there are
// few.
func writeTables(p *publisher) ([]store.TableRef, error) {
	refs := slices.Clone(p.tabled)
	known := map[int]bool{}
	for i := range refs {
		for _, n := range p.tabledPacks[i] {
			known[n] = true
		}
	}
	var fresh []int
	for _, n := range slices.Sorted(maps.Keys(p.packs)) {
		if !known[n] {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) == 0 {
		return refs, nil
	}
	for k := len(refs) - 1; k >= 0 && (refs[k].Last >= fresh[0] || len(p.tabledPacks[k]) <= 2*len(fresh)); k-- {
		fresh = append(fresh, p.tabledPacks[k]...)
		slices.Sort(fresh)
		refs = refs[:k]
	}
	fresh = slices.DeleteFunc(fresh, func(n int) bool { _, there := p.packs[n]; return !there })
	for len(fresh) > 0 {
		n := p.packs.Fit(fresh)
		id, err := p.object(p.packs.Marshal(fresh[:n]))
		if err != nil {
			return nil, err
		}
		refs = append(refs, store.TableRef{First: fresh[0], Last: fresh[n-1], Object: id})
		fresh = fresh[n:]
	}
	return refs, nil
}
