package semantic

import "testing"

// FuzzStructured: any two texts are compared without an end in a panic, and a text does not
// differ from itself.
func FuzzStructured(f *testing.F) {
	for _, c := range []struct{ name, a, b string }{
		{"a.csv", "k,v\n1,a\n", "k,v\n1,b\n2,\"c\nd\"\n"},
		{"a.tsv", "k\tv\n1\ta\n", "k\tv\n"},
		{"a.xml", `<r><i id="1">x</i><i id="2"/></r>`, `<r><i id="1">y</i></r>`},
		{"a.xml", `<a:r xmlns:a="b"><![CDATA[<x>]]></a:r>`, `<?xml version="1.0"?><r/>`},
		{"a.json", `[1,{"a":[2]}]`, `[{"a":[2,3]}]`},
	} {
		f.Add(c.name, []byte(c.a), []byte(c.b))
	}
	f.Fuzz(func(t *testing.T, name string, a, b []byte) {
		structuredChanges(name, a, b)
		if changes, ok := structuredChanges(name, a, a); ok && len(changes) > 0 {
			t.Errorf("%q differs from itself: %+v", a, changes)
		}
	})
}
