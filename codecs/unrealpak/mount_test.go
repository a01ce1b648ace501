package unrealpak_test

import (
	"reflect"
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

func TestParseCryptoJSON(t *testing.T) {
	keys, err := unrealpak.ParseCryptoJSON([]byte("\xef\xbb\xbf" + `{"$types": {"x": "1"}, "EncryptionKey": {"$type": "1", "Name": null, "Guid": null, "Key": "` + repakKey + `"},
		"bEnablePakSigning": false,
		"SecondaryEncryptionKeys": [{"Name": "DLC", "Guid": "00112233445566778899AABBCCDDEEFF", "Key": "` + cueKey + `"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	dlc := [16]byte{0x33, 0x22, 0x11, 0x00, 0x77, 0x66, 0x55, 0x44, 0xbb, 0xaa, 0x99, 0x88, 0xff, 0xee, 0xdd, 0xcc}
	if main := keys([16]byte{}); len(main) != 32 || main[0] != 0x94 || string(keys(dlc)) != cueKey || keys([16]byte{1}) != nil {
		t.Errorf("%x %q %x", main, keys(dlc), keys([16]byte{1}))
	}
	for _, text := range []string{"", "{}", `{"EncryptionKey":{"Key":"x"}}`, `{"SecondaryEncryptionKeys":[{"Guid":"x","Key":"` + repakKey + `"}]}`} {
		if _, err := unrealpak.ParseCryptoJSON([]byte(text)); err == nil {
			t.Errorf("%s: accepted", text)
		}
	}
}

func TestParseResponse(t *testing.T) {
	got, err := unrealpak.ParseResponse(strings.NewReader("\ufeff\"C:\\Build\\*.uasset\" \"../../../Game/\" -compress -Encrypt\r\n" +
		"\n  plain.txt\n\"-odd name\" \"x\"\n\"../../../Game/gone.txt\" -delete\n"))
	want := []unrealpak.ResponseLine{
		{Line: 1, Source: "C:/Build/*.uasset", Dest: "../../../Game/", Compress: true, Encrypt: true},
		{Line: 3, Source: "plain.txt", Dest: "plain.txt"},
		{Line: 4, Source: "-odd name", Dest: "x"},
		{Line: 5, Source: "../../../Game/gone.txt", Dest: "../../../Game/gone.txt", Delete: true},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"\"open", "a b c", "-compress", "a -unknown", strings.Repeat("x", 1<<19)} {
		if _, err := unrealpak.ParseResponse(strings.NewReader("ok\n" + text)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestArrange(t *testing.T) {
	order, err := unrealpak.ParseOrder(strings.NewReader("\"B.txt\" 5\nc.txt 1\n\"D.txt\"\n"))
	if err != nil || len(order) != 3 || order[2].Order != 3 {
		t.Fatalf("%+v, %v", order, err)
	}
	if _, err := unrealpak.ParseOrder(strings.NewReader("a x")); err == nil {
		t.Error("a word is no number")
	}
	lines := []unrealpak.ResponseLine{{Dest: "a.txt", Delete: true}, {Dest: "z.txt"}, {Dest: "A2.txt"}, {Dest: "b.txt"}, {Dest: "C.txt"}, {Dest: "d.txt"}}
	unrealpak.Arrange(lines, order)
	var got []string
	for _, l := range lines {
		got = append(got, l.Dest)
	}
	if want := "C.txt d.txt b.txt A2.txt z.txt a.txt"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
