package house_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageHasAComment(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range house(t) {
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		documented[f.room] = documented[f.room] || f.Doc != nil
		want := "Package " + f.Name.Name + " "
		if f.Name.Name == "main" {
			want = "Command "
		}
		if f.Doc != nil && !strings.HasPrefix(f.Doc.Text(), want) {
			t.Errorf("%s: comment should begin with %q", f.name, want)
		}
		if slices.Contains([]string{"util", "utils", "common", "helpers", "types", "misc", "base"}, f.Name.Name) {
			t.Errorf("%s: a package named %s says nothing", f.name, f.Name.Name)
		}
	}
	for room, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment", room)
		}
	}
}

// TestFormatsHaveExamples: each format, and each step of docs/library.md, has an
// example that runs.
func TestFormatsHaveExamples(t *testing.T) {
	wanted, found := map[string]bool{}, map[string]bool{}
	for _, room := range []string{"codecs/all", "codecs", "indexer", "query", "diff", "diff/ship/internal/coder", "diff/ship/delta", "diff/ship/store"} {
		wanted[room] = true
	}
	for _, f := range house(t) {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fn.Recv != nil:
			case !f.test && fn.Name.Name == "Format" && strings.HasPrefix(f.room, "codecs/"):
				wanted[f.room] = true
			case f.test && strings.HasPrefix(fn.Name.Name, "Example"):
				found[f.room] = true
			}
		}
	}
	if len(wanted) < 12 {
		t.Errorf("only %d rooms: %v", len(wanted), wanted)
	}
	for room := range wanted {
		if !found[room] {
			t.Errorf("%s has no example", room)
		}
	}
}

// known are methods whose meaning an interface of the standard library fixes.
var known = []string{"Error", "Unwrap", "Is", "As", "String", "Read", "ReadAt", "Write", "WriteAt", "Seek", "Close", "Open"}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, f := range house(t) {
		if f.test || f.Name.Name == "main" {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && !exempt(d) {
					t.Errorf("%s: %s has no comment", f.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if name := undocumented(d, s); name != "" {
						t.Errorf("%s: %s has no comment", f.at(s), name)
					}
				}
			}
		}
	}
}

// exempt are the methods of types that nobody sees, and those that are known.
func exempt(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return false
	}
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.Ident:
			return !x.IsExported() || slices.Contains(known, d.Name.Name)
		default:
			return false
		}
	}
}

// undocumented returns the first exported name of a spec that has no comment of
// its own, at its end, or above its group.
func undocumented(d *ast.GenDecl, s ast.Spec) string {
	if d.Doc != nil {
		return ""
	}
	switch s := s.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
			return s.Name.Name
		}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			if n.IsExported() && s.Doc == nil && s.Comment == nil {
				return n.Name
			}
		}
	}
	return ""
}
