package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// survey is what the limits are measured on: the module without its tests, as far as
// syntax tells.
type survey struct {
	files    map[string][]*file           // by room
	types    map[string]map[string]*typ   // by room and name: those of packages, none of functions
	declared map[string]map[string]string // by room and name of a package: the file that declares it
}

// typ is a type of a package.
type typ struct {
	file    *file
	expr    ast.Expr // what it is declared as
	alias   bool
	methods map[string]bool
	files   map[string]bool // those that have its methods

	usable map[string]bool // by names, once known
}

var surveyed = sync.OnceValue(func() *survey {
	files, _ := tree() // house tells of the error
	return newSurvey(files)
})

// surveyOf returns the survey of the module.
func surveyOf(t *testing.T) *survey {
	t.Helper()
	house(t)
	return surveyed()
}

func newSurvey(files []*file) *survey {
	s := &survey{map[string][]*file{}, map[string]map[string]*typ{}, map[string]map[string]string{}}
	for _, f := range files {
		if f.test {
			continue
		}
		if s.types[f.room] == nil {
			s.types[f.room], s.declared[f.room] = map[string]*typ{}, map[string]string{}
		}
		s.files[f.room] = append(s.files[f.room], f)
		for _, d := range f.Decls {
			s.declare(f, d)
		}
	}
	for _, files := range s.files {
		for _, f := range files {
			s.addMethods(f)
		}
	}
	return s
}

// declare adds what a declaration adds to the names of its package.
func (s *survey) declare(f *file, d ast.Decl) {
	names := s.declared[f.room]
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = f.name
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names[spec.Name.Name] = f.name
				s.types[f.room][spec.Name.Name] = &typ{
					file: f, expr: spec.Type, alias: spec.Assign != token.NoPos, methods: map[string]bool{}, files: map[string]bool{},
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					names[n.Name] = f.name
				}
			}
		}
	}
}

// addMethods adds the methods of a file to their types. A method that several
// systems have counts once.
func (s *survey) addMethods(f *file) {
	for _, d := range f.Decls {
		m, ok := d.(*ast.FuncDecl)
		if !ok || m.Recv == nil {
			continue
		}
		if _, name := typeName(m.Recv.List[0].Type); s.types[f.room][name] != nil {
			t := s.types[f.room][name]
			t.methods[m.Name.Name], t.files[f.name] = true, true
		}
	}
}

// typeName returns the name in an expression that is *x.Name[T] or less, and its x.
func typeName(e ast.Expr) (x, name string) {
	for {
		switch n := e.(type) {
		case *ast.StarExpr:
			e = n.X
		case *ast.ParenExpr:
			e = n.X
		case *ast.IndexExpr:
			e = n.X
		case *ast.IndexListExpr:
			e = n.X
		case *ast.Ident:
			return "", n.Name
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				return id.Name, n.Sel.Name
			}
			return "", ""
		default:
			return "", ""
		}
	}
}

// find returns the type of ours that an expression in a file names, or nil.
func (s *survey) find(f *file, e ast.Expr) *typ {
	x, name := typeName(e)
	if x == "" {
		return s.types[f.room][name]
	}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		room, isOurs := strings.CutPrefix(p, ours())
		as := path.Base(p)
		if spec.Name != nil {
			as = spec.Name.Name
		}
		if isOurs && as == x {
			return s.types[room][name]
		}
	}
	return nil
}

// embedded returns the fields of a struct, or the parts of an interface, that have
// no name of their own, and the names of the others.
func embedded(e ast.Expr) (parts []ast.Expr, names []string) {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil, nil
	}
	for _, field := range list.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
		if field.Names == nil {
			parts = append(parts, field.Type)
		}
	}
	return parts, names
}

// depth returns how many structs deep the deepest field or method of a type lies
// that is used as its own. Types that are not ours count as flat.
func (s *survey) depth(t *typ) (deepest int) {
	switch t.expr.(type) {
	case *ast.StructType:
	case *ast.Ident, *ast.SelectorExpr:
		if same := s.find(t.file, t.expr); same != nil && same != t {
			return s.depth(same)
		}
		return 0
	default:
		return 0
	}
	parts, _ := embedded(t.expr)
	for _, part := range parts {
		deep := 1
		if inner := s.find(t.file, part); inner != nil && inner != t {
			deep += s.depth(inner)
		}
		deepest = max(deepest, deep)
	}
	return deepest
}

// names returns the fields and methods that a type has, with those of what it
// embeds: what its methods can use with no more than their receiver before it.
func (s *survey) names(t *typ) map[string]bool {
	if t.usable != nil {
		return t.usable
	}
	t.usable = maps.Clone(t.methods)
	parts, own := embedded(t.expr)
	for _, name := range own {
		t.usable[name] = true
	}
	_, isStruct := t.expr.(*ast.StructType)
	for _, part := range parts {
		if _, name := typeName(part); isStruct {
			t.usable[name] = true
		}
		s.promote(t, part, true)
	}
	switch t.expr.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		s.promote(t, t.expr, t.alias) // type A B has the fields of B, and none of its methods
	}
	return t.usable
}

func (s *survey) promote(t *typ, part ast.Expr, methods bool) {
	inner := s.find(t.file, part)
	if inner == nil {
		return
	}
	for name := range s.names(inner) {
		if (methods || !inner.methods[name]) && (inner.file.room == t.file.room || ast.IsExported(name)) {
			t.usable[name] = true
		}
	}
}

// readingOrder returns the files that the doc.go of a package names after "Files in
// reading order:", or nil.
func readingOrder(files []*file) (order []string) {
	for _, f := range files {
		if path.Base(f.name) != "doc.go" || f.Doc == nil {
			continue
		}
		_, list, _ := strings.Cut(strings.ReplaceAll(f.Doc.Text(), "\n", " "), "Files in reading order:")
		for word := range strings.FieldsSeq(list) {
			if name := strings.Trim(word, "(),;:."); path.Ext(name) == ".go" {
				order = append(order, name)
			}
		}
	}
	return order
}

// inOrder returns the place of a file in a reading order, or -1. A file for one
// system lies where the one without its ending does.
func inOrder(order []string, f *file) int {
	name := path.Base(f.name)
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	for _, system := range []string{"unix", "windows", "linux", "darwin", "other"} {
		if base, ok := strings.CutSuffix(name, "_"+system+".go"); ok {
			return slices.Index(order, base+".go")
		}
	}
	return -1
}

// against returns for each package that has a reading order the percentage of
// references that run against it. A reference is a file that uses a name of the
// package which another file declares, however often; methods do not count. An order
// begins with what calls or with what is called: most references run one way, and
// the others are against it.
func against(s *survey) map[string]int {
	figures := map[string]int{}
	for room, files := range s.files {
		order := readingOrder(files)
		if order == nil {
			continue
		}
		place := map[string]int{}
		for _, f := range files {
			place[f.name] = inOrder(order, f)
		}
		forward, back := 0, 0
		for _, f := range files {
			for _, declaredIn := range s.references(f) {
				switch from, to := place[f.name], place[declaredIn]; {
				case from < 0 || to < 0:
				case from < to:
					forward++
				case from > to:
					back++
				}
			}
		}
		figures[room] = min(forward, back) * 100 / max(forward+back, 1)
	}
	return figures
}

// references returns the names of its package that a file uses and another file
// declares, and which.
func (s *survey) references(f *file) map[string]string {
	used := map[string]string{}
	for _, id := range f.Unresolved { // in this file
		if in, ok := s.declared[f.room][id.Name]; ok && in != f.name {
			used[id.Name] = in
		}
	}
	return used
}

// TestReadingOrdersAreComplete: a doc.go that names files in reading order names
// each once, and none that is not there.
func TestReadingOrdersAreComplete(t *testing.T) {
	orders := 0
	for room, files := range surveyOf(t).files {
		order := readingOrder(files)
		if order == nil {
			continue
		}
		orders++
		for i, name := range order {
			if slices.Index(order, name) != i {
				t.Errorf("%s/doc.go names %s twice", room, name)
			}
			if !slices.ContainsFunc(files, func(f *file) bool { return path.Base(f.name) == name }) {
				t.Errorf("%s/doc.go names %s, and there is none", room, name)
			}
		}
		for _, f := range files {
			if inOrder(order, f) < 0 && path.Base(f.name) != "doc.go" {
				t.Errorf("%s/doc.go does not say when to read %s", room, path.Base(f.name))
			}
		}
	}
	if orders == 0 {
		t.Error("no package has a reading order")
	}
}

// TestSurveyMeasures checks the figures of a module that can be counted by eye.
func TestSurveyMeasures(t *testing.T) {
	fset := token.NewFileSet()
	var files []*file
	for name, text := range map[string]string{
		"a/doc.go":       "// Package a is read.\n//\n// Files in reading order: top.go (what\n// calls), low.go.\npackage a",
		"a/top.go":       "package a\n\nimport (\n\t\"io\"\n\tbelow \"" + ours() + "b\"\n)\n\ntype top struct {\n\t*low[int]\n\tbelow.Base\n\tio.Reader\n}\n\nfunc (t *top) run(m int) { t.once(); help(help); _ = low[int]{m: most} }\n\nfunc (top) walk() {}\n\nfunc upper() {}",
		"a/low.go":       "package a\n\nconst most = 1\n\ntype low[T any] struct{ m int }\n\nfunc (l *low[T]) once() { upper() }\n\nfunc help(f any) { m := 1; _ = m }",
		"a/low_unix.go":  "package a\n\nfunc (t *top) system() { upper() }",
		"a/low_other.go": "package a\n\nfunc (t *top) system() {}",
		"b/base.go":      "package b\n\ntype Base struct {\n\tinner\n\tKey, hidden int\n}\n\ntype inner struct{ Value int }\n\nfunc (inner) Do() {}\n\ntype Own inner\n\nfunc (Own) Its() {}\n\ntype Doer interface {\n\tio\n\tDo()\n}\n\ntype io interface{ Read() }",
		"b/base_test.go": "package b\n\nfunc (Base) Tested() {}",
		"b/second.go":    "package b\n\nfunc (b *Base) Second() {}",
	} {
		parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, &file{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), parsed, fset})
	}
	s := newSurvey(files)
	for _, c := range []struct {
		of      string
		measure func(*survey) map[string]int
		subject string
		want    int
	}{
		{"methods", methodsOf, "a.top", 3}, // system counts once
		{"methods", methodsOf, "a.low", 1},
		{"methods", methodsOf, "b.Base", 1},
		{"methods", methodsOf, "b.Doer", 2},
		{"depth", depths, "a.low", 0},
		{"depth", depths, "a.top", 2},  // top, Base, inner
		{"names", widths, "a.top", 12}, // run walk system; low m once; Base Key Value Do Second; Reader
		{"names", widths, "b.Base", 6}, // Second; inner Value Do; Key hidden
		{"names", widths, "b.Own", 2},  // Value Its
		{"names", widths, "b.Doer", 0},
		{"package", filesOf, "a", 5},
		{"against", against, "a", 42}, // top uses low, help and most: 3; low and both systems use top or upper: 4
	} {
		if got, ok := c.measure(s)[c.subject]; !ok || got != c.want {
			t.Errorf("%s of %s: %d, want %d", c.of, c.subject, got, c.want)
		}
	}
}
