package compare

import (
	"fmt"
	"testing"

	"pakdb/diff"
)

func totals(paths ...string) *diff.Totals {
	t := diff.NewTotals("dir")
	for _, path := range paths {
		t.Add(&diff.Change{Kind: diff.Added, New: &diff.File{Path: path, Size: 10}, Download: 5})
	}
	return t
}

func TestFold(t *testing.T) {
	paths := []string{"A/B/C/1", "A/B/C/2", "A/B/D/1", "A/E/1", "Top"}
	for most, want := range map[int]string{
		9: "[{A/B/C/ 2 20 10} {(top) 1 10 5} {A/B/D/ 1 10 5} {A/E/ 1 10 5}]",
		4: "[{A/B/C/ 2 20 10} {(top) 1 10 5} {A/B/D/ 1 10 5} {A/E/ 1 10 5}]",
		3: "[{A/B/ 3 30 15} {(top) 1 10 5} {A/E/ 1 10 5}]",
		2: "[{A/ 4 40 20} {(top) 1 10 5}]",
		1: "[{A/ 4 40 20} {(top) 1 10 5}]", // the first level, however many it has
	} {
		if got := fmt.Sprint(sumFolders(totals(paths...), most)); got != want {
			t.Errorf("at most %d: %s, want %s", most, got, want)
		}
	}
	if got := sumFolders(totals(), 5); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
