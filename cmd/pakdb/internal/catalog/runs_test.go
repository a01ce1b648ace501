package catalog

import (
	"strings"
	"testing"
)

func TestRuns(t *testing.T) {
	all := strings.Fields("V1 V2 V3 V4 V5 V6 V7")
	for labels, want := range map[string]string{
		"":                     "",
		"V3":                   "V3",
		"V3 V4":                "V3, V4",
		"V3 V4 V5":             "V3..V5 (3)",
		"V1 V3 V4 V5 V6 V7":    "V1, V3..V7 (5)",
		"V1 V2 V3 V5 V6 V7":    "V1..V3 (3), V5..V7 (3)",
		"V1 V2 V3 V4 V5 V6 V7": "V1..V7 (7)",
		"V1 V7":                "V1, V7",
	} {
		if got := runs(strings.Fields(labels), all); got != want {
			t.Errorf("%s: %q, want %q", labels, got, want)
		}
	}
}
