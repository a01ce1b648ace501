package indexer_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/schema"
)

const (
	zenTwin = "iostore/cue4parse-ue5.8/"
	pakTwin = "unreal-properties/cue4parse-UE5_8/"
)

// sampleDir links samples into a folder, as a game has them.
func sampleDir(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := codecstest.Sample(t, name)
		if err := os.Symlink(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func taggedZen(t *testing.T) string {
	return sampleDir(t, zenTwin+"global.utoc", zenTwin+"global.ucas",
		zenTwin+"Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows.utoc", zenTwin+"Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows.ucas")
}

var zenImage []byte

// zenCatalog returns a catalog of [taggedZen], which is scanned once.
func zenCatalog(t *testing.T) catalog {
	t.Helper()
	c := newCatalog(t)
	if zenImage != nil {
		write(t, c.path, zenImage)
		return c
	}
	c.mustScan(indexer.Options{Label: "zen", Paths: []string{taggedZen(t)}})
	var err error
	if zenImage, err = os.ReadFile(c.path); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestValues: values of assets in a pak, as .uasset and .uexp, and in a container.
func TestValues(t *testing.T) {
	c := zenCatalog(t)
	c.mustScan(indexer.Options{Label: "pak", Paths: []string{sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak")}})
	c.mustScan(indexer.Options{Label: "none", NoValues: true, Paths: []string{sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak")}})
	for query, want := range map[string]string{
		"SELECT count(*) > 1500 FROM properties WHERE build = 'zen'":                                                                           "1",
		"SELECT count(*) FROM properties WHERE build = 'none'":                                                                                 "0",
		"SELECT count(DISTINCT path) > 0, sum(path LIKE '%.uexp') FROM properties WHERE build = 'pak'":                                         "1|0",
		"SELECT count(*) FROM properties WHERE build = 'zen' AND name = 'TotalSamples' AND number = 22050":                                     "1",
		"SELECT value FROM data_table_rows WHERE build = 'zen' AND data_table = 'DT_AllProperties' AND row_name = 'Beta' AND field = 'Number'": "-202020",
		"SELECT DISTINCT target FROM properties WHERE build = 'zen' AND field = 'Sound'":                                                       "Audio/SW_Inline.uasset",
		"SELECT sum(lost), sum(opaque) FROM property_coverage WHERE build = 'pak'":                                                             "0|0",
		"SELECT key FROM strings WHERE build = 'zen' AND class = 'StringTable' ORDER BY position LIMIT 1":                                      "Greeting",
		"SELECT count(*) > 0 FROM dependencies WHERE build = 'zen' AND kind = 'value' AND status = 'resolved'":                                 "1",
	} {
		if got := c.rows(query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestValuesGoWithTheirBuild: a build that is deleted leaves nothing.
func TestValuesGoWithTheirBuild(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "a", Paths: []string{sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak")}})
	rows := c.rows("SELECT count(*) FROM x_property")[0]
	c.mustScan(indexer.Options{Label: "b", Paths: []string{sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak")}})
	for _, query := range []string{"SELECT count(*) FROM x_property", "SELECT count(*) FROM properties WHERE build = 'a'", "SELECT count(*) FROM properties WHERE build = 'b'"} {
		if got := c.rows(query)[0]; got != rows || got == "0" {
			t.Errorf("%s: %s, want %s", query, got, rows)
		}
	}
	for _, label := range []string{"a", "b"} {
		cat := c.write()
		if err := cat.Remove(context.Background(), label); err != nil {
			t.Fatal(err)
		}
		if err := cat.Close(); err != nil {
			t.Fatal(err)
		}
		if got := c.rows("SELECT count(*) FROM x_property")[0]; (got == rows) != (label == "a") {
			t.Errorf("%s rows without %s", got, label)
		}
	}
	for _, table := range []string{"x_property", "x_value_export", "x_value_set", "x_value_entry", "x_name"} {
		if got := c.rows("SELECT count(*) FROM " + table)[0]; got != "0" {
			t.Errorf("%s rows are left in %s", got, table)
		}
	}
	if _, err := schema.Check(context.Background(), c.path, func(f schema.Finding) { t.Errorf("%+v", f) }, func(string) {}); err != nil {
		t.Error(err)
	}
}

// mappingsOf reads the mappings of the fixtures.
func mappingsOf(t *testing.T) []schema.Mapping {
	t.Helper()
	data, err := os.ReadFile(codecstest.Sample(t, pakTwin+"CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	return []schema.Mapping{{Name: "Fixtures.usmap", Data: data}}
}

// TestTwinsHaveTheSameValues: two cooks of the same assets, with and without tags, in
// containers and in paks. Names differ in case; what else differs is explained below.
func TestTwinsHaveTheSameValues(t *testing.T) {
	c := newCatalog(t)
	const unversioned = pakTwin + "Unversioned-Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows"
	untagged := sampleDir(t, zenTwin+"global.utoc", zenTwin+"global.ucas", unversioned+".utoc", unversioned+".ucas")
	c.mustScan(indexer.Options{Label: "tagged", Paths: []string{taggedZen(t)}})
	without := c.mustScan(indexer.Options{Label: "without", Paths: []string{untagged}})
	if o := without.Opaque; o.Objects != 642 || o.Of != 642 || o.Class == "" || o.Mappings != "" {
		t.Errorf("without mappings: %+v", o)
	}
	with := c.mustScan(indexer.Options{Label: "untagged", Paths: []string{untagged}, Mappings: mappingsOf(t)})
	if o := with.Opaque; o.Objects != 8 || o.Mappings != "Fixtures.usmap" { // 5 of editor-only classes that the mappings lack, 3 without lists
		t.Errorf("with mappings: %+v", o)
	}
	c.mustScan(indexer.Options{Label: "later", Paths: []string{untagged}}) // the catalog remembers them
	c.mustScan(indexer.Options{Label: "pak", Paths: []string{sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak")}})
	c.mustScan(indexer.Options{Label: "pak untagged", Paths: []string{sampleDir(t, pakTwin+"Legacy-Unversioned-Zlib.pak")}})

	// Without the game's own names of classes: those of the mappings do.
	c.mustScan(indexer.Options{Label: "alone", Paths: []string{sampleDir(t, unversioned+".utoc", unversioned+".ucas")}})

	values := map[string][]string{}
	for _, label := range []string{"tagged", "untagged", "later", "alone", "pak", "pak untagged"} {
		values[label] = c.rows(`SELECT path, export, lower(field), class, type, lower(value), typeof(value), target
			FROM properties WHERE build = ? AND path <> 'ControlRig/CR_Fixture.uasset' ORDER BY 1, 2, 3`, label)
		if len(values[label]) < 100 {
			t.Errorf("%s has %d values", label, len(values[label]))
		}
	}
	zen := []string{"Textures/T_BGRA8.uasset|T_BGRA8|lightingguid"} // made anew by each cook
	for _, tt := range []struct {
		a, b string
		want []string
	}{
		{"tagged", "untagged", zen}, {"untagged", "tagged", zen}, {"untagged", "later", nil}, {"later", "untagged", nil},
		{"untagged", "alone", nil},
		{"pak", "pak untagged", nil}, {"pak untagged", "pak", nil},
	} {
		others, got := map[string]bool{}, []string(nil)
		for _, v := range values[tt.b] {
			others[v] = true
		}
		for _, v := range values[tt.a] {
			if !others[v] {
				got = append(got, strings.Join(strings.SplitN(v, "|", 4)[:3], "|"))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s without %s: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
	const edges = "SELECT path, target FROM dependencies WHERE build = ? AND kind = 'value' AND path <> 'ControlRig/CR_Fixture.uasset'"
	for label, least := range map[string]string{"tagged": "5", "untagged": "5", "pak": "1", "pak untagged": "1"} {
		if got := c.rows("SELECT count(*) >= "+least+", coalesce(sum(path LIKE '%.uexp'), 0) FROM ("+edges+")", label); got[0] != "1|0" {
			t.Errorf("%s: %q references by values", label, c.rows(edges, label))
		}
	}
	if got := c.rows(edges+" EXCEPT "+edges, "tagged", "untagged"); len(got) > 0 {
		t.Errorf("references of tagged packages alone: %q", got)
	}
	if got := c.rows("SELECT build, path, cause FROM problems"); len(got) > 0 {
		t.Errorf("problems: %q", got)
	}
	if got := c.rows("SELECT count(*) FROM x_value_set WHERE context <> 0"); got[0] != c.rows("SELECT count(DISTINCT set_id) FROM x_build_value")[0] {
		t.Errorf("%s sets, some of which hold in no build, or twice", got)
	}
	if got := c.rows("SELECT count(*) FROM class_fields WHERE mappings = 'Fixtures.usmap' AND class = 'Actor'"); got[0] == "0" {
		t.Error("no classes of the mappings")
	}
}

// TestValuesOfOldPackages: those of UE1 to UE3, where reading one export reads others.
func TestValuesOfOldPackages(t *testing.T) {
	c := newCatalog(t)
	const old = "unreal-package/"
	c.mustScan(indexer.Options{Label: "old", Paths: []string{sampleDir(t, old+"TestUC1.u", old+"TestUC2.u", old+"TestUC3.u")}})
	for query, want := range map[string]string{
		"SELECT sum(lost), sum(opaque), sum(fields) FROM property_coverage":                                                              "0|0|137",
		"SELECT max(value) FROM properties WHERE field = 'Int' AND path = 'TestUC1.u'":                                                   "1000",
		"SELECT value FROM properties WHERE path = 'TestUC3.u' AND export = 'Default__DefaultProperties' AND field = 'IntFixedArray[1]'": "2",
		"SELECT value FROM properties WHERE path = 'TestUC3.u' AND export = 'Default__DefaultProperties' AND name = 'Enum2'":             "EEnum2",
	} {
		if got := c.rows(query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestEffectiveValues: components of a child blueprint have what they do not set from
// the parent's, and vectors from one of both.
func TestEffectiveValues(t *testing.T) {
	c := zenCatalog(t)
	got := c.rows(`SELECT field, round(number * 4) / 4, depth, origin_path, origin_export FROM properties_effective
		WHERE path = 'Blueprints/BP_ComponentsChild.uasset' AND export LIKE '%GEN_VARIABLE' ORDER BY depth, position`)
	const own = "|0|Blueprints/BP_ComponentsChild.uasset|BP_ComponentsChild_C.FixtureMesh_GEN_VARIABLE"
	const parent = "|1|Blueprints/BP_Components.uasset|BP_Components_C.FixtureMesh_GEN_VARIABLE"
	want := []string{
		"RelativeLocation.X|-400" + own, "RelativeLocation.Y|500" + own, "RelativeLocation.Z|600" + own,
		"RelativeScale3D.X|0.5" + own, "RelativeScale3D.Y|1.5" + own, "RelativeScale3D.Z|1" + own,
		"StaticMesh|" + parent,
		"RelativeRotation.Pitch|10" + parent, "RelativeRotation.Yaw|20" + parent, "RelativeRotation.Roll|30" + parent,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	// what is set, and nothing else, is what objects use at depth 0
	for _, path := range []string{"Blueprints/BP_Components.uasset", "Properties/DA_AllProperties.uasset", "Maps/Instancing.umap"} {
		columns := "SELECT export, field, type, value, target, text, number, position, origin FROM "
		for _, query := range []string{
			columns + "properties_effective WHERE depth = 0 AND path = '" + path + "' EXCEPT " + columns + "properties WHERE path = '" + path + "'",
			columns + "properties WHERE path = '" + path + "' EXCEPT " + columns + "properties_effective WHERE depth = 0 AND path = '" + path + "'",
		} {
			if rows := c.rows(query); len(rows) != 0 {
				t.Errorf("%s: %q", query, rows)
			}
		}
	}
}

// TestEffectiveValuesInPaks: the exports of a .uasset have the values of its .uexp.
func TestEffectiveValuesInPaks(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "pak", Paths: []string{sampleDir(t, "unreal-pak/pairs/sandboxutilities_new_P.pak")}})
	c.want(`SELECT field, number, depth, replace(origin_path, rtrim(origin_path, replace(origin_path, '/', '')), ''), origin_export FROM properties_effective
		WHERE path LIKE '%/InitCave.uasset' AND export = 'Default__InitCave_C' AND field LIKE 'SandboxOrigin._'`,
		"SandboxOrigin.X|0|1|SandboxUtilities.uasset|Default__SandboxUtilities_C", "SandboxOrigin.Y|0|1|SandboxUtilities.uasset|Default__SandboxUtilities_C",
		"SandboxOrigin.Z|-6000|1|SandboxUtilities.uasset|Default__SandboxUtilities_C")
}

// TestInheritedContainers: which values of a parent those of a child replace, told by
// changing the catalog.
func TestInheritedContainers(t *testing.T) {
	c := zenCatalog(t)
	db, err := sql.Open("sqlite", c.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	const (
		// the mesh of the parent has RelativeRotation in 25 to 27, the child's RelativeLocation.X is 14
		of     = " = (SELECT s.set_id FROM x_value_set s JOIN x_entry e ON e.content_id = s.content_id JOIN x_path p ON p.path_id = e.path_id WHERE p.name = "
		parent = "set_id" + of + "'BP_Components.uasset') AND "
		child  = "set_id" + of + "'BP_ComponentsChild.uasset') AND "
		pitch  = "name_id = (SELECT name_id FROM x_name WHERE name = 'Pitch'), field_id = NULL, "
		array  = "UPDATE x_property SET " + pitch + "place = seq - 25 WHERE " + parent + "seq BETWEEN 25 AND 27"
		header = "UPDATE x_package_export SET archetype = %s WHERE content_id = (SELECT content_id FROM x_value_set WHERE " + parent + "1) AND ordinal = "
	)
	plain := "1 StaticMesh 1 RelativeRotation.Pitch 1 RelativeRotation.Yaw 1 RelativeRotation.Roll"
	for _, test := range []struct {
		name, export, want string
		changes            []string
	}{
		{"no change", "FixtureMesh", plain, nil},
		{"array", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X",
			[]string{array, "UPDATE x_property SET " + pitch + "place = 0 WHERE " + child + "seq = 14"}},
		{"no array", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X 1 Pitch[0] 1 Pitch[1] 1 Pitch[2]",
			[]string{array, "UPDATE x_property SET name_id = (SELECT name_id FROM x_name WHERE name = 'Yaw'), field_id = NULL, place = 0 WHERE " + child + "seq = 14"}},
		{"empty array", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X",
			[]string{array, "UPDATE x_property SET " + pitch + "value = NULL WHERE " + child + "seq = 14"}},
		{"fixed array", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X 1 Pitch 1 Pitch[2]",
			[]string{array, "UPDATE x_property SET place = NULL WHERE " + parent + "seq = 25", "UPDATE x_property SET " + pitch + "place = 1 WHERE " + child + "seq = 14"}},
		{"map", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X",
			[]string{"UPDATE x_property SET " + pitch + "key_id = name_id WHERE " + parent + "seq BETWEEN 25 AND 27",
				"UPDATE x_property SET " + pitch + "key_id = name_id WHERE " + child + "seq = 14"}},
		{"zero struct", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X",
			[]string{"INSERT INTO x_name VALUES (900001, 'RelativeRotation')",
				"UPDATE x_property SET name_id = 900001, field_id = NULL, value = NULL, flags = 2 WHERE " + child + "seq = 14"}},
		{"empty struct", "FixtureMesh", "1 StaticMesh 1 RelativeLocation.X 1 RelativeRotation.Pitch 1 RelativeRotation.Yaw 1 RelativeRotation.Roll",
			[]string{"INSERT INTO x_name VALUES (900001, 'RelativeRotation')", "INSERT INTO x_word VALUES (900001, 'Struct<Any>')",
				"UPDATE x_property SET name_id = 900001, field_id = NULL, value = NULL, type_id = 900001 WHERE " + child + "seq = 14"}},
		{"class data", "FixtureMesh", "1 RelativeRotation.Pitch 1 RelativeRotation.Yaw 1 RelativeRotation.Roll",
			[]string{"UPDATE x_property SET flags = 1 WHERE " + parent + "seq = 21"}},
		{"not read", "FixtureMesh", "", []string{"UPDATE x_value_export SET status = 2 WHERE " + child + "ordinal = 6"}},
		{"a cycle", "FixtureMesh", plain, []string{fmt.Sprintf(header, "9") + "8"}},
		{"two steps", "DefaultSceneRoot", "2 RelativeLocation.X 2 RelativeLocation.Y 2 RelativeLocation.Z", []string{fmt.Sprintf(header, "4") + "2"}},
	} {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range test.changes {
			if _, err := tx.Exec(change); err != nil {
				t.Fatalf("%s: %s: %v", test.name, change, err)
			}
		}
		var got string
		err = tx.QueryRow(`SELECT coalesce(group_concat(depth || ' ' || field, ' '), '') FROM (SELECT depth, field FROM properties_effective
			WHERE path = 'Blueprints/BP_ComponentsChild.uasset' AND export = 'BP_ComponentsChild_C.' || ? || '_GEN_VARIABLE' AND depth > 0
			ORDER BY position)`, test.export).Scan(&got)
		if err != nil || got != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedValues: values in a block that cannot be decoded are a problem of each build
// that has the package, and lower its coverage.
func TestDamagedValues(t *testing.T) {
	whole, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "compressed", "BioD_PrsCvA.pcc"))
	if err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	whole[38027] = 0
	for _, label := range []string{"a", "b"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "BioD_PrsCvA.pcc"), whole, 0o644); err != nil {
			t.Fatal(err)
		}
		if report := c.mustScan(indexer.Options{Label: label, Paths: []string{dir}}); report.Problems != 1 {
			t.Errorf("%d problems", report.Problems)
		}
	}
	for query, want := range map[string]string{
		"SELECT DISTINCT exports, lost FROM property_coverage":                                                                  "161|90",
		"SELECT count(*) FROM properties WHERE build = 'b'":                                                                     "1267",
		"SELECT group_concat(DISTINCT problem_count) FROM archives":                                                             "1",
		"SELECT field, offset FROM problems WHERE build = 'b'":                                                                  "chunks[0].blocks[1]|36354",
		"SELECT cause LIKE 'corrupt: values of 90 of 161 objects not read whole, the first is Model Model_23: %' FROM problems": "1",
	} {
		if got := c.rows(query); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// TestTablesWithoutStruct: tables whose row struct nothing describes are lost, and the
// report says so, whatever else is opaque.
func TestTablesWithoutStruct(t *testing.T) {
	c := newCatalog(t)
	report := c.mustScan(indexer.Options{Label: "a", Mappings: mappingsOf(t), Paths: []string{codecstest.Sample(t, pakTwin+"Unversioned-Zlib")}})
	if o := report.Opaque; o.Tables != 3 || o.Structs != 1 || o.RowStruct != "<script 5a82d41c19d489cb>" || o.Class == o.RowStruct {
		t.Errorf("%+v", o)
	}
	c.want("SELECT lost, missing, missing_class FROM property_coverage WHERE path LIKE '%DT_Overrides%'", "1|1|<script 5a82d41c19d489cb>")
}
