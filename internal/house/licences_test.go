package house_test

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/bundle"
)

// licences returns the licences of each module that docs/dependencies.md lists,
// and those that a binary may link. A module for tests has a licence that no binary
// may link.
func licences(t *testing.T) (of map[string][]string, linked []string) {
	t.Helper()
	text := read(t, "docs/dependencies.md")
	of = map[string][]string{}
	for module, d := range bundle.ParseDependencies(text) {
		of[module] = d.Licences
		if d.TestsOnly {
			of[module] = []string{"a licence for tests only"}
		}
	}
	rule := regexp.MustCompile(`A binary links only modules under (.+?)\. `).FindStringSubmatch(strings.ReplaceAll(text, "\n", " "))
	if rule == nil || len(of) < 10 {
		t.Fatalf("docs/dependencies.md lists %d modules, and the licences that may be linked are %v", len(of), rule)
	}
	return of, strings.Split(strings.ReplaceAll(rule[1], " or ", ", "), ", ")
}

// TestBinariesMayBeShipped builds the commands and checks the licences of the
// modules that are in them.
func TestBinariesMayBeShipped(t *testing.T) {
	known, permitted := licences(t)
	for _, command := range []string{"pakdb", "pakdb-apply"} {
		modules := linkedModules(t, command)
		if len(modules) == 0 {
			t.Errorf("%s links no module?", command)
		}
		for _, module := range modules {
			for _, licence := range known[module] {
				if !slices.Contains(permitted, licence) {
					t.Errorf("%s links %s, which is under %s; only %v may be linked", command, module, licence, permitted)
				}
			}
			if len(known[module]) == 0 {
				t.Errorf("%s links %s, and docs/dependencies.md does not tell its licence", command, module)
			}
		}
	}
}

// linkedModules returns the modules that the binary of a command says it was made
// of, and those that go list names for other systems.
func linkedModules(t *testing.T, command string) (modules []string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), command)
	goTool(t, "", "build", "-buildvcs=false", "-o", binary, "./cmd/"+command)
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := goTool(t, system, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/"+command)
		modules = append(modules, strings.Fields(list)...)
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

// goTool runs the go command at the module's root, for a system or, if it is "",
// this one.
func goTool(t *testing.T, system string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if system != "" {
		cmd.Env = append(cmd.Env, "GOOS="+system, "GOARCH=amd64")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
