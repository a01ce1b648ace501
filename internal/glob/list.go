package glob

import (
	"fmt"
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

// Check returns an [UnmatchedError] of the first pattern that matches none of the paths,
// nil if there is none. A pattern that stands for nothing is a mistake, not an empty
// answer. where says in the message where the paths are.
func (l List) Check(where string, paths iter.Seq[string]) error {
	missed := l.Missed(paths)
	if len(missed) == 0 {
		return nil
	}
	return &UnmatchedError{Pattern: missed[0], Where: where, hint: missed[0].Hint(paths)}
}

// UnmatchedError is a pattern that matches no path. It is an [ErrPattern].
type UnmatchedError struct {
	Pattern *Glob
	Where   string // the paths are
	hint    string
}

// Error implements error.
func (e *UnmatchedError) Error() string {
	return fmt.Sprintf("nothing in %s matches %q", e.Where, e.Pattern)
}

// Unwrap returns [ErrPattern].
func (e *UnmatchedError) Unwrap() error { return ErrPattern }

// Hint suggests paths that the pattern may have meant, see [Glob.Hint].
func (e *UnmatchedError) Hint() string { return e.hint }
