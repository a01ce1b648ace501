package diff_test

import (
	"context"
	"slices"
	"testing"

	"pakdb/diff"
)

// TestSort compares the order of changes with what each key says; the changes stay the same.
func TestSort(t *testing.T) {
	old := pak(file("a", 11), file("b", 900), file("c", 40), file("same", 5))
	new := pak(file("a", 12), file("c", 41), file("d", 700), file("e", 11), file("same", 5))
	r, byPath := compared(t, catalog(t, old, new), diff.Options{NoRenames: true}, "0", "1")
	download := func(c *diff.Change) int64 { return c.Download }
	size := func(c *diff.Change) int64 {
		s := c.Sizes()
		return max(s.NewSize-s.OldSize, s.OldSize-s.NewSize)
	}
	for key, of := range map[string]func(*diff.Change) int64{"download": download, "size": size, "path": func(*diff.Change) int64 { return 0 }} {
		want := slices.Clone(byPath)
		slices.SortStableFunc(want, func(a, b diff.Change) int { return int(of(&b) - of(&a)) })
		r.Sort(key)
		n := 0
		for c, err := range r.Changes(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Name() != want[n].Name() || c.Kind != want[n].Kind || c.New != nil && c.New.Content != want[n].New.Content {
				t.Errorf("by %s, change %d is %s %s, want %s", key, n, c.Kind, c.Name(), want[n].Name())
			}
			n++
		}
		if n != len(want) || n < 4 {
			t.Errorf("by %s: %d changes, want %d", key, n, len(want))
		}
	}
}
