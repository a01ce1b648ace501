package calligraphy_test

import (
	"strings"
	"testing"

	"pakdb/codecs/internal/calligraphy"
)

func TestPathHash(t *testing.T) {
	// From the game's own tables and the constants of public readers.
	tests := map[string]uint64{
		"":                                  0,
		"Calligraphy/Curve.directory":       0x71300df7973b0ae7,
		"Calligraphy/Type.directory":        0x3ba2e4928cb30a84,
		"Calligraphy/Blueprint.directory":   0xc1458314c7970c97,
		"Calligraphy/Prototype.directory":   0x2a718d02c9e70cb8,
		"Calligraphy/Replacement.directory": 0x49ef0a8ae0cc0d52,
		"Calligraphy/Calligraphy.directory": 0x6a81a483e0560d52,
		"Calligraphy/Entity/Props/Destructibles/NorwayWallsWallA.prototype": 0xa246178164d01a92,
		"Calligraphy/Mods/EnemyBoosts/Sets/EndGameNoAnimAffixes.prototype":  0x358cab383f6119d3,
		"Powers.Blueprints.Power?blueprint":                                 0x5c941affe5410d85,
		"SpawnMarkers.Types.EncounterMedium?prototype":                      0x8132331e97f21238,
		"&Resource/Cells/PvP/2v2_Arenas/5_Sunken_2v2.cell":                  0xa7493a13b2f71195,
	}
	for path, want := range tests {
		if got := calligraphy.PathHash(path); got != want {
			t.Errorf("PathHash(%q) = %016x, want %016x", path, got, want)
		}
		if got := calligraphy.PathHash(strings.ToUpper(path)); got != want {
			t.Errorf("PathHash of upper-cased %q = %016x, want %016x", path, got, want)
		}
	}
}

func TestPathHashLowersASCIIAlone(t *testing.T) {
	if calligraphy.PathHash("É") == calligraphy.PathHash("é") {
		t.Error("letters beyond ASCII were lower-cased")
	}
}

func TestDJB2(t *testing.T) {
	tests := map[string]uint32{
		"":                      5381,
		"PathNodePrototype":     908860270,
		"EntityMarkerPrototype": 3862899546,
	}
	for name, want := range tests {
		if got := calligraphy.DJB2(name); got != want {
			t.Errorf("DJB2(%q) = %d, want %d", name, got, want)
		}
	}
}

func BenchmarkPathHash(b *testing.B) {
	const path = "Calligraphy/Entity/Props/Destructibles/NorwayWallsWallA.prototype"
	b.ReportAllocs()
	b.SetBytes(int64(len(path)))
	for b.Loop() {
		calligraphy.PathHash(path)
	}
}
