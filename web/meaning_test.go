package web_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/schema"
	"pakdb/schema/schematest"
	"pakdb/web/internal/explore"
)

// harbor is a catalog of the two builds of the made game of Unreal Engine 4.
func harbor(t testing.TB) string {
	dir := t.TempDir()
	return schematest.Write(t, func(c *schema.Catalog) {
		for label, from := range map[string]string{"1.0": "Harbor.pak", "1.1": "Harbor_next.pak"} {
			at := filepath.Join(dir, label, "Harbor.pak")
			body, err := os.ReadFile("../testdata/" + from)
			err = errors.Join(err, os.Mkdir(filepath.Dir(at), 0o700), os.WriteFile(at, body, 0o600))
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, label := range []string{"1.0", "1.1"} {
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: label, Paths: []string{filepath.Join(dir, label)}}); err != nil {
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
		"Data/DT_Weapons.uasset": "tables strings meaning hex text download", "Data/C_Tide.uasset": "curves meaning hex text download",
		"Textures/T_Sign.uasset": "picture meaning hex text download", "Blueprints/BP_Door.uasset": "meaning code hex text download",
		"Audio/Bell.wav": "sound meaning hex text download", "Localization/Game/fr/Game.locres": "strings meaning hex text download",
	} {
		var file struct{ Shows []string }
		if ask(t, s, place(path)+".json").json(t, &file); strings.Join(file.Shows, " ") != want {
			t.Errorf("%s shows %q, want %s", path, file.Shows, want)
		}
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
