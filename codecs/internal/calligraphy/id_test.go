package calligraphy_test

import (
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/calligraphy"
)

func TestID(t *testing.T) {
	tests := map[string]uint64{
		"Calligraphy/Powers/Blueprints/Power.blueprint":            0x5c941affe5410d85,
		"calligraphy/powers/blueprints/POWER.blueprint":            0x5c941affe5410d85,
		"Powers/Blueprints/Power.blueprint":                        0x5c941affe5410d85,
		"Calligraphy/SpawnMarkers/Types/EncounterMedium.prototype": 0x8132331e97f21238,
		"": 0,
	}
	for path, want := range tests {
		if got := calligraphy.ID(path); got != want {
			t.Errorf("ID(%q) = %016x, want %016x", path, got, want)
		}
	}
}

func TestResourceID(t *testing.T) {
	const path, want = "Resource/Cells/PvP/2v2_Arenas/5_Sunken_2v2.cell", uint64(0xa7493a13b2f71195)
	if got := calligraphy.ResourceID(path); got != want {
		t.Errorf("ResourceID = %016x, want %016x", got, want)
	}
}

func TestEntrySymbols(t *testing.T) {
	tests := []struct {
		name  string
		space codecs.Space
		id    uint64
	}{
		{"Resource/Cells/PvP/2v2_Arenas/5_Sunken_2v2.cell", "prototype", 0xa7493a13b2f71195},
		{"Calligraphy/Powers/Blueprints/Power.blueprint", "blueprint", 0x5c941affe5410d85},
		{"Calligraphy/Powers/Blueprints/Power.defaults", "prototype", 0x5c941affe5410d85},
		{"Calligraphy/SpawnMarkers/Types/EncounterMedium.prototype", "prototype", 0x8132331e97f21238},
		{"Calligraphy/A.curve", "curve", calligraphy.ID("A.curve")},
		{"Calligraphy/A.type", "asset_type", calligraphy.ID("A.type")},
		{"Calligraphy/Curve.directory", "", 0},
		{"Resource/A.type", "", 0},
		{"A.cell", "", 0},
		{"", "", 0},
	}
	for _, test := range tests {
		var want []codecs.Symbol
		if test.space != "" {
			want = []codecs.Symbol{symbolOf(test.space, test.id, "")}
		}
		same(t, test.name, calligraphy.EntrySymbols(test.name), want)
	}
}
