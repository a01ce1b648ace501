package diff

import (
	"cmp"
	"slices"
)

// Orders returns the keys of [Result.Sort], the default first.
func Orders() []string { return []string{"path", "size", "download"} }

// Sort has [Result.Changes] yield by a key of [Orders]: path is folder, name and kind; size
// has the largest difference of sizes first, grown or shrunk; download the largest download.
// Changes that are equal by the key stay ordered by path.
func (r *Result) Sort(key string) {
	r.order = nil
	if key != "size" && key != "download" {
		return
	}
	r.order = make([]int32, len(r.found.Pairs))
	by := make([]int64, len(r.found.Pairs)) // 0 of pairs without a change of their own
	for i := range by {
		r.order[i] = int32(i)
		if r.isHidden(i) {
			continue
		}
		c := r.change(i, nil)
		s := c.Sizes()
		if by[i] = s.Download; key == "size" {
			by[i] = max(s.NewSize-s.OldSize, s.OldSize-s.NewSize)
		}
	}
	slices.SortStableFunc(r.order, func(a, b int32) int { return cmp.Compare(by[b], by[a]) })
}

// pair returns which pair is the nth.
func (r *Result) pair(n int) int {
	if r.order == nil {
		return n
	}
	return int(r.order[n])
}

// isHidden reports whether a pair has no change of its own.
func (r *Result) isHidden(i int) bool { return r.found.Hidden != nil && r.found.Hidden[i] }
