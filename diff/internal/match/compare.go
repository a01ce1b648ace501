package match

import (
	"cmp"
	"context"
	"slices"

	"pakdb/diff/internal/side"
)

// defaultSimilar is the similarity for 0 in Options.Similar, of this package and of diff.
const defaultSimilar = 50

// Options are those of diff.Options that say how rows are compared.
type Options struct {
	PerArchive bool // the rows are of archives one by one
	NoRenames  bool
	Similar    int // percent; 0 is defaultSimilar, above 100 never
	Files      bool
}

// Compare goes from the rows of two sides to what differs.
func Compare(ctx context.Context, s *side.Sides, o Options) (*Outcome, error) {
	m := merge(s)
	out := &Outcome{Sides: s, Pairs: m.pairs, Unknown: m.unknown}
	var err error
	if out.Pairs, out.Reordered, err = addOrder(ctx, s, m.pairs, m.order); err != nil {
		return nil, err
	}
	if out.Pairs, out.Public, err = addPublicNames(ctx, s, out.Pairs); err != nil {
		return nil, err
	}
	if err := out.splitTaken(ctx, !o.NoRenames); err != nil {
		return nil, err
	}
	if out.Names, err = loadNames(ctx, s, out.Pairs); err != nil {
		return nil, err
	}
	if err := out.join(ctx, o); err != nil {
		return nil, err
	}
	if err := markCosmetic(ctx, out); err != nil {
		return nil, err
	}
	out.sort()
	if out.Downloads, err = estimate(ctx, s, out.Pairs); err != nil {
		return nil, err
	}
	if !o.Files && !o.PerArchive {
		if err := findKept(ctx, out); err != nil {
			return nil, err
		}
		groupAssets(out)
	}
	return out, nil
}

// join finds what is gone and new to be one, and judges what has both sides.
func (out *Outcome) join(ctx context.Context, o Options) (err error) {
	in := Input{Sides: out.Sides, Names: out.Names, Pairs: out.Pairs, Split: func(path int64) bool { return out.Taken[path].split }}
	if o.PerArchive {
		in.Pairs = Moves(in)
	}
	if !o.NoRenames {
		if in.Pairs, err = Renames(ctx, in, cmp.Or(o.Similar, defaultSimilar)); err != nil {
			return err
		}
	}
	out.Pairs = in.Pairs
	out.noteTaken()
	for i := range out.Pairs {
		if p := &out.Pairs[i]; p.Old >= 0 && p.New >= 0 {
			judge(out.Sides, p)
		}
	}
	if len(out.Taken) > 0 { // what was split and joined again may be the same
		out.Pairs = slices.DeleteFunc(out.Pairs, func(p Pair) bool { return p.What == 0 })
	}
	return nil
}

// loadNames reads the names of all that differ.
func loadNames(ctx context.Context, s *side.Sides, pairs []Pair) (*side.Names, error) {
	ids := make([]int64, 0, len(pairs)+len(pairs)/8)
	for _, p := range pairs {
		if p.Old >= 0 {
			ids = append(ids, s.Old.Rows[p.Old].Path)
		}
		if p.New >= 0 {
			ids = append(ids, s.New.Rows[p.New].Path)
		}
	}
	return s.Source.Names(ctx, ids)
}
