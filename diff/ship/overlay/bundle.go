package overlay

import (
	"path"

	"pakdb/internal/asset"
)

// bundles are the files of one asset. The engine reads them as one, so that a
// patch which holds some of them and leaves the others to the base would mix
// two cooks.
type bundles struct {
	wanted  map[string]bool // of which a change was chosen
	carried []Item
}

// bundles finds the unchanged files of the new build that belong to chosen
// changes. What is removed does not draw the others along: they are as they
// were.
func (s *selection) bundles() *bundles {
	b := &bundles{wanted: map[string]bool{}}
	for i := range s.changed {
		if it := &s.changed[i]; s.chosen[it.Key()] {
			if bundle := asset.Of(it.Path); bundle != "" {
				b.wanted[bundle] = true
			}
		}
	}
	in := make(map[Key]bool, len(s.changed))
	for i := range s.changed {
		in[s.changed[i].Key()] = true
	}
	cause := s.causes()
	for key, f := range s.p.New.View() {
		if in[key] || !s.p.formats.patches(f.Mount) {
			continue
		}
		if of := cause[asset.Of(f.Path())]; of != "" {
			b.carried = append(b.carried, Item{Path: f.Path(), Action: Carry, Reason: "belongs to " + path.Base(of),
				Old: s.p.Old.View()[key], New: f})
		}
	}
	return b
}

// causes names for each asset the change that draws the others along.
func (s *selection) causes() map[string]string {
	cause := map[string]string{}
	for i := range s.changed {
		it := &s.changed[i]
		bundle := asset.Of(it.Path)
		if bundle != "" && it.Action != Delete && s.chosen[it.Key()] && cause[bundle] == "" {
			cause[bundle] = it.Path
		}
	}
	return cause
}

// wants reports whether a change that nobody chose belongs to one that was.
func (b *bundles) wants(it *Item) bool { return b.wanted[asset.Of(it.Path)] }

// units are the items that stay together, in the order of their first.
func units(all []Item, items []int) (units [][]int) {
	at := map[string]int{}
	for _, i := range items {
		of := asset.Of(all[i].Path)
		if n, ok := at[of]; ok && of != "" {
			units[n] = append(units[n], i)
			continue
		}
		at[of] = len(units)
		units = append(units, []int{i})
	}
	return units
}
