package web_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// harbor is a catalog of the two builds of the made game of Unreal Engine 4.
func harbor(t testing.TB) string { return twoBuilds(t, "Harbor.pak", "Harbor_next.pak") }

// twoBuilds is a catalog of the builds 1.0 and 1.1 of archives, of each the old and the new.
func twoBuilds(t testing.TB, archives ...string) string {
	dir := t.TempDir()
	return schematest.Write(t, func(c *schema.Catalog) {
		for i, label := range []string{"1.0", "1.1"} {
			at := filepath.Join(dir, label)
			if err := os.Mkdir(at, 0o700); err != nil {
				t.Fatal(err)
			}
			for k := 0; k < len(archives); k += 2 {
				body, err := os.ReadFile("../testdata/" + archives[k+i])
				if err = errors.Join(err, os.WriteFile(filepath.Join(at, archives[k]), body, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(at, "Alone.uexp"), []byte("\x00 values of "+label), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: label, Paths: []string{at}, Search: schema.SearchMade}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestMeaningOfFiles: what the catalog knows of files of Unreal games.
func TestMeaningOfFiles(t *testing.T) {
	s := serve(t, harbor(t), nil)
	place := func(path string) string {
		var at struct {
			Places []struct {
				Archive string
				Ordinal int
			}
		}
		ask(t, s, "/b/1.1/path/Harbor/Content/"+path+".json").json(t, &at)
		if len(at.Places) != 1 {
			t.Fatalf("%s: %v", path, at)
		}
		return fmt.Sprintf("/b/1.1/file/%s/%d", at.Places[0].Archive, at.Places[0].Ordinal)
	}
	for path, want := range map[string]string{
		"Data/DT_Weapons.uasset": "tables strings blame meaning hex download", "Data/C_Tide.uasset": "curves blame meaning hex download",
		"Textures/T_Sign.uasset": "picture blame meaning hex download", "Blueprints/BP_Door.uasset": "blame meaning code hex download",
		"Audio/Bell.wav": "sound meaning hex download", "Localization/Game/fr/Game.locres": "strings hex download",
	} {
		var file struct{ Shows []string }
		if ask(t, s, place(path)+".json").json(t, &file); strings.Join(file.Shows, " ") != want {
			t.Errorf("%s shows %q, want %s", path, file.Shows, want)
		}
	}
	var sign struct {
		Class string
		Facts []string
		Files []explore.Entry
	}
	if ask(t, s, place("Textures/T_Sign.uexp")+".json").json(t, &sign); sign.Class != "Texture2D" || len(sign.Files) != 2 || sign.Files[0].Size+sign.Files[1].Size != 739+3113 {
		t.Errorf("the asset is %+v", sign)
	}
	if ask(t, s, place("Textures/T_Sign.uasset")+".json").json(t, &sign); !slices.Equal(sign.Facts, []string{"64 x 64, DXT1, 7 mips"}) {
		t.Errorf("a texture is %q", sign.Facts)
	}
	var folder list
	if ask(t, s, "/b/1.1/tree/Harbor/Content/Textures.json").json(t, &folder); fmt.Sprint(folder.Rows) != "[[file T_Sign.uasset 2 3852 1337 uasset Harbor.pak 4 false Texture2D]]" {
		t.Errorf("the folder has %v", folder.Rows)
	}
	var texts struct {
		Strings []explore.Text
		More    bool
	}
	ask(t, s, place("Localization/Game/fr/Game.locres")+"/strings.json").json(t, &texts)
	if want := (explore.Text{Culture: "fr", Namespace: "Weapons", Key: "BoatHook", Text: "Gaffe"}); len(texts.Strings) != 4 || texts.Strings[1] != want || texts.More {
		t.Errorf("texts %+v", texts)
	}
	// The pixels of a texture lie in another file than its tables.
	for path, want := range map[string]string{
		"Textures/T_Sign.uasset": "1.0 added T_Sign.uasset, 1.1 modified T_Sign.uexp", "Data/DT_Weapons.uasset": "1.0 added DT_Weapons.uasset, 1.1 modified DT_Weapons.uasset",
		"Textures/T_Sign.uexp": "1.0 added T_Sign.uasset, 1.1 modified T_Sign.uexp",
	} {
		var history struct{ Rows [][]any }
		ask(t, s, place(path)+"/history.json").json(t, &history)
		var got []string
		for _, r := range history.Rows {
			got = append(got, fmt.Sprint(r[0], " ", r[1], " ", filepath.Base(fmt.Sprint(r[2]))))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("history of %s: %q, want %s", path, got, want)
		}
	}
}

// TestOrigins: each value of a file has the build that gave it, and a value all builds since which
// it was another.
func TestOrigins(t *testing.T) {
	s := serve(t, harbor(t), nil)
	at := "/b/1.1/file/Harbor.pak/0" // DT_Weapons
	var got struct{ Values [][]any }
	ask(t, s, at+"/blame.json").json(t, &got)
	values := map[any][]any{}
	for _, v := range got.Values {
		values[v[0]] = v[1:]
	}
	for name, want := range map[string][]any{
		"DT_Weapons[BoatHook].Damage": {"27", "1.1", "24"}, "DT_Weapons[Anchor].Damage": {"62", "1.0", nil}, "DT_Weapons[Lantern].Damage": {"12", "1.1", nil},
	} {
		if !slices.Equal(values[name], want) {
			t.Errorf("%s: %v, want %v", name, values[name], want)
		}
	}
	for address, want := range map[string]string{
		at + "/value.json?name=DT_Weapons[BoatHook].Damage": "[[1.0 24] [1.1 27]]", at + "/value.json?name=DT_Weapons[Anchor].Damage": "[[1.0 62]]", at + "/value.json?name=none": "[]",
		"/b/1.0/file/Harbor.pak/0/value.json?name=DT_Weapons[BoatHook].Damage": "[[1.0 24]]",
	} {
		if ask(t, s, address).json(t, &got); fmt.Sprint(got.Values) != want {
			t.Errorf("%s: %v, want %s", address, got.Values, want)
		}
	}
}

// TestMapOfClasses: the map of a build has a cell of each file, by its class; that of many files
// ends with folders, which are of the class of their largest file.
func TestMapOfClasses(t *testing.T) {
	type cell struct {
		N, T string
		C    []cell
	}
	found := func(s *httptest.Server) map[string]string {
		var m struct{ Root cell }
		ask(t, s, "/b/1.1/treemap.json").json(t, &m)
		types := map[string]string{}
		var walk func(c cell)
		walk = func(c cell) {
			if len(c.C) == 0 {
				types[c.N] = c.T
			}
			for _, inside := range c.C {
				walk(inside)
			}
		}
		walk(m.Root)
		return types
	}
	check := func(types, want map[string]string) {
		t.Helper()
		for name, class := range want {
			if types[name] != class {
				t.Errorf("%s is %q, want %s, of %v", name, types[name], class, types)
			}
		}
	}
	check(found(serve(t, harbor(t), nil)), map[string]string{"DT_Weapons.uasset": "DataTable", "T_Sign.uasset": "Texture2D", "Bell.wav": "wav", "Alone.uexp": "uexp"})
	dir := t.TempDir()
	for i := range 2001 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".txt")), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	many := schematest.Write(t, func(c *schema.Catalog) {
		if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1.1", Paths: []string{dir, "../testdata/Harbor.pak"}}); err != nil {
			t.Fatal(err)
		}
	})
	check(found(serve(t, many, nil)), map[string]string{"Textures": "Texture2D", "Audio": "wav", "Blueprints": "BlueprintGeneratedClass"})
}

// TestLineOverBuilds follows a line of a text over builds, in each of which it is another line.
func TestLineOverBuilds(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, schematest.Write(t, func(c *schema.Catalog) {
		for i, text := range []string{"A=1\nB=1\nC=1\n", "X=0\nA=1\nB=1\nC=1\n", "X=0\nA=1\nB=2\nC=1\n", "Y=0\nX=0\nA=1\nB=3\nC=1\n"} {
			label := fmt.Sprint(i + 1)
			at := filepath.Join(dir, label)
			if err := errors.Join(os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, "notes.txt"), []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: label, Paths: []string{at}}); err != nil {
				t.Fatal(err)
			}
		}
	}), nil)
	for address, want := range map[string]string{
		"4/value.json?name=4": "[[1 B=1] [3 B=2] [4 B=3]]", "4/value.json?name=5": "[[1 C=1]]", "4/value.json?name=1": "[[4 Y=0]]", "2/value.json?name=3": "[[1 B=1]]",
	} {
		var places struct{ Places []explore.Place }
		build, part, _ := strings.Cut(address, "/")
		ask(t, s, "/b/"+build+"/path/notes.txt.json").json(t, &places)
		var got struct{ Values [][]any }
		ask(t, s, fmt.Sprintf("/b/%s/file/%s/%d/%s", build, places.Places[0].Archive, places.Places[0].Ordinal, part)).json(t, &got)
		if fmt.Sprint(got.Values) != want {
			t.Errorf("%s: %v, want %s", address, got.Values, want)
		}
	}
}

// TestComparisonHasNoOffsets: whatever the page of a file shows, its comparison shows; else it
// says why there are bytes.
func TestComparisonHasNoOffsets(t *testing.T) {
	testkit.NotShort(t)
	s := serve(t, twoBuilds(t, "Harbor.pak", "Harbor_next.pak", "Calligraphy.sip", "Calligraphy_next.sip"), nil)
	var all struct{ Rows [][]any }
	ask(t, s, "/compare/1.0...1.1.json").json(t, &all)
	inside := map[any]string{}
	for i, row := range all.Rows {
		side, _ := row[2].([]any)
		if side == nil {
			side, _ = row[3].([]any)
		}
		inside[side[1]] = string(ask(t, s, fmt.Sprintf("/compare/1.0...1.1/inside.json?row=%d", i)).body)
		if strings.Contains(inside[side[1]], `"bytes"`) && !strings.Contains(inside[side[1]], `"why"`) {
			t.Errorf("%s has bytes, and does not say why: %s", side[1], inside[side[1]])
		}
	}
	for _, c := range [][2]string{
		{"C_Tide.uexp", `"C_Tide.FloatCurve.Keys[1].Value","1.9","2.1"`}, // whose .uasset did not change
		{"C_Tide.uexp", `"curves":[["C_Tide.FloatCurve",[[0,0.5],[3,1.9]`},
		{"Bell.wav", `"pictures":[["Bell.wav","`},
		{"T_Sign.uexp", `"pictures":[["T_Sign","100.0 % differ`},
		{"Drones.prototype", `["parent","Calligraphy/Powers/Blueprints/SummonPower.defaults","Calligraphy/Powers/Blueprints/Summons/SummonPower.defaults"]`},
		{"SummonPower.defaults", `"why":"All that pakdb reads of it is the same in both builds.`},
		{"Shield.prototype", `["parent",null,`}, // one build has it alone
		{"CanneryBoss.prototype", `,null]`},
		{"Alone.uexp", `"why":"Its values are not known: the build has no Alone.uasset`},
	} {
		if !strings.Contains(inside[c[0]], c[1]) {
			t.Errorf("%s: %.600s", c[0], inside[c[0]])
		}
	}
}
