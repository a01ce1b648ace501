package sketch_test

import (
	"slices"
	"testing"

	"pakdb/internal/sketch"
)

// FuzzUnmarshal reads what a catalog has for a sketch, and compares it with that
// of a content.
func FuzzUnmarshal(f *testing.F) {
	f.Add(sketch.Of([]byte("some content")).Marshal(), []byte("some content"))
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0}, []byte{})
	f.Fuzz(func(t *testing.T, stored, content []byte) {
		s, own := sketch.Unmarshal(stored), sketch.Of(content)
		if s != nil && !slices.Equal(s.Marshal(), stored) {
			t.Errorf("%x is written as %x", stored, s.Marshal())
		}
		for _, common := range []float64{sketch.Common(s, own), sketch.Common(own, s), sketch.Kept(s, own, 10, 20)} {
			if !(common >= 0 && common <= 1) {
				t.Errorf("%v in common", common)
			}
		}
	})
}
