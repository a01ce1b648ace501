package property

import (
	"strings"
	"testing"
)

// TestLayoutsDiffer: names of structs are compared without case, so no two layouts may
// have one that differs in case alone.
func TestLayoutsDiffer(t *testing.T) {
	seen := map[string]string{}
	for name := range layouts() {
		if other := seen[strings.ToLower(name)]; other != "" {
			t.Errorf("%s and %s", name, other)
		}
		seen[strings.ToLower(name)] = name
	}
}
