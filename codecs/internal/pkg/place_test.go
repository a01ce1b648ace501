package pkg_test

import (
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
)

func TestSymbolsAt(t *testing.T) {
	old := []byte{0xC1, 0x83, 0x2A, 0x9E, 128, 0, 29, 0}
	asset := []byte{0xC1, 0x83, 0x2A, 0x9E, 0xF9, 0xFF, 0xFF, 0xFF}
	for _, tt := range []struct {
		path string
		head []byte
		want string
	}{
		{"System/Core.u", nil, "Core"},
		{"../../../G/Content/A.uasset", asset, "/Game/A"},
		{"Loose/A.uasset", asset, ""}, // nobody knows where it is mounted
		{"Loose/A.uasset", nil, ""},
		{"Maps/Entry.own", old, "Entry"}, // an extension of one game's own
		{"Maps/Entry.own", nil, ""},
		{"Maps/Entry.own", asset, ""},
		{"readme.txt", []byte("text"), ""},
	} {
		got := ""
		for _, s := range pkg.Inspector().SymbolsAt(&codecs.Entry{}, tt.path, tt.head) {
			got += s.Name
			if s.Space != "package" || s.Path != "" {
				t.Errorf("%s: %+v", tt.path, s)
			}
		}
		if got != tt.want {
			t.Errorf("%s %x = %q, want %q", tt.path, tt.head, got, tt.want)
		}
	}
}
