package diff_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// historyLines are the events of a path: "1 modified Maps/A.uasset .uasset .uexp".
func historyLines(t *testing.T, catalog, path string) (all []string) {
	t.Helper()
	events, err := diff.History(t.Context(), schematest.Open(t, catalog), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		all = append(all, eventLine(events[i].Build, &events[i].Change))
	}
	return all
}

func eventLine(build string, c *diff.Change) string {
	line := fmt.Sprintf("%s %s", build, lines([]diff.Change{*c})[0])
	if c.Also != 0 {
		line += " also " + c.Also.String()
	}
	if len(c.Parts) > 0 {
		line += " " + c.PartList()
	}
	if c.New != nil {
		line += fmt.Sprint(" ", c.New.Size)
	}
	return line
}

// The history of any file of an asset is that of the asset.
func TestHistoryOfAssets(t *testing.T) {
	path := catalog(t,
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 2), file("Maps/AB.uexp", 50), file("B.txt", 60)),
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 3), file("Maps/AB.uexp", 51), file("B.txt", 60)),
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 3), file("Maps/A.ubulk", 4), file("B.txt", 61)),
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 3), file("Maps/A.ubulk", 5)),
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 3)),
		pak(file("Maps/A.uasset", 11), file("maps/a.uexp", 13), file("Maps/A.m.ubulk", 7)),
		pak(file("Other/A.uasset", 11), file("Other/A.uexp", 14), file("Other/A.m.ubulk", 7)),
		pak(file("x", 1)),
	)
	want := []string{
		"0 added Maps/A.uasset .uasset .uexp 3",
		"1 modified Maps/A.uexp 3",
		"2 modified Maps/A.uasset .ubulk 4",
		"3 modified Maps/A.ubulk 5",
		"4 modified Maps/A.uasset .ubulk 0",
		"5 modified Maps/A.uasset .uasset .uexp .m.ubulk 31",
		"6 renamed Maps/A.uasset -> Other/A.uasset by content also modified .uasset .uexp .m.ubulk 32",
		"7 removed Other/A.uasset .uasset .uexp .m.ubulk",
	}
	for _, name := range []string{"Maps/A.uasset", "Maps/A.uexp", "Maps/A.ubulk", "Other/A.uexp", "MAPS/a.UEXP"} {
		if d := cmp.Diff(want, historyLines(t, path, name)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if d := cmp.Diff([]string{"0 added B.txt 60", "2 modified B.txt 61", "3 removed B.txt"}, historyLines(t, path, "B.txt")); d != "" {
		t.Errorf("of a file that is no asset (-want +got):\n%s", d)
	}
}

// A part of an asset is found whatever its case.
func TestFindPart(t *testing.T) {
	path := catalog(t,
		pak(file("Maps/A.uasset", 1), file("Maps/A.uexp", 2), file("Maps/AB.UEXP", 3), file("Maps/B.UMAP", 4), file("maps/b.Uexp", 5)),
		pak(file("Maps/A.uasset", 1), file("maps/a.UEXP", 2)))
	asked := schema.NewStatements(schematest.Open(t, path))
	defer func() { _ = asked.Close() }()
	for _, tt := range []struct{ build, path, ext, want string }{
		{"0", "Maps/A.uasset", ".uexp", "Maps/A.uexp"},
		{"1", "Maps/A.uasset", ".uexp", "maps/a.UEXP"},
		{"0", "Maps/B.UMAP", ".uexp", "maps/b.Uexp"},
		{"0", "maps/b.Uexp", ".umap", "Maps/B.UMAP"},
		{"0", "Maps/A.uasset", ".ubulk", ""},
		{"1", "Maps/B.UMAP", ".uexp", ""},
	} {
		f, err := diff.FindPart(t.Context(), asked, tt.build, tt.path, tt.ext)
		if errors.Is(err, diff.ErrNoFile) {
			f, err = &diff.File{}, nil
		}
		if err != nil || f.Path != tt.want {
			t.Errorf("%s of %s in %s: %q, %v; want %q", tt.ext, tt.path, tt.build, f.Path, err, tt.want)
		}
	}
}

// What the history of an asset says of two neighbouring builds is what a comparison of
// them says: of the same files the same.
func TestHistoryIsWhatComparisonsSay(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range testkit.Of(3, 8) {
		var builds [][]made
		content := map[string]int{}
		exts := map[string]bool{".uasset": true}
		for range 6 {
			entries := []schema.Entry{file("other", 1)}
			for i, ext := range []string{".uasset", ".uexp", ".m.ubulk", ".ubulk", ".uptnl"} {
				if ext != ".uasset" && r.IntN(4) == 0 {
					exts[ext] = !exts[ext]
				}
				if r.IntN(3) == 0 {
					content[ext]++
				}
				if exts[ext] {
					entries = append(entries, file("Dir/A"+ext, 2+100*i+content[ext]))
				}
			}
			builds = append(builds, pak(entries...))
		}
		path := catalog(t, builds...)
		var want, got []string
		add := func(to *[]string, build string, c *diff.Change) {
			for _, p := range c.Parts {
				*to = append(*to, build+" "+p.Kind.String()+" "+p.Ext)
			}
			if len(c.Parts) == 0 {
				kind := c.Kind
				if c.Old == nil {
					kind = diff.Added
				} else if c.New == nil {
					kind = diff.Removed
				}
				*to = append(*to, build+" "+kind.String()+" "+strings.TrimPrefix(c.Name(), "Dir/A"))
			}
		}
		for i := 1; i < len(builds); i++ {
			_, changes := compared(t, path, diff.Options{}, fmt.Sprint(i-1), fmt.Sprint(i))
			for k := range changes {
				if asset.Of(changes[k].Name()) != "" {
					add(&want, fmt.Sprint(i), &changes[k])
				}
			}
		}
		events, err := diff.History(t.Context(), schematest.Open(t, path), "Dir/A.uasset")
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if events[i].Build != "0" {
				add(&got, events[i].Build, &events[i].Change)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("(-comparisons +history):\n%s", d)
		}
	}
}
