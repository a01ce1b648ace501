package store

import (
	"cmp"
	"strings"
)

// ValidVersion reports whether a text is a version of a client: numbers with dots between,
// with or without a "v" before them, and anything behind "-" or "+".
func ValidVersion(v string) bool {
	if len(v) > mostText {
		return false
	}
	for _, part := range strings.Split(numbers(v), ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
}

// numbers is what of a version counts.
func numbers(v string) string {
	v = strings.TrimPrefix(v, "v")
	if i := strings.IndexAny(v, "-+"); i >= 0 {
		v = v[:i]
	}
	return v
}

// CompareVersions compares two versions by their numbers: 1.10 is later than 1.9, and 1.0 is 1.
// What is no version is earlier than all.
func CompareVersions(a, b string) int {
	if !ValidVersion(a) || !ValidVersion(b) {
		return cmp.Compare(order(ValidVersion(a)), order(ValidVersion(b)))
	}
	as, bs := strings.Split(numbers(a), "."), strings.Split(numbers(b), ".")
	for i := range max(len(as), len(bs)) {
		if c := compareNumbers(digits(as, i), digits(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func order(valid bool) int {
	if valid {
		return 1
	}
	return 0
}

func digits(parts []string, i int) string {
	if i < len(parts) {
		return strings.TrimLeft(parts[i], "0")
	}
	return ""
}

// compareNumbers compares digits of any number without zeroes before them.
func compareNumbers(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
