package glob

import (
	"slices"
	"strings"
)

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
