package glob

import (
	"iter"
	"strconv"
	"strings"
)

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
