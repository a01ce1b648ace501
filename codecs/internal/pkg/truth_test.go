package pkg_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// truth is what umodel and other readers say of a sample. Keys for fields that
// a generation does not have are filler.
type truth struct {
	record
	File      string        `json:"file"`
	Names     []string      `json:"names"`
	Imports   []truthImport `json:"imports"`
	Exports   []truthExport `json:"exports"`
	Uepkg     *record       `json:"uepkg"`
	SoftPkgs  []string      `json:"soft_packages"`
	SoftPaths [][3]string   `json:"soft_object_paths"`
}

// record is the summary; in files about UE1 to UE4 the full one is nested.
type record struct {
	FileVersion   *int      `json:"file_version"`
	Licensee      int       `json:"licensee_version"`
	UE4           int       `json:"ue4_version"`
	UE5           int       `json:"ue5_version"`
	Legacy        int       `json:"legacy_version"`
	PackageFlags  uint32    `json:"package_flags"`
	HeaderSize    int64     `json:"header_size"`
	NameCount     int       `json:"name_count"`
	NameOffset    int64     `json:"name_offset"`
	NamesEnd      int64     `json:"names_end"`
	ImportCount   int       `json:"import_count"`
	ImportOffset  int64     `json:"import_offset"`
	ImportsEnd    int64     `json:"imports_end"`
	ExportCount   int       `json:"export_count"`
	ExportOffset  int64     `json:"export_offset"`
	ExportsEnd    int64     `json:"exports_end"`
	SummaryEnd    int64     `json:"summary_end"`
	GUID          string    `json:"guid"`
	Persistent    string    `json:"persistent_guid"`
	SavedHash     string    `json:"saved_hash"`
	EngineVersion any       `json:"engine_version"`
	Compatible    string    `json:"compatible_engine_version"`
	Cooker        int       `json:"cooker_version"`
	Source        uint32    `json:"package_source"`
	Folder        string    `json:"folder"`
	Generations   [][]int32 `json:"generations"`
	Depends       [][]int32 `json:"depends"`
	SoftPackages  []string  `json:"soft_packages"`
}

type truthImport struct {
	ClassPackage string `json:"class_package"`
	Class        string `json:"class"`
	Outer        int32  `json:"outer"`
	Name, Path   string
}

type truthExport struct {
	Class     string `json:"class"`
	ClassIdx  int32  `json:"class_index"`
	Super     int32  `json:"super_index"`
	Template  int32  `json:"template_index"`
	Outer     int32  `json:"outer"`
	Name      string `json:"name"`
	Path      string `json:"path"`
	Archetype int32  `json:"archetype"`
	Flags     uint64 `json:"flags"`
	Size      int64  `json:"size"`
	Offset    int64  `json:"offset"`
}

func TestTruth(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-package", "truth"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no truth files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			want := readTruth(t, file)
			_, name, _ := strings.Cut(want.File, "/")
			src := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-package", filepath.FromSlash(name)))
			got, err := pkg.Read(context.Background(), src, src.Size)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range got.Problems {
				t.Errorf("problem: %v", p)
			}
			compareSummary(t, got, want)
			compareTables(t, got, want)
		})
	}
}

func readTruth(t *testing.T, file string) *truth {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tr truth
	if err := json.Unmarshal(b, &tr); err != nil {
		t.Fatal(err)
	}
	if tr.Uepkg != nil {
		tr.record = *tr.Uepkg
	}
	if tr.SoftPackages == nil {
		tr.SoftPackages = tr.SoftPkgs
	}
	return &tr
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func compareSummary(t *testing.T, got *pkg.Package, want *truth) {
	version := want.UE4
	if want.FileVersion != nil {
		version = *want.FileVersion
	}
	equal(t, "version", got.Version, version)
	equal(t, "ue5 version", got.Version5, want.UE5)
	equal(t, "legacy version", got.LegacyVersion, want.Legacy)
	equal(t, "licensee", got.Licensee, want.Licensee)
	equal(t, "flags", got.Flags, want.PackageFlags)
	equal(t, "header size", got.HeaderSize, want.HeaderSize)
	equal(t, "guid", strings.ToUpper(got.GUID.String()), want.GUID)
	equal(t, "persistent guid", strings.ToUpper(got.PersistentGUID.String()), want.Persistent)
	equal(t, "cooker version", got.CookerVersion, want.Cooker)
	equal(t, "package source", got.Summary.Source, want.Source)
	equal(t, "compatible engine", got.CompatibleEngine, want.Compatible)
	equal(t, "names", got.Summary.Names, pkg.Table{Count: want.NameCount, Offset: want.NameOffset, End: want.NamesEnd})
	equal(t, "imports", got.Summary.Imports, pkg.Table{Count: want.ImportCount, Offset: want.ImportOffset, End: want.ImportsEnd})
	equal(t, "exports", got.Summary.Exports, pkg.Table{Count: want.ExportCount, Offset: want.ExportOffset, End: want.ExportsEnd})
	equal(t, "summary end", got.Summary.End, want.SummaryEnd)
	if v, ok := want.EngineVersion.(string); ok {
		equal(t, "engine version", got.EngineVersion, v)
	}
	equal(t, "generations", len(got.Generations), len(want.Generations))
	for i, g := range want.Generations {
		equal(t, "generation", [2]int32{got.Generations[i].Exports, got.Generations[i].Names}, [2]int32{g[0], g[1]})
	}
}

func compareTables(t *testing.T, got *pkg.Package, want *truth) {
	if len(got.Names) != len(want.Names) || len(got.Imports) != len(want.Imports) || len(got.Exports) != len(want.Exports) {
		t.Fatalf("%d names, %d imports, %d exports; want %d, %d, %d",
			len(got.Names), len(got.Imports), len(got.Exports), len(want.Names), len(want.Imports), len(want.Exports))
	}
	for i, n := range want.Names {
		equal(t, "name", got.Names[i].Text, n)
	}
	for i, w := range want.Imports {
		e := got.Imports[i]
		equal(t, "import class package", got.NameOf(e.ClassPackage), w.ClassPackage)
		equal(t, "import class", got.NameOf(e.Class), w.Class)
		equal(t, "import outer", int32(e.Outer), w.Outer)
		equal(t, "import name", got.NameOf(e.Name), w.Name)
		equal(t, "import path", pathOf(got, unreal.ObjectRef(-i-1)), w.Path)
	}
	for i, w := range want.Exports {
		compareExport(t, got, i, w)
	}
	for i, w := range want.Depends {
		refs := got.Depends.At(i)
		equal(t, "depends", len(refs), len(w))
		for k, r := range refs {
			equal(t, "depends", int32(r), w[k])
		}
	}
	compareSoft(t, got, want)
}

// pathOf renders like the readers that the truth comes from: "." everywhere.
func pathOf(p *pkg.Package, r unreal.ObjectRef) string {
	path, _ := p.PathOf(r)
	return strings.ReplaceAll(path, ":", ".")
}

func compareExport(t *testing.T, got *pkg.Package, i int, w truthExport) {
	e := got.Exports[i]
	equal(t, "export class", got.ClassOf(i), w.Class)
	equal(t, "export class index", int32(e.Class), w.ClassIdx)
	equal(t, "export super", int32(e.Super), w.Super)
	equal(t, "export outer", int32(e.Outer), w.Outer)
	equal(t, "export name", got.NameOf(e.Name), w.Name)
	equal(t, "export path", pathOf(got, unreal.ObjectRef(i+1)), w.Path)
	equal(t, "export flags", e.Flags, w.Flags)
	equal(t, "export size", e.Size, w.Size)
	equal(t, "export offset", e.Offset, w.Offset)
	if got.Engine == "UE3" {
		equal(t, "export archetype", int32(e.Archetype), w.Archetype)
	}
	if got.Engine == "UE5" {
		equal(t, "export template", int32(e.Archetype), w.Template)
	}
}

func compareSoft(t *testing.T, got *pkg.Package, want *truth) {
	equal(t, "soft packages", len(got.SoftPackages), len(want.SoftPackages))
	for i, w := range want.SoftPackages {
		equal(t, "soft package", got.SoftPackages[i].Name, w)
	}
	equal(t, "soft objects", len(got.SoftObjects), len(want.SoftPaths))
	for i, w := range want.SoftPaths {
		equal(t, "soft object", got.SoftObjects[i], unreal.SoftObject{Package: w[0], Asset: w[1], Sub: w[2]})
	}
}
