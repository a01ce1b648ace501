package asset_test

import (
	"testing"

	"pakdb/internal/asset"
)

// FuzzSplit: the two pieces are the name, and only a part of an asset has both.
func FuzzSplit(f *testing.F) {
	for _, name := range []string{"Game/A.uasset", "B.M.UBULK", ".uexp", "C.txt", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		stem, ext, part := asset.Split(name)
		if stem+ext != name || (ext == "") != (part == asset.None) || ext != "" && stem == "" {
			t.Errorf("%q is %q and %q, %v", name, stem, ext, part)
		}
	})
}
