package schema

import "testing"

// Describe adds to what SCHEMA.md says of the views, until the test ends.
func Describe(t testing.TB, text string) {
	was := document
	t.Cleanup(func() { document = was })
	document += text
}
