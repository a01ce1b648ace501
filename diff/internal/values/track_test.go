package values_test

import (
	"fmt"
	"strings"
	"testing"

	"pakdb/diff/internal/values"
)

// Each version is the one before the version above it.
func TestTrack(t *testing.T) {
	for name, tt := range map[string]struct {
		versions []string
		want     string
	}{
		"value":          {[]string{"A C X 3\nA C Y 1", "A C X 2\nA C Y 1", "A C X 1\nA C Y 1"}, "A.X 3 since 0, was 2; A.Y 1"},
		"there and back": {[]string{"A C X 1", "A C X 2", "A C X 1"}, "A.X 1 since 0, was 2"},
		"came":           {[]string{"A C X 1\nA C Y 2", "A C Y 2"}, "A.X 1 since 0; A.Y 2"},
		"element in front": {[]string{"A C L[0] 9\nA C L[1] 5\nA C L[2] 6", "A C L[0] 5\nA C L[1] 6", "A C L[0] 5\nA C L[1] 7"},
			"A.L[0] 9 since 0; A.L[1] 5; A.L[2] 6 since 1, was 7"},
		"element moved": {[]string{"A C L[0] 6\nA C L[1] 5", "A C L[0] 5\nA C L[1] 6"}, "A.L[0] 6; A.L[1] 5"},
		"row with another name": {[]string{"T DataTable Rows[New].Cost 5\nT DataTable Rows[New].Size 2", "T DataTable Rows[Old].Cost 5\nT DataTable Rows[Old].Size 2",
			"T DataTable Rows[Old].Cost 4\nT DataTable Rows[Old].Size 2"}, "T[New].Cost 5 since 1, was 4; T[New].Size 2"},
		"vector":                   {[]string{"A C V.X 1\nA C V.Y 2\nA C V.Z 3", "A C V.X 1\nA C V.Y 2\nA C V.Z 4"}, "A.V (1, 2, 3) since 0, was (1, 2, 4)"},
		"object with another path": {[]string{"B C X 1\nB C Y 2", "A C X 1\nA C Y 2", "A C X 1\nA C Y 3"}, "B.X 1; B.Y 2 since 1, was 3"},
		"case":                     {[]string{"A C Speed 1", "a C speed 1"}, "A.Speed 1"},
	} {
		t.Run(name, func(t *testing.T) {
			tracker := values.Track(rows(tt.versions[0]))
			for i, v := range tt.versions[1:] {
				tracker.Before(i, rows(v))
			}
			var got []string
			for _, v := range tracker.Values() {
				text := v.Name + " " + v.Value
				if v.Since >= 0 {
					text += fmt.Sprintf(" since %d", v.Since)
				}
				if v.Before != nil {
					text += ", was " + *v.Before
				}
				got = append(got, text)
			}
			if got := strings.Join(got, "; "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
