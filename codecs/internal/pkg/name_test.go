package pkg_test

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// Assets from everywhere name themselves: where the name is stored, and where
// only their name tables have it.
func TestOwnNames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-package", "uasset-rs"), "*", "*.uasset"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		src := codecstest.OpenFile(t, file)
		p, err := pkg.Read(t.Context(), src, src.Size)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(file), ".uasset")
		implied := pkg.ImpliedName(&p.PackageFacts)
		if path.Base(p.Name) != base || !strings.HasPrefix(p.Name, "/Game/") || implied != p.Name {
			t.Errorf("%s: %q, implied %q", file, p.Name, implied)
		}
	}
}

func TestImpliedName(t *testing.T) {
	names := func(texts ...string) (out []unreal.PackageName) {
		for _, text := range texts {
			out = append(out, unreal.PackageName{Text: text})
		}
		return out
	}
	for _, tt := range []struct {
		why   string
		names []string
		want  string
	}{
		{"an asset", []string{"Hero", "/Game/A/Hero", "/Game/A/Other", "Inner", "/Game/B/Inner"}, "/Game/A/Hero"},
		{"whatever the case", []string{"HERO", "/Game/A/Hero", "x", "Inner"}, "/Game/A/Hero"},
		{"several", []string{"Hero", "/Game/A/Hero", "/Game/B/Hero", "Inner"}, ""},
		{"the other is imported", []string{"Hero", "/Game/A/Hero", "/Game/Imported/Hero", "Inner"}, "/Game/A/Hero"},
		{"a class of the program", []string{"Hero", "/Script/Hero", "x", "Inner"}, ""},
		{"no path", []string{"Hero", "Game/Hero", "/", "Inner"}, ""},
	} {
		f := &unreal.PackageFacts{Names: names(tt.names...), Exports: []unreal.PackageExport{{}, {Outer: 1, Name: unreal.ObjectName{Index: 3}}}}
		if i := slices.Index(tt.names, "/Game/Imported/Hero"); i >= 0 {
			f.Imports = []unreal.PackageImport{{Name: unreal.ObjectName{Index: int32(i)}}}
		}
		if got := pkg.ImpliedName(f); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.why, got, tt.want)
		}
	}
}
