package match

import (
	"context"
	"slices"

	"pakdb/diff/internal/side"
)

// addPublicNames notes entries whose public names differ, in formats that keep names
// apart. It returns all pairs, and the names by path where they differ.
func addPublicNames(ctx context.Context, s *side.Sides, pairs []Pair) ([]Pair, map[int64][2][]string, error) {
	old, err := publicNames(ctx, s, s.Old)
	if err != nil {
		return nil, nil, err
	}
	new, err := publicNames(ctx, s, s.New)
	if err != nil || len(old) == 0 && len(new) == 0 {
		return pairs, nil, err
	}
	n, public := newNoter(pairs), map[int64][2][]string{}
	rows := map[int64]int32{}
	for i := range s.Old.Rows {
		rows[s.Old.Rows[i].Path] = int32(i)
	}
	for j := range s.New.Rows {
		path := s.New.Rows[j].Path
		i, both := rows[path]
		if !both || slices.Equal(old[path], new[path]) {
			continue
		}
		public[path] = [2][]string{old[path], new[path]}
		n.note(i, int32(j), Names)
	}
	return n.pairs, public, nil
}

// publicNames returns the names that archives of one build alone give paths, by
// path_id.
func publicNames(ctx context.Context, s *side.Sides, b *side.Side) (map[int64][]string, error) {
	var ordinals []int64
	for i := range b.Archives {
		if !b.Archives[i].Shared {
			ordinals = append(ordinals, b.Archives[i].Ordinal)
		}
	}
	return s.Source.PublicNames(ctx, b.ID, ordinals)
}
