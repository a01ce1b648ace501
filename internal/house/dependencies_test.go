package house_test

import (
	"os"
	"path/filepath"
	"regexp"
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
