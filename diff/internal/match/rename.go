package match

import "context"

// Moves joins, where archives are compared one by one, what one archive lost and
// another got. It returns all pairs.
func Moves(in Input) []Pair {
	m := newMatcher(in)
	match(m, moveWay, Moved, func(s *open, i int32) (int64, bool) { return s.Rows[i].Key, !in.Split(s.Rows[i].Path) })
	return m.pairs()
}

// Renames joins what is gone and what is new: by identity, then by path, by content,
// by similarity of at least so many percent. It returns all pairs.
func Renames(ctx context.Context, in Input, similar int) ([]Pair, error) {
	m := newMatcher(in)
	if m.done() {
		return in.Pairs, nil
	}
	bySimilarity := func(ctx context.Context, m *matcher) error { return bySimilarity(ctx, m, similar) }
	for _, find := range []func(context.Context, *matcher) error{byGUID, byID, byCase, byContent, byAsset, bySimilarity, byAsset} {
		if err := find(ctx, m); err != nil {
			return nil, err
		}
	}
	byFile(m)
	return m.pairs(), nil
}
