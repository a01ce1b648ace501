package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
)

// folderWith makes a folder of files, each with its own path as content.
func folderWith(t *testing.T, paths ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, path := range paths {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Repeat(path, 10)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func outputOfDiff(t *testing.T, args ...string) (out, notes string) {
	t.Helper()
	var o, e bytes.Buffer
	args = append([]string{"diff", "--catalog", filepath.Join(t.TempDir(), "none.db")}, args...)
	if code := execute(t.Context(), cli.New(nil, &o, &e, all.Registry), args); code != cli.ExitProblems {
		t.Fatalf("exit code %d: %s", code, e.String())
	}
	return o.String(), e.String()
}

// A long list begins with its folders, as many levels of them as there is room for.
func TestDiffOfManyChangesBeginsWithFolders(t *testing.T) {
	paths := []string{"Top.txt"}
	for i := range 250 {
		paths = append(paths, fmt.Sprintf("Game/Maps/%02d/Map%d.umap", i%25, i))
	}
	for i := range 10 {
		paths = append(paths, fmt.Sprintf("Game/Audio/%d.wav", i))
	}
	old, new := folderWith(t, "Kept.txt"), folderWith(t, paths...)
	out, _ := outputOfDiff(t, old, new)
	lines := strings.Split(out, "\n")
	if lines[0] != "262 changes in 27 folders" || !strings.HasPrefix(lines[2], "  changes  difference    download") {
		t.Errorf("%.500s", out)
	}
	for i, want := range []string{"Game/Maps/", "Game/Audio/", "(top)"} {
		if !strings.HasSuffix(lines[3+i], "  "+want) {
			t.Errorf("%s, want %s", lines[3+i], want)
		}
	}
	if lines[6] != "" || !strings.HasPrefix(lines[7], "removed") {
		t.Errorf("%q", lines[6:8])
	}
	if out, _ := outputOfDiff(t, "-q", old, new); !strings.HasPrefix(out, "removed") {
		t.Errorf("--quiet: %.200s", out)
	}
	if out, _ := outputOfDiff(t, old, new, "Game/Audio/"); !strings.HasPrefix(out, "added") {
		t.Errorf("10 changes: %.200s", out)
	}
}
