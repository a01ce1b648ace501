package mount_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/internal/mount"
)

func TestFileKey(t *testing.T) {
	for _, tt := range []struct{ mount, name, want string }{
		{"../../../", "Game/Content/A.uasset", "game/content/a.uasset"},
		{"../../../Game/Content/", "A.uasset", "game/content/a.uasset"},
		{"../../../Game/Content", "./x/../A.uasset", "game/content/a.uasset"},
		{"D:/BA/", "Data/A", "ba/data/a"},
		{`..\..\..\Game\`, `B\C`, "game/b/c"},
		{"/", "A", "a"},
		{"", "A", "a"},
		{"../../../", "../../secret", "secret"},
	} {
		if got := mount.FileKey(tt.mount, tt.name); got != tt.want {
			t.Errorf("%q + %q: %q, want %q", tt.mount, tt.name, got, tt.want)
		}
	}
}

// What is said of most paths at once is what is said of all.
func TestFileKeyIsThePathInLowerCase(t *testing.T) {
	part := rapid.StringMatching(`(\.\./)*[aZ:/\\\.ÄİK]{0,8}`)
	rapid.Check(t, func(t *rapid.T) {
		point, name := part.Draw(t, "mount point"), part.Draw(t, "name")
		if got, want := mount.FileKey(point, name), strings.ToLower(mount.Path(point, name)); got != want {
			t.Fatalf("%q + %q: %q, want %q", point, name, got, want)
		}
	})
}

func anyArchive(t *rapid.T) mount.Archive {
	a := mount.Archive{Ordered: rapid.Bool().Draw(t, "ordered"), Name: rapid.SampledFrom([]string{"a", "A", "B", "m", "z"}).Draw(t, "name")}
	if a.Ordered {
		a.Order = rapid.Int64Range(0, 2).Draw(t, "order")
		a.FirstByName = rapid.Bool().Draw(t, "first by name")
	}
	return a
}

// Paks and containers of one folder once made a circle: a.utoc over z.utoc over
// m.pak over a.utoc.
func TestCompareHasNoCircles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anyArchive(t), anyArchive(t), anyArchive(t)
		ab, ba, bc, ac := mount.Compare(&a, &b), mount.Compare(&b, &a), mount.Compare(&b, &c), mount.Compare(&a, &c)
		if ab < 0 != (ba > 0) || ab == 0 != (ba == 0) {
			t.Fatalf("%v and %v: %d, other way round %d", a, b, ab, ba)
		}
		if ab <= 0 && bc <= 0 && (ac > 0 || ac == 0 && (ab < 0 || bc < 0)) {
			t.Fatalf("%v, %v, %v: %d, %d, but %d", a, b, c, ab, bc, ac)
		}
	})
}

func TestPlaces(t *testing.T) {
	pak := func(name string, order int64) mount.Archive {
		return mount.Archive{Name: name, Order: order, Ordered: true}
	}
	container := func(name string, order int64) mount.Archive {
		return mount.Archive{Name: name, Order: order, Ordered: true, FirstByName: true}
	}
	for name, test := range map[string]struct {
		archives []mount.Archive
		want     []int
	}{
		"the higher order":        {[]mount.Archive{pak("z", 0), pak("a_P", 100), pak("a_1_P", 200)}, []int{2, 1, 0}},
		"paks by the last name":   {[]mount.Archive{pak("a.pak", 0), pak("B.pak", 0)}, []int{1, 0}},
		"containers by the first": {[]mount.Archive{container("B.utoc", 0), container("a.utoc", 0)}, []int{1, 0}},
		"names in another case":   {[]mount.Archive{pak("A.pak", 0), pak("a.pak", 0)}, []int{0, 1}},
		"loose beside paks":       {[]mount.Archive{{Name: "loose"}, pak("a.pak", 0), {Name: "other"}}, []int{1, 0, 2}},
		"formats without orders":  {[]mount.Archive{{Name: "z.sip"}, {Name: "a.sip"}}, []int{0, 1}},
	} {
		if got := mount.Places(test.archives); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// What the engine does with delete records and with entries that stand twice.
func TestView(t *testing.T) {
	type entry struct {
		archive int
		order   int64
		deleted bool
	}
	for name, test := range map[string]struct {
		entries []entry // those of one file, the archive that wins first
		want    string  // what hides each: its place, "-" for nothing
		seen    int     // -1: nothing
	}{
		"one":                                 {[]entry{{0, 0, false}}, "-", 0},
		"the upper one":                       {[]entry{{0, 100, false}, {1, 0, false}}, "-0", 0},
		"two in one archive":                  {[]entry{{0, 0, false}, {0, 0, false}}, "-0", 0},
		"deleted":                             {[]entry{{0, 100, true}, {1, 0, false}}, "-0", -1},
		"deleted, not in its own order":       {[]entry{{0, 100, true}, {1, 100, false}, {2, 0, false}}, "--1", 1},
		"deleted below what is seen":          {[]entry{{0, 200, false}, {1, 100, true}, {2, 0, false}}, "--0", 0},
		"deleted in its own archive":          {[]entry{{0, 100, true}, {0, 100, false}, {1, 0, false}}, "-00", -1},
		"deleted, which does not count there": {[]entry{{0, 100, false}, {0, 100, true}, {1, 0, false}}, "--0", 0},
		"in its own archive, back in another": {[]entry{{0, 100, true}, {0, 100, false}, {1, 100, false}}, "-0-", 2},
	} {
		view, got := mount.NewView[string, int](1), ""
		for i, e := range test.entries {
			if by, hidden := view.Offer("file", i, e.archive, e.order, e.deleted); hidden {
				got += fmt.Sprint(by)
			} else {
				got += "-"
			}
		}
		seen := -1
		for _, e := range view.Seen() {
			seen = e
		}
		if got != test.want || seen != test.seen {
			t.Errorf("%s: hidden by %s, seen %d; want %s, %d", name, got, seen, test.want, test.seen)
		}
	}
}
