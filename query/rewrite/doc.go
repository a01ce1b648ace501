// Package rewrite says statements in other words that yield the same and cost less. It
// reads tokens and no grammar: what it is not sure of stays as it is. Sums of entries are
// read from the view totals.
package rewrite

// Token is a part of a statement: its text in lower case without quotes, a literal with
// the quote that it begins with; and where it stands.
type Token struct {
	Text       string
	Start, End int
	Name       bool // or a keyword
}
