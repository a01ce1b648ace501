package inside

import (
	"context"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
)

// Side are the files of one build in which damage is looked for.
type Side struct {
	Name   string // Damage.Build of what is found, "" where there is one side only
	Inputs []delta.Input
	Open   *codecs.Options // with its keys
}

// FindDamage returns the damage of the archives among the files of each side, see
// [codecs.Damage]. Of two sides, a file that only one has as an archive is damaged on
// the other, see [codecs.Registry.Demoted]. An index without a key is none: files are
// bytes. The error is that of ctx.
func FindDamage(ctx context.Context, registry *codecs.Registry, sides ...Side) (found []codecs.Damage, err error) {
	named := make([][]codecs.NamedFormat, len(sides))
	all := make([][]codecs.Damage, len(sides))
	for i, side := range sides {
		if all[i], named[i], err = damageOf(ctx, registry, side); err != nil {
			return nil, err
		}
	}
	if len(sides) == 2 {
		inOld, inNew := registry.Demoted(named[0], named[1])
		all[0], all[1] = codecs.MergeDamage(all[0], inOld), codecs.MergeDamage(all[1], inNew)
	}
	for i, side := range sides {
		for _, d := range all[i] {
			d.Build = side.Name
			found = append(found, d)
		}
	}
	return found, nil
}

// damageOf returns the damage of one side, and as what each file is read.
func damageOf(ctx context.Context, registry *codecs.Registry, side Side) (found []codecs.Damage, named []codecs.NamedFormat, err error) {
	for _, in := range side.Inputs {
		more, err := registry.Damage(ctx, in.Name, in.Source, side.Open)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, slices.DeleteFunc(more, codecs.Damage.NeedsKey)...)
		if f, err := registry.Detect(in.Source); err == nil {
			named = append(named, codecs.NamedFormat{Name: in.Name, Format: f.Name})
		}
	}
	return found, named, nil
}
