package main

import (
	"slices"
	"testing"
)

// TestSQLBeginsWithAComment: such an argument is no flag, as it would be for two hyphens.
func TestSQLBeginsWithAComment(t *testing.T) {
	got := commented([]string{"query", "-- How many?\nSELECT 1", "--format", "csv", "--", "-- x"})
	if want := []string{"query", "\n-- How many?\nSELECT 1", "--format", "csv", "--", "-- x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
