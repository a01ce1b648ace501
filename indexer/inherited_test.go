package indexer_test

import (
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/indexer"
)

// TestEffectiveValuesOfOldClasses: a class of UE1 states what differs from its parent, an
// object what differs from its class, in the same package or in another one.
func TestEffectiveValuesOfOldClasses(t *testing.T) {
	dir := t.TempDir()
	for name, p := range map[string]codecstest.Package{
		"Base.u": {Exports: []codecstest.Export{
			{Name: "Pawn", Class: "Engine.Texture", Ints: "Health=1 Skin=1"}, // a texture of that name
			{Name: "Pawn", Ints: "Health=100 Speed=400 Mass=80"},
			{Name: "Brute", Super: "Pawn", Ints: "Health=340 Mass=200"},
		}},
		"Mod.u": {Exports: []codecstest.Export{
			{Name: "Behemoth", Super: "Base.Brute", Ints: "Health=500"},
			{Name: "Behemoth0", Class: "Behemoth", Ints: "Speed=7"},
			{Name: "Pawn0", Class: "Base.Pawn", Ints: "Health=0"},
			{Name: "Lost", Super: "Absent.Pawn", Ints: "Mass=1"},
		}},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), p.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "ut", Paths: []string{dir}})
	c.want(`SELECT export, field, number, depth, origin_path, origin_export FROM properties_effective WHERE path = 'Mod.u' ORDER BY export_ordinal, depth, position`,
		"Behemoth|Health|500|0|Mod.u|Behemoth", "Behemoth|Mass|200|1|Base.u|Brute", "Behemoth|Speed|400|2|Base.u|Pawn",
		"Behemoth0|Speed|7|0|Mod.u|Behemoth0", "Behemoth0|Health|500|1|Mod.u|Behemoth", "Behemoth0|Mass|200|2|Base.u|Brute",
		"Pawn0|Health|0|0|Mod.u|Pawn0", "Pawn0|Speed|400|1|Base.u|Pawn", "Pawn0|Mass|80|1|Base.u|Pawn",
		"Lost|Mass|1|0|Mod.u|Lost")
	c.want("SELECT lost, opaque, fields FROM property_coverage WHERE path = 'Mod.u'", "0|0|4")
}
