package overlay

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/regular"
	"pakdb/schema"
)

// FindDamage returns the damage of two builds of a catalog: what their scans found
// of archives as a whole, files of contents that are missing on disk now, and files
// that are an archive in one of the builds alone. What is told of a build stands in
// the order of its archives, the old build first. The builds may be one.
func FindDamage(ctx context.Context, db *sql.DB, registry *codecs.Registry, old, new string) ([]codecs.Damage, error) {
	a, err := loadMounts(ctx, db, registry, old)
	if err != nil {
		return nil, err
	}
	b, err := loadMounts(ctx, db, registry, new)
	if err != nil {
		return nil, err
	}
	return damageOfBoth(registry, a, b), nil
}

// DamageOfFiles is [FindDamage] of builds that are in no catalog.
func DamageOfFiles(registry *codecs.Registry, read *diff.Reading) []codecs.Damage {
	stacks := map[string]*Stack{}
	var both []*Stack
	read.EachMount(func(build string, m *schema.Mount, format string, damage *schema.Damage) {
		s := stacks[build]
		if s == nil {
			s = &Stack{Label: build}
			stacks[build], both = s, append(both, s)
		}
		s.Mounts = append(s.Mounts, &Mount{Name: m.Name, Location: m.Location, Format: format})
		if damage != nil {
			s.addDamage(damage)
		}
	})
	for _, s := range both {
		s.missParts(registry)
	}
	return damageOfBoth(registry, both[0], both[1])
}

// loadMounts reads a build without its entries.
func loadMounts(ctx context.Context, db *sql.DB, registry *codecs.Registry, label string) (*Stack, error) {
	l := &loader{db: db, registry: registry}
	s, _, err := l.mountsOf(ctx, label)
	return s, err
}

// damageOfBoth is the damage of two stacks, and what only one of them reads as an
// archive.
func damageOfBoth(registry *codecs.Registry, old, new *Stack) []codecs.Damage {
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

// loadDamage adds what the scan of a build found.
func (s *Stack) loadDamage(ctx context.Context, db *sql.DB) error {
	found, err := schema.FindDamage(ctx, db, s.Label)
	for i := range found {
		s.addDamage(&found[i])
	}
	return err
}

func (s *Stack) addDamage(d *schema.Damage) {
	cause := d.Cause
	if d.Count > 1 {
		cause += fmt.Sprintf(" (and %d more such problems)", d.Count-1)
	}
	s.Damage = append(s.Damage, codecs.Damage{Archive: d.Archive, Field: d.Field, Offset: d.Offset, Cause: cause})
}

// missParts adds files of contents that are missing beside archives which are
// there: a scan may do without them, a patch cannot. Of builds whose archives are
// gone altogether nothing is known, and nothing told.
func (s *Stack) missParts(registry *codecs.Registry) {
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
	found := damageOfBoth(registry, old, new)
	for _, d := range found {
		p.Damaged = append(p.Damaged, d.String())
	}
	return codecs.RefuseDamaged(found, allowed)
}

// RefuseDamaged returns a [codecs.DamageError] if one of the stacks is damaged,
// unless that is allowed.
func RefuseDamaged(registry *codecs.Registry, have, want *Stack, allowed bool) ([]codecs.Damage, error) {
	found := damageOfBoth(registry, have, want)
	return found, codecs.RefuseDamaged(found, allowed)
}
