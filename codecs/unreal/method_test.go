package unreal_test

import (
	"testing"

	"pakdb/codecs/compress"
	"pakdb/codecs/unreal"
)

func TestMethodNames(t *testing.T) {
	for name, want := range map[string]compress.Method{"Zlib": compress.Zlib, "OODLE": compress.Oodle, "zstd": compress.Zstd, "Odd": "Odd"} {
		if got := unreal.MethodNamed(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"Zlib", "Gzip", "LZ4", "Zstd", "Oodle", "Odd"} {
		if got := unreal.MethodName(unreal.MethodNamed(name)); got != name {
			t.Errorf("%s comes back as %s", name, got)
		}
	}
}
