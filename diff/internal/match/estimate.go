package match

import (
	"context"

	"pakdb/diff/internal/side"
	"pakdb/internal/sketch"
)

// fetched is what happens to entries whose contents may have to be fetched.
const fetched = Added | Modified | Cosmetic

// estimate sets the similarity of pairs, and returns what must be fetched for each:
// nothing for contents that the old build has anywhere, the stored size of others, once
// each, for the first of the pairs; of modified contents with sketches the share of new chunks.
func estimate(ctx context.Context, s *side.Sides, pairs []Pair) (downloads []int64, err error) {
	downloads = make([]int64, len(pairs))
	var wanted, sketched []int64
	for _, p := range pairs {
		if p.New < 0 || p.What&fetched == 0 {
			continue
		}
		content := s.New.Rows[p.New].Content
		wanted = append(wanted, content)
		if p.Old >= 0 {
			sketched = append(sketched, content, s.Old.Rows[p.Old].Content)
		}
	}
	contents := side.PlacesOf(side.Set(wanted))
	inOld, err := heldByOld(ctx, s, &contents, len(wanted))
	if err != nil {
		return nil, err
	}
	known, err := s.Source.Sketches(ctx, sketched)
	if err != nil {
		return nil, err
	}
	for i := range pairs {
		p := &pairs[i]
		p.Similarity = similarity(s, p, known)
		if p.New < 0 || p.What&fetched == 0 {
			continue
		}
		b := &s.New.Rows[p.New]
		if at, ok := contents.Find(b.Content); ok {
			if inOld[at] {
				continue
			}
			inOld[at] = true
		}
		downloads[i] = b.Stored
		if p.Old >= 0 {
			a := &s.Old.Rows[p.Old]
			if x, y := known[a.Content], known[b.Content]; x != nil && y != nil {
				downloads[i] = int64((1 - sketch.Kept(x, y, a.Size, b.Size)) * float64(b.Stored))
			}
		}
	}
	return downloads, nil
}

// similarity returns 100 for the same content, and what sketches say for others.
func similarity(s *side.Sides, p *Pair, known map[int64]sketch.Sketch) uint8 {
	if p.Old < 0 || p.New < 0 {
		return 0
	}
	a, b := s.Old.Rows[p.Old].Content, s.New.Rows[p.New].Content
	if a == b && a != 0 {
		return 100
	}
	if x, y := known[a], known[b]; x != nil && y != nil {
		return uint8(min(99, 100*sketch.Common(x, y)+0.5))
	}
	return 0
}

// heldByOld returns, by their places, which of so many contents the old build has, in
// archives that were passed over as well.
func heldByOld(ctx context.Context, s *side.Sides, contents *side.Places, n int) ([]bool, error) {
	inOld := make([]bool, n)
	for i := range s.Old.Rows {
		if at, wanted := contents.Find(s.Old.Rows[i].Content); wanted {
			inOld[at] = true
		}
	}
	return inOld, s.HeldElsewhere(ctx, contents, inOld)
}

// markCosmetic finds, among modified contents, those that differ in noise alone.
func markCosmetic(ctx context.Context, out *Outcome) error {
	var contents []int64
	out.Each(Modified, func(_ *Pair, a, b int64) { contents = append(contents, a, b) })
	if contents == nil {
		return nil
	}
	e, err := out.Sides.Source.Essences(ctx, contents)
	if err != nil || len(e) == 0 {
		return err
	}
	out.Each(Modified, func(p *Pair, a, b int64) {
		if e.Same(a, b) {
			p.What = p.What&^Modified | Cosmetic
		}
	})
	return nil
}
