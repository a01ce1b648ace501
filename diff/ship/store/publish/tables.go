package publish

import (
	"maps"
	"slices"

	"pakdb/diff/ship/store"
)

// earlierTables are the tables of packs that the last build has.
type earlierTables struct {
	refs  []store.TableRef
	packs [][]int // which packs each has
}

// write writes where the frames of all packs are. Those that earlier tables
// have stay in them, so that clients read of new packs alone; but a table that is
// not twice as large as what follows it is joined with that, so that there are
// few.
func (t *earlierTables) write(p *packs) ([]store.TableRef, error) {
	refs := slices.Clone(t.refs)
	known := map[int]bool{}
	for i := range refs {
		for _, n := range t.packs[i] {
			known[n] = true
		}
	}
	var fresh []int
	for _, n := range slices.Sorted(maps.Keys(p.infos)) {
		if !known[n] {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) == 0 {
		return refs, nil
	}
	for k := len(refs) - 1; k >= 0 && (refs[k].Last >= fresh[0] || len(t.packs[k]) <= 2*len(fresh)); k-- {
		fresh = append(fresh, t.packs[k]...)
		slices.Sort(fresh)
		refs = refs[:k]
	}
	fresh = slices.DeleteFunc(fresh, func(n int) bool { _, there := p.infos[n]; return !there })
	for len(fresh) > 0 {
		n := p.infos.Fit(fresh)
		id, err := p.out.object(p.infos.Marshal(fresh[:n]))
		if err != nil {
			return nil, err
		}
		refs = append(refs, store.TableRef{First: fresh[0], Last: fresh[n-1], Object: id})
		fresh = fresh[n:]
	}
	return refs, nil
}
