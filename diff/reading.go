package diff

import (
	"context"
	"iter"

	"pakdb/codecs"
	"pakdb/diff/internal/side"
	"pakdb/indexer"
	"pakdb/schema"
)

// Reading is two builds of files that are compared without a catalog. Old is read first,
// by [indexer.Read], and then New. Their inspectors are those of
// [codecs.Registry.ForComparing].
type Reading struct {
	memory   *side.Memory
	old, new *side.Files
}

// NewReading returns two builds of which nothing is read yet.
func NewReading() *Reading { return &Reading{memory: side.NewMemory()} }

// Old returns what takes the old build in.
func (r *Reading) Old(label string) indexer.Target {
	r.old = side.NewFiles(label, r.memory, nil)
	return r.old
}

// New returns what takes the new build in, when the old one has been read.
func (r *Reading) New(label string) indexer.Target {
	r.new = side.NewFiles(label, r.memory, r.old)
	return r.new
}

// Compare returns what [Compare] does of the same builds in a catalog. It can be called
// once. The ids of its changes are of no catalog.
func (r *Reading) Compare(ctx context.Context, o Options) (*Result, error) {
	sides, err := side.OfFiles(ctx, r.memory, r.old, r.new, side.Options{PerArchive: o.PerArchive, Times: o.Times})
	if err != nil {
		return nil, err
	}
	return compareSides(ctx, sides, o)
}

// Paths yields the paths of all entries of both builds.
func (r *Reading) Paths() iter.Seq[string] { return r.memory.Paths() }

// EachMount calls do for the archives of the builds, the old one first, with their formats
// and their damage, nil for none.
func (r *Reading) EachMount(do func(build string, m *schema.Mount, format string, damage *codecs.Damage)) {
	for _, b := range []*side.Files{r.old, r.new} {
		b.EachMount(func(m *schema.Mount, format string, damage *codecs.Damage) { do(b.Label(), m, format, damage) })
	}
}
