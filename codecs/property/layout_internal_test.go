package property

import (
	"strings"
	"testing"
)

// TestLayoutsDifferInMoreThanCase: names are compared without case, so that Vector2d would
// be Vector2D, in one process of two.
func TestLayoutsDifferInMoreThanCase(t *testing.T) {
	seen := map[string]string{}
	for name := range layouts() {
		if other := seen[strings.ToLower(name)]; other != "" {
			t.Errorf("%s and %s", name, other)
		}
		seen[strings.ToLower(name)] = name
	}
}
