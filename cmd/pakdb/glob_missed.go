package main

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"pakdb/internal/nearest"
)

// missedGlobs returns the patterns that match none of the paths. It looks at no
// more paths than it needs.
func missedGlobs(globs []*glob, paths iter.Seq[string]) []*glob {
	left := slices.Clone(globs)
	if len(left) == 0 {
		return nil
	}
	for path := range paths {
		left = slices.DeleteFunc(left, func(g *glob) bool { return g.match(path) })
		if len(left) == 0 {
			return nil
		}
	}
	return left
}

// missedError reports a pattern that matches no path of what is called where. A
// pattern that stands for nothing is a mistake, not an empty answer.
func missedError(g *glob, where string, paths iter.Seq[string]) error {
	return hinted(fmt.Errorf("%w: nothing in %s matches %q", errUsage, where, g.given), nearestPath(g, paths))
}

// nearestPath suggests what a pattern without a match may have meant: paths in
// another case, of the same name, or that are nearly the same.
func nearestPath(missed *glob, paths iter.Seq[string]) string {
	folded, err := parseGlob(missed.text, true)
	if err != nil {
		return ""
	}
	if !missed.fold {
		for path := range paths {
			if folded.match(path) {
				return "with -i, which ignores case, " + strconv.Quote(path) + " would match"
			}
		}
	}
	return nearestName(missed.text, paths)
}

// nearestName suggests paths that end in the same name, or are nearly the same.
func nearestName(name string, paths iter.Seq[string]) string {
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
		same = nearest.Names(name, all)
	}
	if len(same) == 0 && !strings.Contains(name, "/") {
		same = nearestBase(name, all)
	}
	return nearest.Hint(same)
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
	for _, base := range nearest.Names(name, bases) {
		found = append(found, first[base])
	}
	return found
}
