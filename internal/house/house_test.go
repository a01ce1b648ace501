package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// ours returns the prefix of the import paths of the module's packages. scripts/rename-module
// changes it.
var ours = sync.OnceValue(func() string {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	first, _, _ := strings.Cut(string(text), "\n")
	path, ok := strings.CutPrefix(first, "module ")
	if err != nil || !ok {
		return "no module/"
	}
	return path + "/"
})

// file is one Go file of the module.
type file struct {
	name string // from the module's root, with slashes
	room string // its folder
	test bool   // _test.go, or a tool of the tests below testdata or internal/testkit
	*ast.File
	fset *token.FileSet
}

func (f *file) at(n ast.Node) string {
	return f.name + ":" + strconv.Itoa(f.fset.Position(n.Pos()).Line)
}

// tree is every Go file of the module, whatever system it is for. All tests share
// one reading of it.
var tree = sync.OnceValues(func() (files []*file, err error) {
	root := os.DirFS(filepath.Join("..", ".."))
	fset := token.NewFileSet()
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "testdata/") || strings.HasPrefix(name, "internal/testkit/")
		files = append(files, &file{name, path.Dir(name), test, parsed, fset})
		return nil
	})
	return files, err
})

// house returns every Go file of the module. Tests must not change them.
func house(t *testing.T) []*file {
	t.Helper()
	files, err := tree()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("only %d files found: is this the module's root?", len(files))
	}
	return files
}

// order is the house from its foundation to its roof: a package imports those of its
// own floor and of the floors below. testdata makes archives for tests and for the demo.
var order = []string{"internal", "codecs", "testdata", "schema", "indexer", "diff", "query", "web", "cmd"}

// narrower are the parts that promise to need less than their floor allows. Shipping
// runs in launchers, which have no catalog.
var narrower = map[string][]string{
	"schema":           {"schema", "internal"},
	"diff/ship":        {"diff/ship", "codecs", "internal"},
	"diff/ship/delta":  {"diff/ship/delta", "diff/ship/internal", "codecs", "internal"},
	"cmd/pakdb-apply":  {"diff/ship/delta", "codecs", "internal"},
	"cmd/pakdb-update": {"diff/ship/store", "diff/ship/delta", "codecs", "internal"},
}

func within(folders []string, room string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return room == f || strings.HasPrefix(room, f+"/") })
}

func imports(f *file) (paths []string) {
	for _, s := range f.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

// TestArrowsPointDown compares the imports of the program, not those of its tests,
// with the order of the floors.
func TestArrowsPointDown(t *testing.T) {
	floor := func(room string) int {
		top, _, _ := strings.Cut(room, "/")
		return slices.Index(order, top)
	}
	for _, f := range house(t) {
		if f.test || strings.HasPrefix(f.room, "scripts") {
			continue
		}
		if floor(f.room) < 0 {
			t.Errorf("%s: %s is on no floor", f.name, f.room)
		}
		for _, p := range imports(f) {
			room, isOurs := strings.CutPrefix(p, ours())
			if !isOurs || room == f.room {
				continue
			}
			if floor(room) > floor(f.room) || strings.HasPrefix(room, "testdata") && f.room != "cmd/pakdb/internal/cli" {
				t.Errorf("%s imports %s: arrows point down, %v", f.name, p, order)
			}
			if strings.HasPrefix(room, "internal/testkit/") {
				t.Errorf("%s imports %s, which is for tests", f.name, p)
			}
			for part, below := range narrower {
				if within([]string{part}, f.room) && !within(below, room) {
					t.Errorf("%s imports %s; %s needs %v alone", f.name, p, part, below)
				}
			}
		}
	}
}

// TestLaunchersLinkNoCatalog: what a launcher links has no SQL, however far away.
func TestLaunchersLinkNoCatalog(t *testing.T) {
	needs := map[string][]string{}
	var open []string
	for _, f := range house(t) {
		if f.test {
			continue
		}
		needs[f.room] = append(needs[f.room], imports(f)...)
		if within([]string{"cmd/pakdb-update", "cmd/pakdb-apply", "diff/ship"}, f.room) {
			open = append(open, f.room)
		}
	}
	seen := map[string]bool{}
	for len(open) > 0 {
		room := open[0]
		if open = open[1:]; seen[room] {
			continue
		}
		seen[room] = true
		for _, p := range needs[room] {
			other, isOurs := strings.CutPrefix(p, ours())
			if p == "database/sql" || strings.Contains(p, "sqlite") || isOurs && within([]string{"schema", "query", "indexer", "web"}, other) {
				t.Errorf("%s, which launchers link, imports %s", room, p)
			}
			if isOurs {
				open = append(open, other)
			}
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d packages were found", len(seen))
	}
}

func TestNothingRunsBeforeMainOrPanics(t *testing.T) {
	for _, f := range house(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: init", f.at(n))
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
					t.Errorf("%s: panic", f.at(n))
				}
			case *ast.ImportSpec:
				if n.Name != nil && n.Name.Name == "_" && n.Path.Value != `"embed"` {
					t.Errorf("%s: blank import of %s", f.at(n), n.Path.Value)
				}
			}
			return true
		})
	}
}

// opening are the files that open others without package regular. Those that users name
// may be pipes, as a shell makes them of commands; nobody else writes to the own ones.
var opening = map[string]string{
	"diff/ship/store/update/remote.go":              "named",
	"cmd/pakdb/internal/catalog/index.go":           "named",
	"cmd/pakdb/internal/cli/keys.go":                "named",
	"cmd/pakdb/internal/archive/pack_source.go":     "named",
	"cmd/pakdb/internal/cli/server.go":              "named",
	"cmd/pakdb/internal/ship/keys.go":               "named",
	"cmd/pakdb/internal/ship/store_keys.go":         "named",
	"codecs/internal/property/usmap.go":             "named",
	"diff/ship/delta/apply/plan.go":                 "named", // the patch
	"diff/ship/delta/sign.go":                       "named",
	"cmd/pakdb/internal/shell/history.go":           "named",
	"cmd/pakdb/internal/cli/file.go":                "named", // what is written may go to a pipe
	"query/named.go":                                "named", // a folder of queries
	"codecs/gpak/writer_database.go":                "own",
	"codecs/writefile.go":                           "own",
	"internal/atomicfile/scratchdir.go":             "own",
	"internal/terminal/ptytest/pty_linux.go":        "a terminal",
	"query/export/server.go":                        "named", // the password; its own files are regular
	"schema/internal/file/inspect.go":               "own",
	"internal/regular/open.go":                      "this is regular",
	"codecs/codecstest/fuzz.go":                     "for tests",
	"codecs/codecstest/package.go":                  "for tests",
	"codecs/internal/script/scripttest/packages.go": "for tests",
	"diff/ship/internal/deltatest/pkdeltatest.go":   "for tests",
	"diff/ship/internal/deltatest/rounds.go":        "for tests",
	"internal/atomicfile/faulttest/tree.go":         "for tests",
}

// TestFilesAreOpenedInOnePlace: a named pipe in a folder must not be opened.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	found := map[string]bool{}
	for _, f := range house(t) {
		if f.test || strings.HasPrefix(f.room, "internal/bundle") || strings.HasPrefix(f.room, "scripts") {
			continue
		}
		ast.Inspect(f.File, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if ok && x.Name == "os" && slices.Contains([]string{"Open", "OpenFile", "ReadFile", "DirFS", "OpenRoot", "OpenInRoot"}, sel.Sel.Name) {
				found[f.name] = true
				if opening[f.name] == "" {
					t.Errorf("%s: os.%s waits for a named pipe: use package regular", f.at(n), sel.Sel.Name)
				}
			}
			return true
		})
	}
	for name := range opening {
		if !found[name] {
			t.Errorf("%s opens nothing: take it from the table", name)
		}
	}
}
