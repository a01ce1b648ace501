package house_test

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/bundle"
	"pakdb/internal/testkit"
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

// commands are the programs that are shipped, by their folders below cmd.
var commands = []string{"pakdb", "pakdb-apply", "pakdb-update"}

// TestBinariesMayBeShipped checks the licences of the modules that the commands
// link on each system. It builds nothing.
func TestBinariesMayBeShipped(t *testing.T) {
	known, permitted := licences(t)
	for _, system := range []string{"linux", "darwin", "windows"} {
		linked := listedModules(t, "GOOS="+system, "GOARCH=amd64")
		for _, command := range commands {
			modules := linked[command]
			if len(modules) == 0 {
				t.Errorf("%s links no module on %s?", command, system)
			}
			for _, module := range modules {
				for _, licence := range known[module] {
					if !slices.Contains(permitted, licence) {
						t.Errorf("%s links %s on %s, which is under %s; only %v may be linked", command, module, system, licence, permitted)
					}
				}
				if len(known[module]) == 0 {
					t.Errorf("%s links %s on %s, and docs/dependencies.md does not tell its licence", command, module, system)
				}
			}
		}
	}
}

// TestBinariesLinkWhatIsListed compares the modules that the binaries say they are
// made of with those that go list names, on which TestBinariesMayBeShipped relies.
// The binaries are those in PAKDB_BINARY_DIR; without it deep tests build them.
func TestBinariesLinkWhatIsListed(t *testing.T) {
	folder := os.Getenv("PAKDB_BINARY_DIR")
	if folder == "" {
		if !testkit.Deep() {
			t.Skip("PAKDB_BINARY_DIR is not set; PAKDB_DEEP=1 builds the binaries")
		}
		folder = t.TempDir()
		goTool(t, nil, "build", "-buildvcs=false", "-o", folder+string(filepath.Separator), "./cmd/...")
	}
	listed := listedModules(t)
	for _, command := range commands {
		name := command
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		info, err := buildinfo.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		var modules []string
		for _, m := range info.Deps {
			modules = append(modules, m.Path)
		}
		slices.Sort(modules)
		if !slices.Equal(modules, listed[command]) {
			t.Errorf("%s was built of %v; go list names %v", command, modules, listed[command])
		}
	}
}

// listedModules returns the sorted modules that go list names for each command, for
// this system or the one that the environment names.
func listedModules(t *testing.T, env ...string) map[string][]string {
	t.Helper()
	args := []string{"list", "-deps", "-json=ImportPath,Module,Deps"}
	for _, command := range commands {
		args = append(args, "./cmd/"+command)
	}
	out := json.NewDecoder(strings.NewReader(goTool(t, env, args...)))
	moduleOf := map[string]string{} // by package
	linked := map[string][]string{}
	for {
		var p struct {
			ImportPath string
			Deps       []string
			Module     *struct {
				Path string
				Main bool
			}
		}
		if err := out.Decode(&p); errors.Is(err, io.EOF) {
			return linked
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module != nil && !p.Module.Main {
			moduleOf[p.ImportPath] = p.Module.Path
		}
		command, ok := strings.CutPrefix(p.ImportPath, ours()+"cmd/")
		if !ok || !slices.Contains(commands, command) {
			continue
		}
		for _, dep := range p.Deps { // go list names them before
			if m := moduleOf[dep]; m != "" {
				linked[command] = append(linked[command], m)
			}
		}
		slices.Sort(linked[command])
		linked[command] = slices.Compact(linked[command])
	}
}

// goTool returns what the go command prints when it runs at the module's root.
func goTool(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
