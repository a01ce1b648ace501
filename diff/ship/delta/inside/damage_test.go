package inside_test

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
	"pakdb/diff/ship/delta/inside"
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
	side := func(name, content string) inside.Side {
		r := strings.NewReader(content)
		return inside.Side{Name: name, Inputs: []delta.Input{{Name: "a.sip", Source: codecs.Source{ReaderAt: r, Name: "a.sip", Size: r.Size()}}}, Open: &codecs.Options{}}
	}
	for _, c := range []struct {
		name  string
		sides []inside.Side
		want  string // builds with damage
	}{
		{"none", []inside.Side{side("old", healthy), side("new", healthy)}, ""},
		{"old", []inside.Side{side("old", damaged), side("new", healthy)}, "old"},
		{"new", []inside.Side{side("old", healthy), side("new", damaged)}, "new"},
		{"both", []inside.Side{side("old", damaged), side("new", damaged)}, "old new"},
		{"no archive any more", []inside.Side{side("old", healthy), side("new", strings.Repeat("x", 5000))}, "new"},
		{"an archive now", []inside.Side{side("old", strings.Repeat("x", 5000)), side("new", healthy)}, "old"},
		{"one side", []inside.Side{side("only", damaged)}, "only"},
		{"one side that has the name of an archive alone", []inside.Side{side("only", "x")}, "only"},
	} {
		found, err := inside.FindDamage(t.Context(), all.Registry(), c.sides...)
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
	if _, err := inside.FindDamage(ended, all.Registry(), side("only", damaged)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
