package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDependenciesAreDocumented compares the tables of docs/dependencies.md with
// go.mod.
func TestDependenciesAreDocumented(t *testing.T) {
	direct, indirect, _ := strings.Cut(read(t, "docs/dependencies.md"), "\n## Indirect\n")
	described := map[string]string{} // module: which table
	row := regexp.MustCompile(`(?m)^\| ([^ |]+/[^ |]+) \| ([^|]+) \| ([^|]+) \|$`)
	for _, m := range row.FindAllStringSubmatch(direct, -1) {
		described[m[1]] = "direct"
	}
	for _, m := range row.FindAllStringSubmatch(indirect, -1) {
		described[m[1]] = "indirect"
	}
	required := regexp.MustCompile(`(?m)^\t([^ ]+) v[^ \n]+( // indirect)?$`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	if len(required) < 10 {
		t.Fatalf("go.mod requires %d modules?", len(required))
	}
	for _, m := range required {
		want := "direct"
		if m[2] != "" {
			want = "indirect"
		}
		if described[m[1]] != want {
			t.Errorf("%s is %s in go.mod; docs/dependencies.md says %q", m[1], want, described[m[1]])
		}
		delete(described, m[1])
	}
	for module := range described {
		t.Errorf("%s is described and not required", module)
	}
}

// TestRoomsAreDrawn: docs/architecture.md names every room at the top.
func TestRoomsAreDrawn(t *testing.T) {
	text := read(t, "docs/architecture.md")
	var rooms []string
	for _, f := range house(t) {
		top, rest, _ := strings.Cut(f.room, "/")
		switch top {
		case "testdata":
			continue
		case "internal", "cmd":
			top += "/" + rest
		}
		rooms = append(rooms, top)
	}
	slices.Sort(rooms)
	for _, room := range slices.Compact(rooms) {
		if !strings.Contains(text, "`"+room+"`") {
			t.Errorf("docs/architecture.md does not say what %s is for", room)
		}
	}
}
