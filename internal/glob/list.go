package glob

import (
	"iter"
	"slices"
)

// List is a list of patterns, of which any may match.
type List []*Glob

// ParseList parses patterns, as [Parse] does. A list of none is nil.
func ParseList(patterns []string, fold bool) (list List, err error) {
	for _, p := range patterns {
		g, err := Parse(p, fold)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

// Match reports whether a pattern of the list matches path.
func (l List) Match(path string) bool {
	return slices.ContainsFunc(l, func(g *Glob) bool { return g.Match(path) })
}

// Missed returns the patterns that match none of the paths, in the order of the list.
// It reads no more paths than it needs.
func (l List) Missed(paths iter.Seq[string]) List {
	left := slices.Clone(l)
	if len(left) == 0 {
		return nil
	}
	for path := range paths {
		left = slices.DeleteFunc(left, func(g *Glob) bool { return g.Match(path) })
		if len(left) == 0 {
			return nil
		}
	}
	return left
}
