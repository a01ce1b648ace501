package inside

import (
	"context"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
)

// FindDamage returns the damage of the archives among files, see [codecs.Damage],
// and as what each file is read. An index without a key is none: files are bytes. The error is that of ctx.
func FindDamage(ctx context.Context, inputs []pkdelta.Input, registry *codecs.Registry, o *codecs.Options) (found []codecs.Damage, named []codecs.NamedFormat, err error) {
	for _, in := range inputs {
		more, err := registry.Damage(ctx, in.Name, in.Source, o)
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
