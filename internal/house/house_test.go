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
	test bool   // _test.go, or a tool of the tests below testdata
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
		test := strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "testdata/")
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

// rooms says which of our own packages a room may import. The longest entry
// that fits a folder counts; "x/..." also stands for what is below x.
var rooms = map[string][]string{

	"cmd/pakdb/internal/serve": {"cmd/pakdb/internal/cli", "cmd/pakdb/internal/operand", "codecs", "indexer", "internal/...", "query", "query/portable", "schema", "testdata", "web"},

	"cmd/pakdb/...":               {"cmd/pakdb/internal/cli", "cmd/pakdb/internal/operand", "cmd/pakdb/internal/transport", "codecs/...", "indexer", "schema", "query/...", "diff/...", "internal/..."},
	"cmd/pakdb":                   {"cmd/pakdb/internal/...", "codecs/...", "indexer", "schema", "query/...", "diff/...", "internal/..."},
	"cmd/pakdb-apply":             {"diff/pkdelta", "diff/pkdelta/apply", "diff/pkdelta/inside", "internal/process", "internal/progress", "internal/rescue", "internal/version"},                                                                                                                                                                                                                                                                                           // small: no format, no catalog
	"cmd/pakdb-update":            {"codecs", "codecs/iostore", "codecs/quakepak", "codecs/retropak", "codecs/unrealpak", "diff/pkdelta", "diff/pkdelta/apply", "diff/pkdelta/inside", "diff/store", "diff/store/place", "diff/store/publish", "diff/store/publish/optional", "diff/store/trust", "diff/store/update", "diff/store/update/inuse", "internal/process", "internal/progress", "internal/rescue", "internal/version", "diff/store/channel", "diff/store/part"}, // small: no catalog, no SQL; publish for its tests
	"indexer":                     {"codecs", "codecs/compress", "codecs/mount", "codecs/nested", "schema", "internal/..."},
	"query/...":                   {"codecs", "codecs/nested", "schema", "schema/search", "schema/views", "query/...", "internal/..."},
	"query/pkgtable":              {"codecs", "codecs/family/unreal", "codecs/property", "codecs/property/rows", "codecs/script/...", "codecs/unrealpkg", "query", "internal/progress"},
	"query/show":                  {"codecs", "codecs/family/unreal", "codecs/meaning", "codecs/media", "codecs/zenpkg", "diff", "query", "query/graph", "query/pkgtable", "schema", "internal/asset", "internal/terminal"},
	"query/inside":                {"codecs", "codecs/media", "diff", "diff/mediadiff", "diff/semantic", "internal/asset", "query", "query/show"},
	"query/explore":               {"internal/recent", "internal/rescue", "query/find", "query/graph", "schema"},
	"query/find":                  {"schema", "schema/search"},
	"query/portable":              {"internal/atomicfile", "query", "schema", "schema/rows"},
	"query/portable/portabletest": {"codecs/all", "indexer", "query", "query/portable", "schema"}, // for tests
	"query/clickhouse":            {"internal/...", "query", "query/export", "query/portable", "schema"},
	"query/pushed":                {"query", "query/clickhouse", "query/explore", "query/find", "query/graph", "schema"},
	"query/export":                {"internal/atomicfile", "internal/parquet", "query/portable"},
	"schema":                      {"internal/rescue", "schema/..."},

	"schema/migrations":       {"schema/internal/conn", "schema/views"},
	"schema/views":            {"schema/internal/conn", "schema/internal/prune", "schema/internal/record", "schema/search"},
	"schema/internal/record":  {"codecs/family", "codecs/mount"}, // rows of facts, and where a mounted archive stands; both import nothing of ours
	"schema/internal/conn":    {"schema/internal/record", "schema/search"},
	"schema/internal/btree":   {"schema/internal/conn"},
	"schema/rows":             {"schema/internal/btree", "schema/internal/conn", "schema/internal/record"},
	"schema/internal/file":    {"schema/internal/conn", "schema/migrations"},
	"schema/internal/check":   {"schema/internal/conn", "schema/internal/file", "schema/migrations", "schema/views"},
	"schema/internal/batch":   {"schema/internal/record"},
	"schema/internal/edition": {"schema/internal/batch", "schema/internal/btree", "schema/internal/conn", "schema/internal/record"},
	"schema/internal/intern":  {"codecs/family", "schema/internal/batch", "schema/internal/conn", "schema/internal/edition", "schema/internal/record"},
	"schema/internal/write":   {"codecs/family", "schema/internal/batch", "schema/internal/conn", "schema/internal/edition", "schema/internal/record", "schema/search"},
	"schema/internal/other":   {"codecs/family", "schema/internal/conn", "schema/internal/record"},
	"schema/internal/remove":  {"schema/internal/conn", "schema/internal/edition", "schema/internal/write", "schema/search"},
	"schema/internal/publish": {"codecs/mount", "schema/internal/conn", "schema/internal/record", "schema/internal/remove", "schema/internal/write"}, // which of several entries counts
	"schema/schematest":       {"schema"},                                                                                                            // for tests, as codecs/codecstest
	"schema/search":           {},                                                                                                                    // the index, and what is asked of it
	"schema/internal/prune":   {},                                                                                                                    // text alone
	"schema/internal/vfstest": {},                                                                                                                    // for tests

	"diff":                  {"diff/internal/...", "schema"},
	"diff/internal/facts":   {"internal/asset", "internal/sketch", "schema"},
	"diff/internal/side":    {"codecs/mount", "diff/internal/facts", "internal/rescue", "schema", "schema/rows"},
	"diff/internal/match":   {"codecs/mount", "diff/internal/facts", "diff/internal/side", "internal/asset", "internal/sketch"},
	"diff/internal/compare": {"diff/internal/...", "internal/asset", "internal/sketch", "schema"},
	"diff/semantic":         {"diff", "diff/internal/facts", "diff/semantic/values", "internal/asset", "internal/jsonc", "schema"},
	"diff/semantic/values":  {},
	"diff/download":         {"diff", "diff/internal/facts", "internal/progress", "internal/sketch", "schema", "schema/rows"},
	"diff/history":          {"diff", "diff/internal/facts", "schema"},
	"diff/impact":           {"diff", "diff/internal/facts", "schema"},
	"diff/sqltable":         {"diff", "diff/download", "diff/semantic", "schema"},

	"diff/folders":   {"diff"},
	"diff/locate":    {"codecs", "diff", "diff/pkdelta", "internal/..."},
	"diff/gate":      {"diff", "internal/nearest"},
	"diff/mediadiff": {"codecs", "codecs/media", "internal/picture"},
	"diff/page":      {"diff", "diff/download", "diff/mediadiff", "diff/semantic", "internal/...", "web/ui"},
	"diff/overlay":   {"codecs", "codecs/compress", "codecs/mount", "schema", "diff/...", "internal/..."},
	"diff/delta":     {"internal/..."},

	"diff/store":                  {"codecs", "codecs/compress", "diff/delta", "diff/pkdelta", "diff/pkdelta/inside", "diff/pkdelta/table", "diff/store/channel", "diff/store/part", "internal/..."}, // as diff/pkdelta
	"diff/store/trust":            {"diff/store/channel"},                                                                                                                                            // TUF, with what channels say
	"diff/store/channel":          {"diff/store/part"},                                                                                                                                               // a folder remembers both
	"diff/store/part":             {},
	"diff/store/update/pace":      {},
	"diff/store/publish/past":     {"diff/store", "internal/..."},
	"diff/store/publish/memo":     {"codecs/compress", "diff/pkdelta", "diff/store", "internal/..."},
	"diff/store/publish/optional": {"diff/pkdelta", "diff/store", "diff/store/part", "internal/..."},
	"diff/store/update/local":     {"codecs", "codecs/compress", "diff/delta", "diff/pkdelta", "diff/store", "internal/..."},
	"diff/store/place":            {"diff/store"},
	"diff/store/bucket":           {"diff/store", "diff/store/place"},
	"diff/store/contents":         {"diff/store", "diff/store/bucket", "internal/..."},
	"diff/store/update/inuse":     {},
	"diff/store/update":           {"codecs", "codecs/compress", "diff/delta", "diff/pkdelta", "diff/pkdelta/apply", "diff/pkdelta/inside", "diff/pkdelta/table", "diff/store", "diff/store/place", "diff/store/trust", "diff/store/update/inuse", "diff/store/update/local", "diff/store/channel", "diff/store/part", "diff/store/update/pace", "internal/..."},
	"diff/store/publish":          {"codecs", "codecs/compress", "diff/delta", "diff/pkdelta", "diff/pkdelta/inside", "diff/pkdelta/maker", "diff/store", "diff/store/bucket", "diff/store/place", "diff/store/trust", "diff/store/update", "diff/store/channel", "diff/store/publish/memo", "diff/store/publish/optional", "diff/store/publish/past", "internal/..."},

	"diff/pkdelta":              {"codecs", "codecs/compress/...", "diff/delta", "internal/..."}, // ships in launchers: no catalog
	"diff/pkdelta/table":        {"internal/bin", "internal/perfect"},
	"diff/pkdelta/program":      {"codecs/compress", "diff/delta", "diff/pkdelta", "diff/pkdelta/table", "internal/..."},
	"diff/pkdelta/inside":       {"codecs", "codecs/compress", "diff/pkdelta", "diff/pkdelta/program", "internal/..."},
	"diff/pkdelta/maker":        {"codecs", "codecs/compress/...", "diff/delta", "diff/pkdelta", "diff/pkdelta/inside", "diff/pkdelta/program", "diff/pkdelta/table", "internal/..."},
	"diff/pkdelta/apply":        {"codecs", "diff/delta", "diff/pkdelta", "diff/pkdelta/inside", "diff/pkdelta/program", "diff/pkdelta/table", "internal/..."}, // no maker
	"diff/internal/pkdeltatest": {"codecs", "codecs/unrealpak", "diff/pkdelta"},                                                                                // for tests

	"codecs":            {"codecs/compress", "codecs/family", "codecs/mount", "internal/atomicfile", "internal/bin", "internal/rescue"},
	"codecs/mount":      {},
	"codecs/family":     {},
	"codecs/family/...": {"codecs", "codecs/family"},
	"codecs/...":        {"codecs", "codecs/compress/...", "codecs/family/...", "codecs/mount", "codecs/internal/...", "internal/aes256", "internal/atomicfile", "internal/bin", "internal/jsonc", "internal/perfect", "internal/rescue"},
	"codecs/retropak":   {"codecs", "codecs/compress/...", "codecs/family/...", "codecs/mount", "codecs/internal/...", "internal/aes256", "internal/atomicfile", "internal/bin", "internal/jsonc", "internal/perfect", "internal/rescue", "codecs/retropak/strg"}, // a format: no other format
	"codecs/all":        {"codecs/..."},

	"codecs/property":         {"codecs", "codecs/family/unreal", "codecs/internal/ue", "internal/bin"},                                                                                                                                          // no format: formats give it tables and bytes
	"codecs/property/classic": {"codecs", "codecs/family/unreal", "codecs/internal/ueold", "codecs/property", "codecs/script/unrealscript", "internal/bin"},                                                                                      // defaults of classes stand behind their code
	"codecs/property/rows":    {"codecs", "codecs/family", "codecs/family/unreal", "codecs/property", "codecs/property/classic", "codecs/property/usmap", "codecs/script", "codecs/script/kismet", "codecs/script/unrealscript", "codecs/media"}, // rows of the catalog
	"codecs/property/...":     {"codecs", "codecs/compress/oodle", "codecs/family/unreal", "codecs/internal/ue", "codecs/property", "internal/bin"},

	"codecs/texture":           {"codecs", "codecs/texture/..."}, // names of formats; the rooms below decode
	"codecs/texture/container": {"codecs", "codecs/texture"},
	"codecs/texture/...":       {},
	"codecs/media":             {"codecs", "codecs/compress", "codecs/family/unreal", "codecs/internal/ue", "codecs/internal/ueold", "codecs/property", "codecs/property/classic", "codecs/texture", "internal/bin"},

	"codecs/script":            {"codecs/family/unreal"}, // what both kinds of code have in common
	"codecs/script/decompile":  {"codecs/script"},
	"codecs/script/...":        {"codecs", "codecs/family/unreal", "codecs/internal/...", "codecs/script", "internal/bin"},
	"codecs/script/scripttest": {"codecs/family/unreal", "codecs/unrealpkg"}, // for tests

	"codecs/compress/...": {"codecs/compress/...", "internal/bin"},

	"internal/parquet": {},
	"internal/pager":   {"internal/terminal"},
	"internal/result":  {"codecs", "diff/overlay", "diff/pkdelta", "diff/pkdelta/maker", "diff/store/publish", "diff/store/update", "indexer", "internal/terminal"},
	"internal/...":     {"internal/atomicfile", "internal/bin", "internal/progress", "internal/rescue"},
	"internal/glob":    {"internal/nearest"},
	"internal/choose":  {"codecs", "internal/glob"},
	"internal/sketch":  {"internal/gear"},
	"internal/shell":   {"internal/atomicfile", "internal/pager", "internal/process", "internal/terminal", "query", "schema"}, // for the command alone
	"internal/extract": {"internal/atomicfile", "internal/rescue", "internal/safename"},

	"web":    {"codecs", "codecs/media", "codecs/meaning", "codecs/texture/container", "diff/...", "internal/...", "query/...", "schema", "web/ui"},
	"web/ui": {}, // what browsers get

	"testdata": {}, // archives, for a demonstration

	"scripts/...": {"internal/bundle"}, // what makes releases
}

// outside says which rooms may import what is not ours.
var outside = map[string][]string{
	"modernc.org/sqlite/...":       {"schema/...", "codecs/gpak"},
	"database/sql":                 {"schema/...", "query/...", "web", "diff", "diff/internal/...", "diff/download", "diff/history", "diff/impact", "diff/semantic", "diff/sqltable", "diff/overlay", "cmd/pakdb/...", "internal/result", "codecs/gpak"}, // some paks are databases
	"github.com/spf13/...":         {"cmd/pakdb/..."},
	"github.com/schollz/...":       {"cmd/pakdb/..."},
	"pgregory.net/rapid":           {},                                                         // tests
	"modernc.org/z/...":            {},                                                         // tests: exactzlib's oracle
	"modernc.org/libc/...":         {"schema", "schema/schematest", "schema/internal/vfstest"}, // what SQLite takes is counted; tests
	"testing/...":                  {"query/portable/portabletest", "codecs/codecstest", "codecs/script/scripttest", "diff/internal/pkdeltatest", "internal/atomicfile/faulttest", "internal/drawtest", "internal/terminal/ptytest", "schema/schematest", "schema/internal/vfstest"},
	"unsafe":                       {"schema/schematest", "schema/internal/vfstest"},
	"net/http":                     {"query/clickhouse", "diff/store/place", "diff/store/bucket", "diff/store/update", "web", "cmd/pakdb/internal/serve"},
	"github.com/minio/...":         {"diff/store/place", "diff/store/bucket"},
	"github.com/johannesboyne/...": {}, // tests: a service of S3
	"github.com/parquet-go/...":    {}, // tests: another reader
	"os/exec":                      {"query/portable/portabletest", "cmd/pakdb/internal/serve", "internal/pager", "internal/terminal/ptytest"},
	"plugin":                       {},
	"github.com/rasky/go-lzo":      {"codecs/compress/lzo1x/lzotest"}, // tests: GPL-2, no binary may link it
	"github.com/andybalholm/...":   {"codecs/property/usmap"},
	"github.com/pierrec/lz4/v4":    {"codecs/compress/..."},
	"golang.org/x/crypto/...":      {"diff/pkdelta"}, // minisign's hash
	"aead.dev/minisign":            {"diff/pkdelta"}, // keys with passwords
}

func matches(pattern, name string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == base || strings.HasPrefix(name, base+"/")
	}
	return name == pattern
}

func within(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// allowed returns what the room may import, by its most exact entry.
func allowed(room string) (patterns []string, known bool) {
	best := -1
	for p, list := range rooms {
		exact := len(strings.TrimSuffix(p, "/..."))*2 + 1
		if strings.HasSuffix(p, "/...") {
			exact--
		}
		if matches(p, room) && exact > best {
			best, patterns, known = exact, list, true
		}
	}
	return patterns, known
}

func imports(f *file) (paths []string) {
	for _, s := range f.Imports {
		p, _ := strconv.Unquote(s.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func TestWhoImportsWhom(t *testing.T) {
	for _, f := range house(t) {
		patterns, known := allowed(f.room)
		if !known && !f.test {
			t.Errorf("%s: room %s is not in the table: what may it import?", f.name, f.room)
			continue
		}
		for _, p := range imports(f) {
			room, isOurs := strings.CutPrefix(p, ours())
			switch {
			case !isOurs || f.room == room:
			case strings.HasPrefix(room, "cmd/") && !strings.HasPrefix(f.room, "cmd/"):
				t.Errorf("%s imports %s", f.name, p)
			case f.test: // tests of a room may put it together with others
			case !within(patterns, room) || strings.HasSuffix(room, "test") || strings.HasPrefix(room, "testdata/"):
				t.Errorf("%s imports %s; %s may import %v", f.name, p, f.room, patterns)
			}
		}
	}
}

func TestWhoImportsWhatIsNotOurs(t *testing.T) {
	for _, f := range house(t) {
		for _, p := range imports(f) {
			for pattern, list := range outside {
				if matches(pattern, p) && !f.test && !within(list, f.room) {
					t.Errorf("%s imports %s; only %v may", f.name, p, list)
				}
			}
		}
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

// TestPackageVariablesStayAsTheyAre: errors, embedded texts, tables and pools
// are all there is.
func TestPackageVariablesStayAsTheyAre(t *testing.T) {
	byRoom := map[string][]*file{}
	for _, f := range house(t) {
		if !f.test {
			byRoom[f.room] = append(byRoom[f.room], f)
		}
	}
	for _, files := range byRoom {
		vars := map[string]bool{}
		for _, f := range files {
			packageVars(f, func(spec *ast.ValueSpec) {
				for _, name := range spec.Names {
					vars[name.Name] = name.Name != "_"
				}
				if s := stateful(spec); s != "" {
					t.Errorf("%s: variable of type %s", f.at(spec), s)
				}
			})
		}
		for _, f := range files {
			changes(f, func(n ast.Node, target ast.Expr) {
				if name, ok := packageVar(f, target, vars); ok {
					t.Errorf("%s: package variable %s is changed", f.at(n), name)
				}
			})
		}
	}
}

func packageVars(f *file, do func(*ast.ValueSpec)) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				do(s.(*ast.ValueSpec))
			}
		}
	}
}

// stateful returns the type from sync or sync/atomic that a variable has; pools
// and functions that run once are none.
func stateful(spec *ast.ValueSpec) (found string) {
	ast.Inspect(spec, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if ok && (x.Name == "atomic" || x.Name == "sync") && sel.Sel.Name != "Pool" && !strings.HasPrefix(sel.Sel.Name, "OnceValue") {
			found = x.Name + "." + sel.Sel.Name
		}
		return true
	})
	return found
}

// changes reports what a file assigns to, counts, deletes from and clears.
// Addresses may be taken: tables are read through them.
func changes(f *file, report func(ast.Node, ast.Expr)) {
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					report(n, e)
				}
			}
		case *ast.IncDecStmt:
			report(n, n.X)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && slices.Contains([]string{"delete", "clear", "copy"}, id.Name) {
				report(n, n.Args[0])
			}
		}
		return true
	})
}

// packageVar returns the variable of this or another package of ours that an
// expression lies in.
func packageVar(f *file, e ast.Expr, vars map[string]bool) (name string, ok bool) {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok && id.Obj == nil && !vars[id.Name] && importsAs(f, id.Name) {
				return id.Name + "." + x.Sel.Name, true
			}
			e = x.X
		case *ast.Ident:
			if x.Obj == nil { // declared in another file, or universal
				return x.Name, vars[x.Name]
			}
			spec, ok := x.Obj.Decl.(*ast.ValueSpec)
			return x.Name, ok && vars[x.Name] && isPackageLevel(f, spec)
		default:
			return "", false
		}
	}
}

func isPackageLevel(f *file, spec *ast.ValueSpec) (found bool) {
	packageVars(f, func(s *ast.ValueSpec) { found = found || s == spec })
	return found
}

func importsAs(f *file, name string) bool {
	return slices.ContainsFunc(imports(f), func(p string) bool { return path.Base(p) == name })
}
