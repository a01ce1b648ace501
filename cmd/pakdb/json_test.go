package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
)

// jsonTest runs commands that print JSON.
type jsonTest struct {
	t   *testing.T
	dir string
	ran map[string]bool // commands that printed some
}

// run runs a command with arguments that have blanks between them, and reads the JSON that
// it prints. A sample may be damaged or of no use to the command: no exit code is wrong.
func (j *jsonTest) run(line string, operands ...string) {
	j.t.Helper()
	var stdout, stderr bytes.Buffer
	args := append(strings.Fields(line), operands...)
	cmd := command(cli.New(strings.NewReader("SELECT 1 AS a, 2 AS a;\n"), &stdout, &stderr, all.Registry))
	found, _, err := cmd.Find(args)
	if err != nil {
		j.t.Fatal(err)
	}
	execute(j.t.Context(), cli.New(strings.NewReader("SELECT 1 AS a, 2 AS a;\n"), &stdout, &stderr, all.Registry),
		append(args, "--catalog", filepath.Join(j.dir, "c.db")))
	if err := codecstest.CheckJSON(bytes.NewReader(stdout.Bytes())); err != nil {
		j.t.Errorf("%v: %v", args, err)
	}
	if stdout.Len() > 0 {
		j.ran[found.CommandPath()] = true
	}
}

// files reads the files of JSON in a folder, and returns how many there are.
func (j *jsonTest) files(dir string) (n int) {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(name); err != nil || ext != ".json" && ext != ".jsonl" {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			j.t.Fatal(err)
		}
		if err := codecstest.CheckJSON(f); err != nil {
			j.t.Errorf("%s: %v", name, err)
		}
		n++
		return f.Close()
	})
	return n
}

// TestNoJSONRepeatsAMember runs all commands that print JSON, and those that read a file on
// every 200th sample. All samples take 50 seconds of CPU.
func TestNoJSONRepeatsAMember(t *testing.T) {
	t.Parallel()
	root := codecstest.ModuleRoot(t)
	samples := filepath.Dir(codecstest.Sample(t, "README.md"))
	j := &jsonTest{t, t.TempDir(), map[string]bool{}}
	quietly := func(args ...string) {
		execute(t.Context(), cli.New(nil, io.Discard, io.Discard, all.Registry), append(args, "--catalog", filepath.Join(j.dir, "c.db")))
	}
	in := func(name string) string { return filepath.Join(j.dir, name) }
	old, next := filepath.Join(root, "testdata", "Calligraphy.sip"), filepath.Join(root, "testdata", "Calligraphy_next.sip")
	mappings := codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap")
	legacy := codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "Legacy-Unversioned-Zlib.pak")
	n, each := 0, testkit.Of(200, 1)
	_ = filepath.WalkDir(samples, func(name string, d fs.DirEntry, err error) error {
		if n++; err != nil || d.IsDir() || n%each != 0 {
			return err
		}
		switch ext := strings.ToLower(filepath.Ext(name)); ext {
		case ".pak", ".sip", ".utoc", ".umod":
			for _, line := range []string{"ls --format json", "show --format json", "verify --format json"} {
				j.run(line, name)
			}
			j.run("extract --quiet --force --as json --mappings "+mappings+" -o "+in("extracted"), name)
		case ".u", ".upk", ".uasset", ".umap", ".utx", ".pcc":
			for _, line := range []string{"show --format json", "show --tables summary,names,imports,exports,depends,generations --format json", "show --tables script --format json",
				"show --tables values --format json --mappings " + mappings, "cat --as json --indent --mappings " + mappings} {
				j.run(line, name)
			}
		}
		return nil
	})
	if len(j.ran) < 2 || n < 400 {
		t.Errorf("%d commands on %d samples", len(j.ran), n)
	}
	quietly("store", "keys", "new", in("key"))
	for _, line := range []string{
		"index --format json --build 1 " + old, "index --format json --build 2 " + next, "index --format json --build 3 " + filepath.Join(samples, "unreal-properties", "uasset-rs"),
		"cat --as json --mappings " + mappings + " " + legacy + " DataTables/DT_AllProperties.uasset",
		"verify --format json " + in("c.db"), "query --format json @largest", "find --format json a", "formats --format json", "version --format json",
		"diff --format json 1 2", "diff --semantic --format json 1 2", "log --format json Calligraphy/Powers/Mobs/Laser.prototype", "ls --mounts --format json " + old + " " + next,
		"blame --format json 2:Calligraphy/Powers/Curves/DamageByRank.curve", "mod show --format json --base 1 " + next, "mod conflicts --format json --base 1 " + old + " " + next,
		"mod merge --format json --base 1 " + old + " " + next + " -o " + in("mod.sip"), "mod rebase --format json --base 1 --onto 2 " + next + " -o " + in("rebased.sip"),
		"refs --needs --build 1 --format json Calligraphy/Powers/Mobs/Laser.prototype", "refs --build 1 --format json Calligraphy/Powers/Types/Keyword.type",
		"extract --quiet --as json --mappings " + mappings + " -o " + in("extracted") + " " + legacy,
		"extract --dry-run --format json 1 -o " + in("x"), "extract --game-paths --dry-run --format json 1 -o " + in("x"),
		"pack --format json " + old + " -o " + in("packed.sip"),
		"patch build --format json 1 2 -o " + in("patch"), "patch check --format json 1 " + in("patch") + " --against 2", "patch check --format json " + in("patch"),
		"delta make --format json 1 2 -o " + in("p.pkdelta"), "delta verify --format json " + in("p.pkdelta"),
		"delta make --dry-run --format json 1 2", "index --format json " + in("c.db") + " --catalog " + in("merged.db"),
		"publish --format json 1 -o " + in("store") + " --sign " + in("key"), "store check --format json " + in("store"), "store list --format json " + in("store"),
		"store list -l --format json " + in("store"), "store keys list --format json " + in("store"), "store promote --format json " + in("store") + " 1 --sign " + in("key"), "update --format json " + in("game") + " --from " + in("store") + " --trust " + in("key") + ".pub",
	} {
		j.run(line)
	}
	j.run("query --format json", "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS '\xff', 5 AS '\xfe'")
	quietly("export", "1", "--format", "jsonl", "-o", in("export"))
	if extracted, exported := j.files(in("extracted")), j.files(in("export")); extracted < 5 || exported < 5 {
		t.Errorf("%d files extracted, %d exported", extracted, exported)
	}
	var missing []string
	eachCommand(command(cli.New(nil, nil, nil, all.Registry)), func(c *cobra.Command) {
		printed := j.ran[c.CommandPath()]
		if slices.Contains(cli.FormatsOf(c), "json") && !printed && c.Name() != "export" {
			missing = append(missing, c.CommandPath())
		}
	})
	if slices.Sort(missing); len(missing) > 0 {
		t.Errorf("print JSON, and were not run: %q", missing)
	}
}

func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}
