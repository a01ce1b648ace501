package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/diff"
	"pakdb/schema"
)

// The engine takes no notice of case, so neither does what belongs together.
func TestAssetsWhateverTheirCase(t *testing.T) {
	for name, test := range map[string]struct {
		old, new []schema.Entry
		want     []string // and the parts of each
	}{
		"as they should be": {
			[]schema.Entry{file("Maps/A.uasset", 1), file("Maps/A.uexp", 2), file("Maps/A.ubulk", 3)},
			[]schema.Entry{file("Maps/A.uasset", 11), file("Maps/A.uexp", 12), file("Maps/A.ubulk", 13)},
			[]string{"modified Maps/A.uasset", ".uasset .uexp .ubulk"},
		},
		"names": {
			[]schema.Entry{file("Maps/B_Tree.uasset", 1), file("Maps/a.uasset", 5), file("Maps/b_tree.uexp", 2), file("Maps/B_TREE.ubulk", 3)},
			[]schema.Entry{file("Maps/B_Tree.uasset", 11), file("Maps/a.uasset", 5), file("Maps/b_tree.uexp", 12), file("Maps/B_TREE.ubulk", 13)},
			[]string{"modified Maps/B_Tree.uasset", ".uasset .uexp .ubulk"},
		},
		"folders": {
			[]schema.Entry{file("Maps/A.uasset", 1), file("maps/A.uexp", 2)},
			[]schema.Entry{file("Maps/A.uasset", 11), file("maps/A.uexp", 12)},
			[]string{"modified Maps/A.uasset", ".uasset .uexp"},
		},
		"of both builds": {
			[]schema.Entry{file("Maps/A.uasset", 1), file("Maps/A.uexp", 2)},
			[]schema.Entry{file("Maps/A.uasset", 11), file("Maps/a.uexp", 2)},
			[]string{"modified Maps/A.uasset", ".uasset .uexp"},
		},
		"without tables": {
			[]schema.Entry{file("Maps/A.uexp", 2), file("Maps/a.ubulk", 3)},
			[]schema.Entry{file("Maps/A.uexp", 12), file("Maps/a.ubulk", 13)},
			[]string{"modified Maps/A.uexp", ".uexp .ubulk"},
		},
		"moved as one": {
			[]schema.Entry{file("Maps/A.uasset", 1), file("Maps/a.uexp", 2)},
			[]schema.Entry{file("Other/A.uasset", 1), file("Other/a.uexp", 12)},
			[]string{"renamed Maps/A.uasset -> Other/A.uasset by content", ".uasset .uexp"},
		},
		"two of one name, of which the game sees the first": {
			[]schema.Entry{file("Maps/A.uasset", 1), file("Maps/A.uexp", 2), file("Maps/a.uasset", 3), file("Maps/a.uexp", 4)},
			[]schema.Entry{file("Maps/A.uasset", 11), file("Maps/A.uexp", 12), file("Maps/a.uasset", 13), file("Maps/a.uexp", 14)},
			[]string{"modified Maps/A.uasset", ".uasset .uexp"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, changes := compared(t, catalog(t, pak(test.old...), pak(test.new...)), diff.Options{}, "0", "1")
			var got []string
			for i, line := range lines(changes) {
				got = append(got, line, changes[i].PartList())
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// Files of one asset that went to two others: what is left of it follows one of
// them, whichever build is the old one.
func TestAssetThatWentApart(t *testing.T) {
	path := catalog(t,
		pak(file("x.uasset", 1), file("x.ubulk", 2), file("x.uexp", 3)),
		pak(file("X.uasset", 11), file("a/x.ubulk", 2), file("a/x.uexp", 13)))
	_, forth := compared(t, path, diff.Options{Files: true}, "0", "1")
	_, back := compared(t, path, diff.Options{Files: true}, "1", "0")
	if d := cmp.Diff(mirror(forth), count(back)); d != "" {
		t.Errorf("b to a is not the mirror of a to b (-want +got):\n%s\n%s\n%s", d, lines(forth), lines(back))
	}
}

// An asset that lost or got one of its files was modified, also where the others are the
// same in both builds, and history says the same.
func TestAssetsThatLoseFiles(t *testing.T) {
	for name, test := range map[string]struct {
		old, new []schema.Entry
		want     []string
	}{
		"lost":           {[]schema.Entry{file("G/X.uasset", 1), file("G/X.uexp", 2), file("G/X.ubulk", 3)}, []schema.Entry{file("G/X.uasset", 1), file("G/X.uexp", 2)}, []string{"1 modified G/X.uasset .ubulk 0"}},
		"two lost":       {[]schema.Entry{file("G/X.uasset", 1), file("G/X.uexp", 2), file("G/X.ubulk", 3)}, []schema.Entry{file("G/X.uasset", 1)}, []string{"1 modified G/X.uasset .uexp .ubulk 0"}},
		"got":            {[]schema.Entry{file("G/X.umap", 1)}, []schema.Entry{file("G/X.umap", 1), file("G/X.uptnl", 9)}, []string{"1 modified G/X.umap .uptnl 9"}},
		"tables lost":    {[]schema.Entry{file("G/X.uasset", 1), file("G/X.uexp", 2)}, []schema.Entry{file("G/X.uexp", 2)}, []string{"1 modified G/X.uexp .uasset 0"}},
		"in its place":   {[]schema.Entry{file("G/X.uasset", 1), file("G/X.ubulk", 3)}, []schema.Entry{file("G/X.uasset", 1), file("G/X.m.ubulk", 300)}, []string{"1 modified G/X.uasset .m.ubulk .ubulk 300"}},
		"another case":   {[]schema.Entry{file("G/X.uasset", 1), file("g/x.UBULK", 3)}, []schema.Entry{file("G/X.uasset", 1)}, []string{"1 modified G/X.uasset .UBULK 0"}},
		"all of it":      {[]schema.Entry{file("G/X.uasset", 1), file("G/X.ubulk", 3), file("G/XY.uasset", 7)}, []schema.Entry{file("G/XY.uasset", 7)}, []string{"1 removed G/X.uasset .uasset .ubulk"}},
		"no tables ever": {[]schema.Entry{file("G/X.uexp", 1), file("G/X.ubulk", 3)}, []schema.Entry{file("G/X.uexp", 1)}, []string{"1 modified G/X.uexp .ubulk 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			others := []schema.Entry{file("a", 50), file("b", 51), file("c", 52)}
			path := catalog(t, pak(append(test.old, others...)...), pak(append(test.new, others...)...))
			_, changes := compared(t, path, diff.Options{}, "0", "1")
			var got []string
			for i := range changes {
				got = append(got, eventLine("1", &changes[i]))
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("diff (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.want, historyLines(t, path, test.old[0].Name)[1:]); d != "" {
				t.Errorf("history (-want +got):\n%s", d)
			}
		})
	}
}
