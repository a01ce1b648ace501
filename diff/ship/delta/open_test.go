package delta_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff/ship/delta"
	"pakdb/internal/regular"
)

func TestFindDamage(t *testing.T) {
	file := func(name string) string {
		text, err := os.ReadFile(filepath.Join(codecstest.ModuleRoot(t), "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	healthy, damaged := file("Calligraphy.sip"), file("Calligraphy.sip")[:5000]
	side := func(name, content string) delta.Side {
		r := strings.NewReader(content)
		return delta.Side{Name: name, Inputs: []delta.Input{{Name: "a.sip", Source: codecs.Source{ReaderAt: r, Name: "a.sip", Size: r.Size()}}}, Open: &codecs.Options{}}
	}
	for _, c := range []struct {
		name  string
		sides []delta.Side
		want  string // builds with damage
	}{
		{"none", []delta.Side{side("old", healthy), side("new", healthy)}, ""},
		{"old", []delta.Side{side("old", damaged), side("new", healthy)}, "old"},
		{"new", []delta.Side{side("old", healthy), side("new", damaged)}, "new"},
		{"both", []delta.Side{side("old", damaged), side("new", damaged)}, "old new"},
		{"no archive any more", []delta.Side{side("old", healthy), side("new", strings.Repeat("x", 5000))}, "new"},
		{"an archive now", []delta.Side{side("old", strings.Repeat("x", 5000)), side("new", healthy)}, "old"},
		{"one side", []delta.Side{side("only", damaged)}, "only"},
		{"one side that has the name of an archive alone", []delta.Side{side("only", "x")}, "only"},
	} {
		found, err := delta.FindDamage(t.Context(), all.Registry(), c.sides...)
		var builds []string
		for _, d := range found {
			builds = append(builds, d.Build)
		}
		if got := strings.Join(builds, " "); err != nil || got != c.want {
			t.Errorf("%s: damage of %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := delta.FindDamage(ended, all.Registry(), side("only", damaged)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Names that differ in case alone are shipped nowhere, and do not matter in a user's own folder.
func TestNamesInTwoCases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Save.txt", "save.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) < 2 {
		t.Skip("case does not count here: ", err)
	}
	if _, err := delta.OpenFiles([]string{dir}); !errors.Is(err, delta.ErrSameName) || !strings.Contains(err.Error(), `"Save.txt" and "save.txt"`) {
		t.Errorf("to be shipped: %v", err)
	}
	own, err := delta.OpenBy(t.Context(), regular.Own, []string{dir})
	if err != nil || len(own.Inputs) != 2 {
		t.Fatalf("a user's own: %v", err)
	}
	if err := own.Close(); err != nil {
		t.Error(err)
	}
	if _, err := delta.OpenBy(t.Context(), regular.Own, []string{dir, dir}); !errors.Is(err, delta.ErrSameName) || !strings.Contains(err.Error(), "the folder above") {
		t.Errorf("two of a name: %v", err)
	}
}
