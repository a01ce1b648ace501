package main

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.curve", "Calligraphy/A/B.curve", true},
		{"*.curve", "Calligraphy/A.curve/B", false},
		{"*.CURVE", "Calligraphy/A/B.curve", false},
		{"A/*.curve", "A/B.curve", true},
		{"A/*.curve", "A/B/C.curve", false},
		{"A/**.curve", "A/B/C.curve", true},
		{"A/**/C.curve", "A/C.curve", true},
		{"A/**/C.curve", "A/B/D/C.curve", true},
		{"A/**/C.curve", "A/BC.curve", false},
		{"**/C", "C", true},
		{"**", "A/B", true},
		{"A/", "A/B/C", true},
		{"A/", "AB/C", false},
		{`A\B`, "A/B", true},
		{"?.x", "é.x", true},
		{"?.x", "éé.x", false},
		{"[a-c]1", "b1", true},
		{"[!a-c]1", "b1", false},
		{"[]]", "]", true},
		{"*.{curve,type}", "a/b.type", true},
		{"*.{curve,type}", "a/b.typ", false},
		{"{a,b}/{c,d}", "b/c", true},
		{"what[0].x", "a/what0.x", true},
		{"a/what[0].x", "a/what[0].x", true},
		{"*a*b*c", "xaxbxc", true},
		{"*a*b*c", "xaxbx", false},
		{"**/a/*b", "a/x/a/yb", true},
		{"", "", true},
		{"*", "", true},
	} {
		g, err := parseGlob(tt.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.match(tt.path); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.path, got)
		}
	}
	g, _ := parseGlob("*.CURVE", true)
	if !g.match("A/b.Curve") {
		t.Error("case was not ignored")
	}
}

func TestGlobErrors(t *testing.T) {
	for _, p := range []string{"[a", "{a", "[", strings.Repeat("{a,b}", 11)} {
		if _, err := parseGlob(p, false); err == nil {
			t.Errorf("%q was accepted", p)
		}
	}
}

// A regular expression of the same meaning gives the same answers.
func TestGlobIsItsRegexp(t *testing.T) {
	replace := strings.NewReplacer("**/", "(?:.*/)?", "**", ".*", "*", "[^/]*", "?", "[^/]")
	rapid.Check(t, func(t *rapid.T) {
		pattern := "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(
			[]string{"a", "b", "/", "*", "?", "/**/", "/**"}), 0, 8).Draw(t, "pattern"), "")
		path := "/" + rapid.StringOfN(rapid.SampledFrom([]rune("ab/")), 0, 10, -1).Draw(t, "path")
		if strings.Contains(pattern, "***") || regexp.MustCompile(`[^/]\*\*/|\*\*[^/]`).MatchString(pattern) || strings.HasSuffix(pattern, "/") {
			t.Skip("says more than the expression")
		}
		g, err := parseGlob(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile("^" + replace.Replace(pattern) + "$").MatchString(path)
		if got := g.match(path); got != want {
			t.Errorf("%q on %q: %v, the expression says %v", pattern, path, got, want)
		}
	})
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*.curve", "a/**/[!b]{c,d}", "[", "{", "**/**/**"} {
		f.Add(s, "a/b/c.curve")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := parseGlob(pattern, false)
		if err != nil {
			return
		}
		g.match(path)
		if !g.match(g.text) {
			t.Errorf("%q does not match itself", pattern)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	g, err := parseGlob("Calligraphy/**/*.curve", false)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.match("Calligraphy/Powers/Blueprints/StatusEffects/Slow.prototype")
	}
}
