package house_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/testkit"
)

// copyModule copies what Go needs of the module, without what it tests with.
func copyModule(t *testing.T) string {
	t.Helper()
	root, dir := os.DirFS(filepath.Join("..", "..")), t.TempDir()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "fuzz" || d.Name() == "dist"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(root, name)
		mode := fs.FileMode(0o644)
		if path.Dir(name) == "scripts" {
			mode = 0o755
		}
		return errors.Join(err, os.WriteFile(filepath.Join(dir, name), text, mode))
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRenameModule gives a copy of the module another path, twice, by
// scripts/rename-module: all imports resolve, also those of tests, none is of what was
// there before, and a package builds. Building all of them took a minute and found
// nothing more: only import paths change.
func TestRenameModule(t *testing.T) {
	if !testkit.Deep() || runtime.GOOS == "windows" {
		t.Skip("copies the whole module, and needs bash; PAKDB_DEEP=1 does")
	}
	dir := copyModule(t)
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		// With the flags at hand, the standard library is compiled already.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false -trimpath", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) string {
		t.Helper()
		out, err := run(name, args...)
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return out
	}
	for _, bad := range [][]string{nil, {"a", "b"}, {strings.TrimSuffix(ours(), "/")}, {"example.com/a b"}, {"example.com//a"}, {`example.com/a"#`}} {
		if out, err := run("scripts/rename-module", bad...); err == nil {
			t.Errorf("%q is taken for a path: %s", bad, out)
		}
	}
	const between, last = "example.com/some.one/pakdb", "example.org/archives"
	must("scripts/rename-module", between)
	must("scripts/rename-module", last)
	packages := strings.Fields(must("go", "list", "./..."))
	if slices.ContainsFunc(packages, func(p string) bool { return !strings.HasPrefix(p, last+"/") }) || len(packages) < 50 {
		t.Errorf("%d packages: %v", len(packages), packages)
	}
	must("go", "list", "-test", "./...")
	must("go", "vet", "./codecs/quakepak") // -trimpath: from the cache, unless it has changed
	must("go", "test", "-vet=off", "-run", "^Test(ArrowsPointDown|LaunchersLinkNoCatalog)", "./internal/house")
	before := regexp.MustCompile(`(?m)^\s*(import )?([\w.]+ )?"(` + regexp.QuoteMeta(strings.TrimSuffix(ours(), "/")) + `|` + regexp.QuoteMeta(between) + `)/`)
	for _, f := range house(t) {
		text, err := os.ReadFile(filepath.Join(dir, f.name))
		if err != nil {
			t.Fatal(err)
		}
		if at := before.Find(text); at != nil {
			t.Errorf("%s still imports %s", f.name, at)
		}
	}
}
