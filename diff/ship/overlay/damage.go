package overlay

import (
	"errors"
	"io/fs"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/regular"
)

// FindDamage is the damage of two stacks, and what only one of them reads as an
// archive.
func FindDamage(registry *codecs.Registry, old, new *Stack) []codecs.Damage {
	inOld, inNew := registry.Demoted(old.named(), new.named())
	all := slices.Clone(old.damageWith(inOld))
	if old != new && (old.Label != new.Label || old.Label == "") {
		all = append(all, new.damageWith(inNew)...)
	}
	return all
}

func (s *Stack) named() (list []codecs.NamedFormat) {
	for _, m := range s.Mounts {
		list = append(list, codecs.NamedFormat{Name: m.Name, Format: m.Format})
	}
	return append(list, s.passed...)
}

// damageWith is the damage of a stack and more of it.
func (s *Stack) damageWith(more []codecs.Damage) []codecs.Damage {
	all := codecs.MergeDamage(slices.Clone(s.Damage), more)
	for i := range all {
		all[i].Build = s.Label
	}
	return all
}

// MissParts adds files of contents that are missing beside archives which are
// there: a scan may do without them, a patch cannot. Of builds whose archives are
// gone altogether nothing is known, and nothing told.
func (s *Stack) MissParts(registry *codecs.Registry) {
	for _, m := range s.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Parts == nil {
			continue
		}
		file, err := regular.Open(m.Location)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var src codecs.Source
		if err == nil {
			src, err = codecs.FileSource(file)
		}
		if err != nil {
			s.Damage = codecs.MergeDamage(s.Damage, []codecs.Damage{codecs.NewDamage(m.Name, err)})
			continue
		}
		s.Damage = codecs.MergeDamage(s.Damage, codecs.MissingParts(m.Name, f, src))
		_ = file.Close()
	}
}

// refuse is the error for damaged stacks, unless damage is allowed. What was
// allowed is kept, for the manifest.
func refuse(p *Plan, registry *codecs.Registry, old, new *Stack, allowed bool) error {
	found := FindDamage(registry, old, new)
	for _, d := range found {
		p.Damaged = append(p.Damaged, d.String())
	}
	return codecs.RefuseDamaged(found, allowed)
}

// RefuseDamaged returns a [codecs.DamageError] if one of the stacks is damaged.
func RefuseDamaged(registry *codecs.Registry, have, want *Stack) error {
	return codecs.RefuseDamaged(FindDamage(registry, have, want), false)
}
