package schema_test

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"pakdb/codecs/all"
	"pakdb/codecs/unreal"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// addTexts adds a build of loose files that Unreal Engine ships beside its packages:
// texts in two cultures, and settings.
func addTexts(t testing.TB, c *schema.Catalog) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "texts")
	const folder = "Game/Content/Localization/Game/"
	meta := append([]byte("\x4f\xee\x4c\xa1\x68\x48\x55\x83\x6c\x4c\x46\xbd\x70\xda\x50\x7c"), 0)
	writeLoose(t, dir, folder+"Game.locmeta", appendFString(appendFString(meta, "en"), "en/Game.locres"))
	writeLoose(t, dir, folder+"en/Game.locres", locresOf([3]string{"Quit", "Quit game", "Quit game"},
		[3]string{"Back", "Back", "Back"}, [3]string{"New", "New", "New"}))
	writeLoose(t, dir, folder+"de/Game.locres", locresOf([3]string{"Quit", "Beenden", "Quit"}, [3]string{"Back", "Back", "Back"}))
	writeLoose(t, dir, "Game/Config/DefaultEngine.ini", []byte("[/Script/Engine.Engine]\nMaxFPS=60\n+Paths=(A=1)\n"))
	writeLoose(t, dir, "Game/Config/Windows/WindowsEngine.ini", []byte("[/Script/Engine.Engine]\nMaxFPS=120\n"))
	writeLoose(t, dir, "Game/Config/DefaultGameplayTags.ini", []byte("[/Script/GameplayTags.GameplayTagsSettings]\n"+
		`+GameplayTagList=(Tag="Ability.Jump",DevComment="up")`+"\n"))
	writeLoose(t, dir, "Game/Content/Sounds/A.wem", []byte("RIFF\x24\x00\x00\x00WAVEfmt \x08\x00\x00\x00\xff\xff\x02\x00\x80\xbb\x00\x00data\x04\x00\x00\x00abcd"))
	writeLoose(t, dir, "Game/Data/bosses.json", []byte("{\n  // level by level\n  \"bosses\": [\n    {\"name\": \"Ultron\", \"level\": 60},\n    {\"name\": \"Hydra\", \"level\": 35},\n  ]\n}\n"))
	writeLoose(t, dir, "Game/Data/prices.csv", []byte("id;price\nsword;120\nbow;95\n"))
	writeLoose(t, dir, "Game/Scripts/start.lua", []byte("local boss = \"Ultron\"\nspawn(boss, 60)\n"))
	writeLoose(t, dir, "Game/Plugins/Water/Water.uplugin", []byte(`{"Version": 7, "VersionName": "1.2", "FriendlyName": "Water",
		"Description": "Rivers", "Category": "World", "CreatedBy": "Someone", "EngineVersion": "5.3.0", "EnabledByDefault": false,
		"Modules": [{"Name": "Water", "Type": "Runtime"}], "Plugins": [{"Name": "Landmass", "Enabled": true}]}`))
	_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "texts", Paths: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
}

func writeLoose(t testing.TB, dir, name string, body []byte) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// locresOf returns a .locres of version 0 with one namespace: of each text its key, the
// text and its source.
func locresOf(texts ...[3]string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 1)
	b = appendFString(b, "ST_UI")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(texts)))
	for _, text := range texts {
		var wide []byte
		for _, c := range text[2] {
			wide = binary.LittleEndian.AppendUint32(wide, uint32(c))
		}
		b = appendFString(b, text[0])
		b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(wide))
		b = appendFString(b, text[1])
	}
	return b
}

// appendFString appends a text as Unreal Engine does where it is not ASCII.
func appendFString(b []byte, s string) []byte {
	units := utf16.Encode([]rune(s))
	b = binary.LittleEndian.AppendUint32(b, uint32(-len(units)-1))
	for _, u := range append(units, 0) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

// addRegistry adds a build of two packages and an asset registry, which lists a third.
func addRegistry(t testing.TB, c *schema.Catalog) {
	t.Helper()
	b, err := schematest.Begin(context.Background(), c, "registry")
	if err != nil {
		t.Fatal(err)
	}
	registry := &unreal.RegistryFacts{Version: 24, Filtered: true, Nodes: 3,
		Texts:  []string{"/Game/A", "/Game/B", "/Game/C", "A", "/Script/Engine.Texture2D", "Format", "BC7", "/Script/GameplayTags.GameplayTag::A.B"},
		Assets: []unreal.RegistryAsset{{Package: 0, Class: 4, Object: 3, Chunks: "0", Flags: 0x200}},
		Tags:   []unreal.RegistryTag{{Asset: 0, Name: 5, Value: 6}},
		Dependencies: []unreal.RegistryDependency{{From: 0, To: 1, Flags: 2}, {From: 0, To: 2, Flags: 3}, {From: 0, To: 7, Kind: unreal.DependsOnName},
			{From: 1, To: 0, Kind: unreal.Manages, Flags: 1}},
		Packages: []unreal.RegistryPackage{{Package: 0, DiskSize: 10, Ext: ".uasset", CookedHash: make([]byte, 16)}, {Package: 2, DiskSize: 4000, Ext: ".uasset"}}}
	id := schematest.Start(t, b, schema.Archive{Size: 9000, Format: "unrealpak", Version: "11"})
	for n, name := range []string{"A", "B", "AssetRegistry"} {
		e := &schema.Entry{Ordinal: int64(n), Name: "Game/Content/" + name + ".uasset", Method: "none", Stored: 4000, Size: 4000,
			HasContent: true, Content: schema.Digest{0xa5, byte(n)}, ContentSize: 4000}
		if name == "AssetRegistry" {
			e.Name = "Game/AssetRegistry.bin"
			e.Facts = &schema.Facts{Inspector: "asset-registry/1", Kind: "unreal-asset-registry", Family: registry.Batch()}
		} else {
			long := "/Game/" + name
			e.PlaceSymbols = []schema.Symbol{{Space: "package", Key: schema.NameKey(long), Name: long}}
		}
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "registry.pak", Location: "/registry.pak"})
	if _, err := b.Finish(context.Background()); err != nil {
		t.Fatal(err)
	}
}
