package property

import (
	"maps"
	"slices"
)

// NativeNames returns the structs with serializers that are read, in lower case, and those
// that are not read from files without tags.
func NativeNames() (read, tagged []string) {
	for _, name := range slices.Sorted(maps.Keys(natives())) {
		if natives()[name].tagged {
			tagged = append(tagged, name)
		} else {
			read = append(read, name)
		}
	}
	return read, tagged
}
