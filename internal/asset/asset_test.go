package asset_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/internal/asset"
)

func TestFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"Game/A.uasset": {"Game/A.uasset", "Game/A.umap", "Game/A.uexp", "Game/A.m.ubulk", "Game/A.ubulk", "Game/A.uptnl", "Game/A.ufont"},
		"A.UEXP":        {"A.uasset", "A.umap", "A.UEXP", "A.m.ubulk", "A.ubulk", "A.uptnl", "A.ufont"},
		"A.txt":         {"A.txt"},
	} {
		if got := asset.Files(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q", name, got)
		}
		for _, file := range want {
			if asset.Of(file) != asset.Of(name) {
				t.Errorf("%s is of %q, %s of %q", file, asset.Of(file), name, asset.Of(name))
			}
		}
	}
	for name, want := range map[string]string{"Game/A.m.UBULK": "game/a", "A.txt": "", ".uexp": "", "A.b.uptnl": "a.b"} {
		if got := asset.Of(name); got != want {
			t.Errorf("%s is of %q", name, got)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		name, stem, ext string
		part            asset.Part
	}{
		{"Game/A.uasset", "Game/A", ".uasset", asset.Header},
		{"Game/A.b.UMAP", "Game/A.b", ".UMAP", asset.Header},
		{"A.uexp", "A", ".uexp", asset.Body},
		{"A.ubulk", "A", ".ubulk", asset.Bulk},
		{"A.m.ubulk", "A", ".m.ubulk", asset.Bulk},
		{"A.uptnl", "A", ".uptnl", asset.Bulk},
		{"A.ufont", "A", ".ufont", asset.Bulk},
		{"A.txt", "A.txt", "", asset.None},
		{".uexp", ".uexp", "", asset.None},
		{"", "", "", asset.None},
	} {
		if stem, ext, part := asset.Split(test.name); stem != test.stem || ext != test.ext || part != test.part {
			t.Errorf("%q: %q %q %d", test.name, stem, ext, part)
		}
	}
}

func TestBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"A.uasset", "a.UEXP", "B.uasset", "B.uexp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"A": "a.UEXP", "B": "B.uexp", "C": "C.uexp"} {
		if got := asset.Beside(filepath.Join(dir, name+".uasset"), ".uexp"); filepath.Base(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
