package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"pakdb/codecs"
)

// Settle plans the archive that makes what have mounts into want. Archives of gone
// are mounted too until they are removed: with them and without them a game then
// sees the same. Files of the same content must be known to be the same.
//
// Archives of a format without delete records cannot hide a file: [Plan.Kept] has
// those that want does not have, and they stay. The error is [ErrNothing] if nothing
// needs to be written.
func Settle(have, gone, want *Stack, registry *codecs.Registry) (*Plan, error) {
	p := &Plan{Old: have, New: want, under: have.Over(gone), merges: true, options: Options{Number: -1}}
	if err := refuse(p, registry, p.under, want, false); err != nil {
		return nil, err
	}
	if n := have.Nameless + gone.Nameless + want.Nameless; n > 0 {
		return nil, fmt.Errorf("%w: %s without a name", errors.ErrUnsupported, count(n, "entry"))
	}
	var err error
	if p.Format, err = patchFormat(have, registry); err != nil {
		return nil, err
	}
	p.formats = patchFormats(have, registry, p.Format)
	if err := choose(p, changes(p)); err != nil {
		return nil, err
	}
	if len(p.Items) == 0 {
		return p, ErrNothing
	}
	below := have.View()
	p.Kept = slices.DeleteFunc(p.Kept, func(it Item) bool { return below[it.Key()] == nil }) // it leaves with gone
	p.wanted = maps.Clone(want.View())
	for i := range p.Kept {
		p.wanted[p.Kept[i].Key()] = p.Kept[i].Old
	}
	if err := (&layout{p: p}).layOut(); err != nil {
		return nil, err
	}
	// What another archive mounts is there before that one is.
	slices.SortStableFunc(p.Parts, func(a, b Part) int {
		return cmp.Compare(boolInt(a.Format.Mounts().By == ""), boolInt(b.Format.Mounts().By == ""))
	})
	for n := range p.Parts {
		for _, i := range p.Parts[n].Items {
			p.Items[i].Part = n
		}
	}
	warnUnsigned(p)
	return p, nil
}

// IsPatchOrder reports whether archives of a mount order lie above those that are no patches.
func IsPatchOrder(order int64) bool { return order >= firstPatchOrder }

// Stored returns the stored bytes that go into the archives of the plan.
func (p *Plan) Stored() (n int64) {
	for i := range p.Parts {
		n += p.Parts[i].Stored(p)
	}
	return n
}

// KeptPaths returns the paths of [Plan.Kept].
func (p *Plan) KeptPaths() (paths []string) {
	for i := range p.Kept {
		paths = append(paths, p.Kept[i].Path)
	}
	return paths
}

// Mounted returns how many archives a game mounts by themselves.
func (s *Stack) Mounted() (n int) {
	for _, m := range s.Mounts {
		if m.rules.By == "" {
			n++
		}
	}
	return n
}

// Beside returns the folder of the archive that the plan's first archive is like.
func (p *Plan) Beside() string {
	for i := range p.Parts {
		if p.Parts[i].model != nil {
			return filepath.Dir(p.Parts[i].model.Location)
		}
	}
	return "."
}
