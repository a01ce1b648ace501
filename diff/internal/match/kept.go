package match

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pakdb/diff/internal/side"
	"pakdb/internal/asset"
)

// Kept is an asset of which files came or went, and both builds have files: those that it
// is called by in each. They may be in no pair, since they are the same.
type Kept struct {
	Old, New         side.Row
	OldPath, NewPath string
}

// findKept looks for the assets of pairs that only one build has.
func findKept(ctx context.Context, out *Outcome) error {
	came, went := map[string]int{}, map[string]int{}
	all := map[string]bool{}
	for i := range out.Pairs {
		p := &out.Pairs[i]
		if of := out.oneSided(p); of != "" {
			all[of] = true
			if p.Old < 0 {
				came[of]++
			} else {
				went[of]++
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	paths, err := out.Sides.Source.AssetPaths(ctx, all)
	if err != nil {
		return err
	}
	files := map[string][]int64{}
	for id, path := range paths {
		of := asset.Of(path)
		files[of] = append(files[of], id)
	}
	var asked []int64
	for of, ids := range files {
		if n := len(ids); n > came[of] && n > went[of] { // other files may be the same in both
			asked = append(asked, ids...)
		}
	}
	slices.Sort(asked)
	old, err := out.Sides.Old.Seen(ctx, asked)
	if err != nil {
		return err
	}
	new, err := out.Sides.New.Seen(ctx, asked)
	if err != nil {
		return err
	}
	out.Kept = map[string]*Kept{}
	for of, ids := range files {
		slices.SortFunc(ids, func(a, b int64) int { return comparePaths(paths[a], paths[b]) })
		a := slices.IndexFunc(ids, func(id int64) bool { return old[id].Copies > 0 })
		b := slices.IndexFunc(ids, func(id int64) bool { return new[id].Copies > 0 })
		if a >= 0 && b >= 0 {
			out.Kept[of] = &Kept{old[ids[a]], new[ids[b]], paths[ids[a]], paths[ids[b]]}
		}
	}
	return nil
}

// oneSided returns the asset of a pair that only one build has; "" for others.
func (out *Outcome) oneSided(p *Pair) string {
	if p.Old >= 0 && p.New >= 0 {
		return ""
	}
	path := out.Place(p).Path
	if _, part := out.Names.PartOf(path); part == asset.None {
		return ""
	}
	return asset.Of(out.Names.Path(path))
}

// comparePaths orders the files of an asset: the one with the tables comes first.
func comparePaths(a, b string) int {
	_, _, p := asset.Split(a)
	_, _, q := asset.Split(b)
	return cmp.Or(cmp.Compare(p, q), strings.Compare(a, b))
}

// KeptBy returns the asset that a pair belongs to, if only one build has the pair and both
// have files of the asset; nil otherwise.
func (out *Outcome) KeptBy(p *Pair) *Kept {
	if len(out.Kept) == 0 {
		return nil
	}
	return out.Kept[out.oneSided(p)]
}
