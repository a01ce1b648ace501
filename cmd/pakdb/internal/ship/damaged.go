package ship

import (
	"context"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
)

// findDamage looks for damage of the files of the sides of a transport patch, or of
// a build that is published alone.
func findDamage(ctx context.Context, a *cli.App, sides ...damagedSide) (found []codecs.Damage, err error) {
	registry := a.Registry()
	named := make([][]codecs.NamedFormat, len(sides))
	all := make([][]codecs.Damage, len(sides))
	for i, side := range sides {
		if all[i], named[i], err = inside.FindDamage(ctx, side.inputs, registry, side.open); err != nil {
			return nil, err
		}
	}
	if len(sides) == 2 {
		inOld, inNew := registry.Demoted(named[0], named[1])
		all[0], all[1] = codecs.MergeDamage(all[0], inOld), codecs.MergeDamage(all[1], inNew)
	}
	for i, side := range sides {
		for _, d := range all[i] {
			d.Build = side.name
			found = append(found, d)
		}
	}
	return found, nil
}

// damagedSide are files that are looked at.
type damagedSide struct {
	name   string // how messages call them, "" where there is one side only
	inputs []pkdelta.Input
	open   *codecs.Options
}
