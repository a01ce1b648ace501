// Package rewrite says statements in other words that yield the same and cost less. It
// reads tokens and no grammar: what it is not sure of stays as it is.
//
// Reading order:
//
//   - totals.go: reads sums of entries from the view totals
//   - lifetimes.go: reads the builds of each path from the function path_builds
//   - differences.go: reads where two builds differ from the function pakdb_pairs
//   - once.go: reads a view once that is joined by a column without an index
//   - missing.go: reads what one build has alone from the function pakdb_alone
//   - patterns.go: looks at each path once
//   - contents.go: counts the copies of contents at once
//   - fields.go: finds the values of a field by its id
package rewrite

import "strings"

// Token is a part of a statement: its text in lower case without quotes, a literal with
// the quote that it begins with; and where it stands.
type Token struct {
	Text       string
	Start, End int
	Name       bool // or a keyword
}

// edit is what is written in place of a part of the statement.
type edit struct {
	start, end int
	text       string
}

// written returns a statement with edits, which are in order.
func written(sql string, edits []edit) string {
	var out strings.Builder
	done := 0
	for _, e := range edits {
		out.WriteString(sql[done:e.start] + e.text)
		done = e.end
	}
	return out.String() + sql[done:]
}
