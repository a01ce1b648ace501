package unrealpak_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

func TestMountOrder(t *testing.T) {
	for path, want := range map[string]int{
		"Game/Content/Paks/Game-WindowsNoEditor.pak":      4,
		"Game/Content/Paks/pakchunk0-WindowsNoEditor.pak": 3,
		`D:\Games\X\Game\Content\Paks\Game-Windows.pak`:   4,
		"Game/Content/Paks/~mods/Game-Mod_P.pak":          103,
		"Game/Content/Paks/Mod_1_P.pak":                   203,
		"Engine/Content/Paks/Engine.pak":                  2,
		"Game/Saved/Paks/Patch.pak":                       1,
		"elsewhere/X_P.pak":                               100,
		"X_0_P.pak":                                       100,
		"X_1_P.pak":                                       200,
		"X_12_p.PAK":                                      1300,
		"0_X_P.pak":                                       100,
		"X_-1_P.pak":                                      100,
		"X_2.5_P.pak":                                     300,
		"X_+2_P.pak":                                      300,
		"X_2._P.pak":                                      300,
		"X_.5_P.pak":                                      100,
		"X_2.5.1_P.pak":                                   100,
		"X_2a_P.pak":                                      100,
		"X_--2_P.pak":                                     100,
		"X__P.pak":                                        100,
		"X_2_3_P.pak":                                     400,
		"X_ 2_P.pak":                                      100,
		"X_100000_P.pak":                                  10000100,
		"X_99999999999_P.pak":                             100,
		"_2_P.pak":                                        300,
		"2_P.pak":                                         100,
		"X.pak":                                           0,
		"XP.pak":                                          0,
		"":                                                0,
	} {
		if got := unrealpak.MountOrder(path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}

func TestSiblings(t *testing.T) {
	src := codecstest.Bytes("Game_P.pak", small(t, codecs.CreateOptions{}))
	src.Dir = fstest.MapFS{"Game_P.sig": {}, "Game_P.utoc": {}, "Other.ucas": {}}
	var got []string
	for _, d := range codecstest.Open(t, unrealpak.Format(), src, nil).Info().Details {
		if d.Name == "beside it" {
			file, _, _ := strings.Cut(d.Value, ":")
			got = append(got, file)
		}
	}
	if want := "Game_P.sig Game_P.utoc"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestChunk(t *testing.T) {
	for name, want := range map[string]int{"pakchunk12-Windows.pak": 12, "a/PakChunk0_s1.pak": 0, "pakchunk.pak": -1, "game.pak": -1, "pakchunk99999999999999999999.pak": -1} {
		n, ok := unrealpak.Chunk(name)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%s: %d", name, n)
		}
	}
}
