package glob

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
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
// nil if there is none. A pattern that matches nothing is a mistake, not an empty
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

// Hint suggests which paths a pattern without a match may have meant: those that
// match in another case, have the same last part, or are nearly the same. It returns
// "" if there are none.
func (g *Glob) Hint(paths iter.Seq[string]) string {
	folded, err := Parse(g.text, true)
	if err != nil {
		return ""
	}
	if !g.fold {
		for path := range paths {
			if folded.Match(path) {
				return "in another case, " + strconv.Quote(path) + " would match"
			}
		}
	}
	return NameHint(g.text, paths)
}

// NameHint suggests paths that end in the same name, or are nearly the same. It
// returns "" if there are none.
func NameHint(name string, paths iter.Seq[string]) string {
	baseOf := func(path string) string { return strings.ToLower(path[strings.LastIndexByte(path, '/')+1:]) }
	base := baseOf(name)
	var same, all []string
	seen := map[string]bool{}
	for path := range paths {
		if seen[path] {
			continue
		}
		seen[path] = true
		if baseOf(path) == base && len(same) < 3 {
			same = append(same, path)
		}
		all = append(all, path)
	}
	if len(same) == 0 {
		same = Nearest(name, all)
	}
	if len(same) == 0 && !strings.Contains(name, "/") {
		same = nearestBase(name, all)
	}
	return NearestHint(same)
}

// nearestBase returns paths whose last parts are nearly name.
func nearestBase(name string, paths []string) (found []string) {
	var bases []string
	first := map[string]string{}
	for _, path := range paths {
		base := path[strings.LastIndexByte(path, '/')+1:]
		if _, known := first[base]; !known {
			first[base] = path
			bases = append(bases, base)
		}
	}
	for _, base := range Nearest(name, bases) {
		found = append(found, first[base])
	}
	return found
}

// Nearest returns up to three of the known names that differ from name by few
// letters, or have it as a part, nearest first; those that are equally near come
// in their own order. Case does not count.
func Nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var best []candidate
	low := strings.ToLower(name)
	most := 1 + len(low)/4
	for _, k := range known {
		lowKnown := strings.ToLower(k)
		d := distance(low, lowKnown, most)
		if len(low) > 2 && strings.Contains(lowKnown, low) {
			d = min(d, 1)
		}
		if d > most {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, d, func(c candidate, d int) int {
			if c.distance <= d {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, i, candidate{k, d})
		best = best[:min(len(best), 3)]
	}
	names := make([]string, len(best))
	for i, c := range best {
		names[i] = c.name
	}
	return names
}

// distance is Levenshtein's, over bytes. What is over most by the lengths
// alone, or too long to be worth it, is not computed.
func distance(a, b string, most int) int {
	if d := len(a) - len(b); max(d, -d) > most || max(len(a), len(b)) > 512 {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// NearestHint asks for one of the names; it is "" when there is none.
func NearestHint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(names, ", ") + "?"
}
