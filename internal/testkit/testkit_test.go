package testkit_test

import (
	"testing"

	"pakdb/internal/testkit"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		depth        string
		sampled, all int
		want         int
	}{
		{"", 10, 250, 10}, {"1", 10, 250, 20}, {"1", 10, 15, 15}, {"all", 10, 250, 250},
		{"", 9, 1, 9}, {"1", 9, 1, 4}, {"1", 9, 6, 6}, {"all", 9, 1, 1}, // one case in so many
	} {
		t.Setenv(testkit.Depth, c.depth)
		if got := testkit.Of(c.sampled, c.all); got != c.want || testkit.All() != (c.depth == "all") {
			t.Errorf("PAKDB_DEEP=%q: %d of %d to %d, want %d", c.depth, got, c.sampled, c.all, c.want)
		}
	}
}
