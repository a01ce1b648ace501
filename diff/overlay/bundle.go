package overlay

import (
	"path"
	"strings"

	"pakdb/internal/asset"
)

// bundles are the files of one asset. The engine reads them as one, so that a
// patch which holds some of them and leaves the others to the base would mix
// two cooks.
type bundles struct {
	wanted  map[string]bool // of which a change was chosen
	carried []Item
}

// bundleOf returns what the files of one asset share, "" for other files:
// the path without its extension, in lower case.
func bundleOf(name string) string {
	stem, _, part := asset.Split(name)
	if part == asset.None {
		return ""
	}
	return strings.ToLower(stem)
}

// bundles finds the unchanged files of the new build that belong to chosen
// changes. What is removed does not draw the others along: they are as they
// were.
func (p *Plan) bundles(changed []Item, chosen map[Key]bool) *bundles {
	b := &bundles{wanted: map[string]bool{}}
	for i := range changed {
		if it := &changed[i]; chosen[it.Key()] {
			if bundle := bundleOf(it.Path); bundle != "" {
				b.wanted[bundle] = true
			}
		}
	}
	in := make(map[Key]bool, len(changed))
	for i := range changed {
		in[changed[i].Key()] = true
	}
	cause := p.causes(changed, chosen)
	for key, f := range p.New.View() {
		if in[key] || !p.patches(f.Mount) {
			continue
		}
		if of := cause[bundleOf(f.Path())]; of != "" {
			b.carried = append(b.carried, Item{Path: f.Path(), Action: Carry, Reason: "belongs to " + path.Base(of),
				Old: p.Old.View()[key], New: f})
		}
	}
	return b
}

// causes names for each asset the change that draws the others along.
func (p *Plan) causes(changed []Item, chosen map[Key]bool) map[string]string {
	cause := map[string]string{}
	for i := range changed {
		it := &changed[i]
		bundle := bundleOf(it.Path)
		if bundle != "" && it.Action != Delete && chosen[it.Key()] && cause[bundle] == "" {
			cause[bundle] = it.Path
		}
	}
	return cause
}

// wants reports whether a change that nobody chose belongs to one that was.
func (b *bundles) wants(it *Item) bool { return b.wanted[bundleOf(it.Path)] }
