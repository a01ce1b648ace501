package gpak_test

import (
	"hash/adler32"
	"hash/crc32"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs/gpak"
)

// The vectors that are known without samples: checked on real data, or
// constants in other people's code.
func TestHash(t *testing.T) {
	for path, want := range map[string]uint64{
		"":                                                 0,
		"Calligraphy/Curve.directory":                      0x71300df7973b0ae7,
		"Calligraphy/Type.directory":                       0x3ba2e4928cb30a84,
		"Calligraphy/Blueprint.directory":                  0xc1458314c7970c97,
		"Calligraphy/Prototype.directory":                  0x2a718d02c9e70cb8,
		"Calligraphy/Replacement.directory":                0x49ef0a8ae0cc0d52,
		"SpawnMarkers.Types.EncounterMedium?prototype":     0x8132331e97f21238,
		"&Resource/Cells/PvP/2v2_Arenas/5_Sunken_2v2.cell": 0xa7493a13b2f71195,
		"Powers.Blueprints.Power?blueprint":                6670986634407775621,
		"Calligraphy/Mods/EnemyBoosts/Sets/EndGameNoAnimAffixes.prototype":  3858647238819518931,
		"Calligraphy/Entity/Props/Destructibles/NorwayWallsWallA.prototype": 0xa246178164d01a92,
	} {
		if got := gpak.Hash(path); got != want {
			t.Errorf("Hash(%q) = %016x, want %016x", path, got, want)
		}
	}
	if gpak.Hash("A/B") != gpak.Hash("a/b") || gpak.Hash("É") == gpak.Hash("é") {
		t.Error("case is lowered for A to Z, and for nothing else")
	}
}

func TestHashIsTheLibrarysSums(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SliceOfN(rapid.ByteRange('a', 255), 0, 20_000).Draw(rt, "path")
		want := (uint64(crc32.ChecksumIEEE(b))<<32 | uint64(adler32.Checksum(b))) - 1
		if got := gpak.Hash(string(b)); got != want {
			rt.Fatalf("%016x, want %016x", got, want)
		}
	})
}
