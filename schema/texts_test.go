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
	"pakdb/indexer"
	"pakdb/schema"
)

// addTexts adds a build of loose files that Unreal Engine ships beside its packages:
// texts in two cultures.
func addTexts(t testing.TB, c *schema.Catalog) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "texts")
	const folder = "Game/Content/Localization/Game/"
	meta := append([]byte("\x4f\xee\x4c\xa1\x68\x48\x55\x83\x6c\x4c\x46\xbd\x70\xda\x50\x7c"), 0)
	writeLoose(t, dir, folder+"Game.locmeta", appendFString(appendFString(meta, "en"), "en/Game.locres"))
	writeLoose(t, dir, folder+"en/Game.locres", locresOf([3]string{"Quit", "Quit game", "Quit game"},
		[3]string{"Back", "Back", "Back"}, [3]string{"New", "New", "New"}))
	writeLoose(t, dir, folder+"de/Game.locres", locresOf([3]string{"Quit", "Beenden", "Quit"}, [3]string{"Back", "Back", "Back"}))
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
