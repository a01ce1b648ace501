package overlay

import (
	"errors"
	"fmt"

	"pakdb/codecs"
)

// Make compares two stacks. The format of the patch is that of the old stack's
// archives; where no archive can be mounted over those, each that changed is made
// anew. A file whose content one side does not know counts as changed,
// unless both sides have it in the very same place. Damaged archives are a
// [codecs.DamageError], see Options.AllowDamaged.
func Make(old, new *Stack, registry *codecs.Registry, o Options) (*Plan, error) {
	p := &Plan{Old: old, New: new, options: o}
	if err := refuse(p, registry, old, new, o.AllowDamaged); err != nil {
		return nil, err
	}
	var err error
	if p.Format, err = patchFormat(old, registry); errors.Is(err, errors.ErrUnsupported) {
		return p, (&rebuilder{p}).rebuild(registry)
	}
	if o.Overlay {
		return nil, fmt.Errorf("%w: archives of format %s are patched by archives mounted over them", errors.ErrUnsupported, p.Format.Name)
	}
	p.formats = patchFormats(old, registry, p.Format)
	if err := choose(p, changes(p)); err != nil {
		return nil, err
	}
	countHidden(p)
	if err := (&layout{p: p}).layOut(); err != nil {
		return nil, err
	}
	warn(p)
	return p, nil
}

// patchFormat is that of the most archives which can be patched by archives on
// top of them.
func patchFormat(old *Stack, registry *codecs.Registry) (*codecs.Format, error) {
	entries := map[string]int64{}
	var best *codecs.Format
	for _, m := range old.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Mounts().PatchName == nil || f.Create == nil {
			continue
		}
		entries[f.Name] += 1 + m.Entries
		if best == nil || entries[f.Name] > entries[best.Name] {
			best = f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %s has no archives that others can be mounted over", errors.ErrUnsupported, old.Label)
	}
	return best, nil
}
