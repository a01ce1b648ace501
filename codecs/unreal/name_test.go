package unreal_test

import (
	"testing"

	"pakdb/codecs/unreal"
)

func TestLongName(t *testing.T) {
	for path, want := range map[string]string{
		"../../../FSD/Content/A/B.uasset":                  "/Game/A/B",
		"FSD/Content/Maps/L.umap":                          "/Game/Maps/L",
		"/Game2/Content/Content/A.uasset":                  "/Game/Content/A",
		"../../../Engine/Content/EngineMaterials/M.uasset": "/Engine/EngineMaterials/M",
		"Engine/Plugins/FX/Niagara/Content/N.uasset":       "/Niagara/N",
		"Game/Plugins/Group/MyPlugin/Content/X/A.uasset":   "/MyPlugin/X/A",
		"Loose.uasset":                     "",
		"FSD/Content/A/B.uexp":             "",
		"System/Botpack.u":                 "Botpack",
		"UTGame/CookedPC/Maps/DM-Deck.ut3": "DM-Deck",
		"Textures/Ancient.utx":             "Ancient",
		"notes.txt":                        "",
	} {
		if got := unreal.LongName(path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
}
