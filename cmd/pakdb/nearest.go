package main

import (
	"slices"
	"strings"
)

// nearest returns up to three of the names that differ from name by few
// letters, nearest first. Case counts less than letters do.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var best []candidate
	low := strings.ToLower(name)
	most := 2 + len(low)/4
	for _, k := range known {
		d := distance(low, strings.ToLower(k), most)
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

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(names, ", ") + "?"
}
