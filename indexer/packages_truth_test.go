package indexer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/indexer"
)

// truth is what umodel and other readers say of a sample package. Keys for
// fields that a generation does not have are filler.
type truth struct {
	truthSummary
	File    string   `json:"file"`
	Names   []string `json:"names"`
	Imports []struct {
		ClassPackage string `json:"class_package"`
		Class        string `json:"class"`
		Outer        int64  `json:"outer"`
		Name, Path   string
	} `json:"imports"`
	Exports []struct {
		Class string `json:"class"`
		Index int64  `json:"class_index"`
		Super int64  `json:"super_index"`
		Outer int64  `json:"outer"`
		Name  string `json:"name"`
		Path  string `json:"path"`
		Flags uint64 `json:"flags"`
		Size  int64  `json:"size"`
		At    int64  `json:"offset"`
	} `json:"exports"`
	Uepkg *truthSummary `json:"uepkg"`
}

// truthSummary stands nested in files about UE1 to UE4.
type truthSummary struct {
	FileVersion *int64    `json:"file_version"`
	Licensee    int64     `json:"licensee_version"`
	UE4         int64     `json:"ue4_version"`
	UE5         int64     `json:"ue5_version"`
	Legacy      int64     `json:"legacy_version"`
	Flags       uint32    `json:"package_flags"`
	HeaderSize  int64     `json:"header_size"`
	GUID        string    `json:"guid"`
	Engine      any       `json:"engine_version"`
	Cooker      int64     `json:"cooker_version"`
	Generations [][]int64 `json:"generations"`
}

// TestPackageTruth reads every sample package through the catalog and compares
// all of its tables.
func TestPackageTruth(t *testing.T) {
	root := codecstest.Sample(t, "unreal-package")
	files, err := filepath.Glob(filepath.Join(root, "truth", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no truth files", err)
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "samples", Paths: []string{root}})
	compressed, err := filepath.Glob(filepath.Join(root, "compressed", "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	c.want("SELECT count(*) FROM packages", fmt.Sprint(len(files)+1+len(compressed))) // and the one in the .umod
	c.want(`SELECT archive, name_count, import_count, count(*) FROM packages JOIN exports USING (build, archive)
		WHERE compression <> '' GROUP BY archive ORDER BY archive`,
		"compressed/BioD_PrsCvA.pcc|190|46|161", "compressed/LE1EmptyLevel.pcc|58|30|13", "compressed/PlotManagerMap.u|19|5|5")
	c.want("SELECT cause FROM problems WHERE archive LIKE 'compressed/%'")
	c.want("SELECT archive, name_count, import_count, export_count, guid FROM packages WHERE path = 'System/DropStuff.u'",
		"DropStuff.umod|36|26|9|52C602E011D4EE2BC00090A838B3C5DF")
	// No place names a file that lies outside of any Content folder; it does itself.
	c.want(`SELECT path, package, package_key FROM packages WHERE path LIKE '%/DirectCycleA.uasset' ORDER BY path`,
		"uasset-rs/UE414/DirectCycleA.uasset|/Game/DirectCycle/DirectCycleA|",
		"uasset-rs/UE427/DirectCycleA.uasset|/Game/DirectCycle/DirectCycleA|",
		"uasset-rs/UE56/DirectCycleA.uasset|/Game/DirectCycle/DirectCycleA|")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			c := c
			c.t = t
			c.checkTruth(readTruth(t, file))
		})
	}
}

func readTruth(t *testing.T, file string) *truth {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want truth
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if want.Uepkg != nil {
		want.truthSummary = *want.Uepkg
	}
	return &want
}

func (c catalog) checkTruth(want *truth) {
	_, archive, _ := strings.Cut(want.File, "/")
	same := func(query string, lines []string) {
		c.t.Helper()
		got := c.rows(query+" WHERE build = 'samples' AND archive = ? ORDER BY ordinal", archive)
		if !slices.Equal(got, lines) {
			c.t.Errorf("%s\ngot  %q\nwant %q", query, got, lines)
		}
	}
	got := c.rows(`SELECT version, version5, legacy_version, licensee, flags, header_size, guid, cooker_version,
		name_count, import_count, export_count, coalesce(engine_version, '') FROM packages WHERE archive = ?`, archive)
	if line := want.summary(); len(got) != 1 || !strings.HasPrefix(got[0], line) {
		c.t.Errorf("summary\ngot  %q\nwant %q", got, line)
	}
	same("SELECT name FROM package_names", want.Names)
	var imports, exports, generations []string
	for _, i := range want.Imports {
		imports = append(imports, fmt.Sprint(i.ClassPackage, "|", i.Class, "|", i.Outer, "|", i.Name, "|", i.Path))
	}
	for _, x := range want.Exports {
		exports = append(exports, fmt.Sprint(x.Class, "|", x.Index, "|", x.Super, "|", x.Outer, "|", x.Name, "|", x.Path, "|",
			int64(x.Flags), "|", x.At, "|", x.Size))
	}
	for _, g := range want.Generations {
		generations = append(generations, fmt.Sprint(g[0], "|", g[1]))
	}
	// The readers of the truth write "." everywhere.
	same("SELECT class_package, class, outer_index, object, replace(full_name, ':', '.') FROM imports", imports)
	same("SELECT class, class_index, super_index, outer_index, object, replace(full_name, ':', '.'), flags, offset, size FROM exports", exports)
	same("SELECT exports, names FROM package_generations", generations)
}

// summary is the beginning of the line expected: engine versions are known of
// UE4 and UE5 only.
func (w *truth) summary() string {
	version := w.UE4
	if w.FileVersion != nil {
		version = *w.FileVersion
	}
	guid := w.GUID
	if strings.Trim(guid, "0") == "" {
		guid = ""
	}
	line := fmt.Sprintf("%d|%d|%d|%d|%d|%d|%s|%d|%d|%d|%d|", version, w.UE5, w.Legacy, w.Licensee, w.Flags, w.HeaderSize, guid,
		w.Cooker, len(w.Names), len(w.Imports), len(w.Exports))
	if engine, ok := w.Engine.(string); ok {
		line += engine
	}
	return line
}
