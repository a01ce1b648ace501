package glob_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/internal/glob"
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
		g, err := glob.Parse(tt.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Match(tt.path); got != tt.want {
			t.Errorf("%q on %q: %v", tt.pattern, tt.path, got)
		}
	}
	g, _ := glob.Parse("*.CURVE", true)
	if !g.Match("A/b.Curve") {
		t.Error("case was not ignored")
	}
}

func TestGlobErrors(t *testing.T) {
	for _, p := range []string{"[a", "{a", "[", strings.Repeat("{a,b}", 11)} {
		if _, err := glob.Parse(p, false); !errors.Is(err, glob.ErrPattern) {
			t.Errorf("%q: %v", p, err)
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
		g, err := glob.Parse(pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile("^" + replace.Replace(pattern) + "$").MatchString(path)
		if got := g.Match(path); got != want {
			t.Errorf("%q on %q: %v, the expression says %v", pattern, path, got, want)
		}
	})
}

func TestListMissed(t *testing.T) {
	paths := slices.Values([]string{"A/x.umap", "B/y.uasset"})
	for _, tt := range []struct {
		patterns []string
		fold     bool
		missed   string
		match    bool // A/x.umap
	}{
		{nil, false, "", false},
		{[]string{"*.umap", "B/"}, false, "", true},
		{[]string{"*.UMAP", "*.uasset", "C/"}, false, "*.UMAP C/", false},
		{[]string{"*.UMAP", `C\`}, true, `C\`, true},
	} {
		l, err := glob.ParseList(tt.patterns, tt.fold)
		if err != nil {
			t.Fatal(err)
		}
		var missed []string
		for _, g := range l.Missed(paths) {
			missed = append(missed, g.String())
		}
		if got := strings.Join(missed, " "); got != tt.missed {
			t.Errorf("%q: missed %q, want %q", tt.patterns, got, tt.missed)
		}
		if got := l.Match("A/x.umap"); got != tt.match {
			t.Errorf("%q matches A/x.umap: %v, want %v", tt.patterns, got, tt.match)
		}
	}
	if _, err := glob.ParseList([]string{"a", "[a"}, false); !errors.Is(err, glob.ErrPattern) {
		t.Errorf("a list with a broken pattern: %v", err)
	}
}

func TestListCheck(t *testing.T) {
	paths := slices.Values([]string{"Maps/One.umap", "Maps/Two.umap"})
	l, err := glob.ParseList([]string{"*.umap", "maps/one.umap"}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := l[:1].Check("the build", paths); err != nil {
		t.Error(err)
	}
	err = l.Check("the build", paths)
	var unmatched *glob.UnmatchedError
	if !errors.As(err, &unmatched) || !errors.Is(err, glob.ErrPattern) {
		t.Fatalf("%v is no UnmatchedError", err)
	}
	if got, want := err.Error(), `nothing in the build matches "maps/one.umap"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := unmatched.Hint(), `in another case, "Maps/One.umap" would match`; got != want {
		t.Errorf("hint %s, want %s", got, want)
	}
}

func TestHint(t *testing.T) {
	paths := slices.Values([]string{"Maps/Arena.umap", "Maps/Arenas.umap", "Config/Game.ini"})
	for _, tt := range []struct{ pattern, hint string }{
		{"*.UMAP", `in another case, "Maps/Arena.umap" would match`},
		{"Other/Game.ini", "did you mean Config/Game.ini?"},
		{"Gane.ini", "did you mean Config/Game.ini?"},
		{"zzzzzzzz", ""},
	} {
		g, err := glob.Parse(tt.pattern, false)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Hint(paths); got != tt.hint {
			t.Errorf("%q: %q, want %q", tt.pattern, got, tt.hint)
		}
	}
	if got := glob.NameHint("Maps/Arena.umapp", paths); got != "did you mean Maps/Arena.umap, Maps/Arenas.umap?" {
		t.Errorf("a name that is nearly there: %q", got)
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"*.curve", "a/**/[!b]{c,d}", "[", "{", "**/**/**"} {
		f.Add(s, "a/b/c.curve")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := glob.Parse(pattern, false)
		if err != nil {
			return
		}
		g.Match(path)
		if !g.Match(g.Text()) {
			t.Errorf("%q does not match itself", pattern)
		}
	})
}

func BenchmarkGlob(b *testing.B) {
	g, err := glob.Parse("Calligraphy/**/*.curve", false)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Match("Calligraphy/Powers/Blueprints/StatusEffects/Slow.prototype")
	}
}
