package store

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
)

// tables writes where the frames of all packs are. Those that earlier tables
// have stay in them, so that clients read of new packs alone; but a table that is
// not twice as large as what follows it is joined with that, so that there are
// few.
func (p *publisher) tables() ([]TableRef, error) {
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
		n := p.packs.fit(fresh)
		id, err := p.object(p.packs.marshal(fresh[:n]))
		if err != nil {
			return nil, err
		}
		refs = append(refs, TableRef{fresh[0], fresh[n-1], id})
		fresh = fresh[n:]
	}
	return refs, nil
}

// fit returns how many packs go into one table that clients read.
func (t tables) fit(numbers []int) int {
	size := len(tablesMagic) + binary.MaxVarintLen32
	for i, n := range numbers {
		if size += 2*binary.MaxVarintLen32 + 16 + 3*len(t[n].ends); size > maxTable && i > 0 {
			return i
		}
	}
	return len(numbers)
}

// fit leaves out patches between files, the smallest first, of which a client's
// bounds for manifests leave no room for all: contents make the files as well.
func (x *Build) fit() error {
	for {
		text, err := json.MarshalIndent(x, "", " ")
		named := 0
		for _, d := range x.Deltas {
			named += len(d.Old) + len(d.New)
		}
		if err != nil || len(text) < maxManifest && len(x.Deltas) <= maxDeltas && named <= maxNamed || len(x.Deltas) == 0 {
			return err
		}
		order := slices.Clone(x.Deltas)
		slices.SortFunc(order, func(a, b Delta) int { return cmp.Compare(b.Size, a.Size) })
		least := order[len(order)*3/4].Size
		x.Deltas = slices.DeleteFunc(x.Deltas, func(d Delta) bool { return d.Size <= least })
	}
}
