package schema_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
)

// TestMeshes counts the meshes of the registry of UE5.8, and those of one that has a list
// in place of a number.
func TestMeshes(t *testing.T) {
	packed := codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "AssetRegistry.bin.xz")
	if _, err := exec.LookPath("xz"); err != nil {
		t.Skip("xz is not installed")
	}
	body, err := exec.Command("xz", "-dc", packed).Output()
	if err != nil {
		t.Fatal(err)
	}
	c, path := newCatalog(t)
	dir := filepath.Join(t.TempDir(), "game")
	writeLoose(t, dir, "AssetRegistry.bin", body)
	if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1", Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	if n := scan[int](t, db, "SELECT count(*) FROM meshes WHERE vertices > 0 AND triangles > 0 AND lods > 0"); n != 64 {
		t.Errorf("%d meshes, want 64", n)
	}
	const one = "SELECT concat_ws(' ', vertices, triangles, lods, coalesce(materials, '-'), coalesce(uv_channels, '-'), nanite_triangles) FROM meshes WHERE asset = '"
	for asset, want := range map[string]string{"SM_Nanite": "1083 2042 1 1 2 2048", "ControlRig_Diamond_1mm": "2848 2776 6 1 2 0"} {
		if got := scan[string](t, db, one+asset+"'"); got != want {
			t.Errorf("%s: %s, want %s", asset, got, want)
		}
	}
	if n := scan[int](t, db, "SELECT count(*) FROM meshes WHERE asset = 'SK_Fixture' AND materials IS NULL AND lods > 0"); n != 1 {
		t.Error("SK_Fixture: its list of materials is a number")
	}
}
