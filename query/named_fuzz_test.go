package query

import "testing"

// FuzzNamed reads the header of a user's query, and values of its parameters.
func FuzzNamed(f *testing.F) {
	f.Add("-- doc: Files.\n-- param: path text 'it''s' a path\n-- param: n integer - a number\nSELECT :path, @n", "n=1")
	f.Add("-- param: a", "x'00ff'")
	f.Add("-- param: a text '", ":a=1e400")
	f.Fuzz(func(t *testing.T, text, arg string) {
		if q, err := parseNamed("q", text); err == nil {
			_, _ = q.Usage(), q.Help()
		}
		_ = ParseValue(arg)
		if name, _, err := ParseArg(arg); err == nil && name == "" {
			t.Errorf("%q has no name", arg)
		}
	})
}
