package unrealpkg_test

import (
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/unrealpkg"
)

func TestSymbolsAt(t *testing.T) {
	old := &codecs.PackageFacts{Engine: "UE2", Version: 128}
	asset := &codecs.PackageFacts{Engine: "UE4", LegacyVersion: -7}
	named := &codecs.PackageFacts{Engine: "UE5", LegacyVersion: -8, Name: "/Game/Stored"}
	for _, tt := range []struct {
		path  string
		facts *codecs.PackageFacts
		want  string
	}{
		{"System/Core.u", nil, "Core"},
		{"../../../G/Content/A.uasset", named, "/Game/A"}, // the engine looks there, whatever was saved
		{"Loose/A.uasset", named, "/Game/Stored"},
		{"Loose/A.uasset", asset, ""},
		{"Loose/A.uasset", nil, ""},
		{"Maps/Entry.own", old, "Entry"}, // an extension of one game's own
		{"readme.txt", nil, ""},
	} {
		var facts *codecs.Facts
		if tt.facts != nil {
			facts = &codecs.Facts{Detail: tt.facts}
		}
		got := ""
		for _, s := range unrealpkg.Inspector().SymbolsAt(tt.path, facts) {
			got += s.Name
			if s.Space != "package" || s.Path != "" {
				t.Errorf("%s: %+v", tt.path, s)
			}
		}
		if got != tt.want {
			t.Errorf("%s = %q, want %q", tt.path, got, tt.want)
		}
	}
}
