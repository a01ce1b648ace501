package apply

import (
	"context"

	"pakdb/diff/ship/delta"
	"pakdb/internal/stored"
)

// Same reports whether two lists are of the same names and bytes. It reads no
// further than to the first difference.
func Same(ctx context.Context, a, b []delta.Input) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	byName := make(map[string]*delta.Input, len(b))
	for i := range b {
		byName[b[i].Name] = &b[i]
	}
	for i := range a {
		if other := byName[a[i].Name]; other == nil || other.Size != a[i].Size {
			return false, nil
		}
	}
	for i := range a {
		same, err := stored.Equal(ctx, a[i], 0, byName[a[i].Name], 0, a[i].Size)
		if err != nil {
			return false, delta.Named(a[i].Name, err)
		}
		if !same {
			return false, nil
		}
	}
	return true, nil
}
