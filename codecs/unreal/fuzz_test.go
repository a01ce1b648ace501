package unreal_test

import (
	"testing"

	"pakdb/codecs/unreal"
)

// FuzzGUID: a GUID that is read is read the same from its own text.
func FuzzGUID(f *testing.F) {
	f.Add("00112233445566778899AABBCCDDEEFF")
	f.Add("{00112233-4455-6677-8899-aabbccddeeff}")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := unreal.ParseGUID(text)
		if err != nil {
			return
		}
		if again, err := unreal.ParseGUID(g.String()); err != nil || again != g {
			t.Errorf("%q is %v, and read again %v, %v", text, g, again, err)
		}
	})
}

// FuzzMountOrder: no name makes the order negative, or panics.
func FuzzMountOrder(f *testing.F) {
	f.Add("Game/Content/Paks/Game-Windows_3_P.pak")
	f.Add("pakchunk99999999999999999999_P.pak")
	f.Fuzz(func(t *testing.T, name string) {
		if n := unreal.MountOrder(name, ".pak"); n < 0 {
			t.Errorf("%q: order %d", name, n)
		}
		_, _ = unreal.Chunk(name)
		for n := range 3 {
			if patch := unreal.PatchName(name, ".pak", n); patch != "" && unreal.MountOrder(patch, ".pak") < 100 {
				t.Errorf("%q: patch %d is %q, of order %d", name, n, patch, unreal.MountOrder(patch, ".pak"))
			}
		}
	})
}
