package pkg

import (
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// packageSpace is where the keys of references are looked up: bare package
// names of UE1 to UE3, long ones ("/Game/A/B") of UE4 and UE5.
const packageSpace codecs.Space = "package"

// kind is a kind of reference. All lead from package to package; which objects
// are meant is in the tables of the facts.
type kind uint8

const (
	refImport kind = iota
	refClass
	refSuper
	refArchetype
	refOuter
	refDepends
	refPreload
	refSoftPackage
	refSoftObject
	kinds
)

func (k kind) String() string {
	return [kinds]string{"import", "class", "super", "archetype", "outer", "depends", "preload", "soft_package", "soft_object"}[k]
}

// target is a package that is referred to.
type target struct {
	name                  string
	native, foreign, game bool // something imported from it is native, is not; the game uses it
	seen                  [kinds]bool
}

func (t *target) flags() (f codecs.RefFlags) {
	if t.native && !t.foreign {
		f |= codecs.Native
	}
	if !t.game {
		f |= codecs.Editor
	}
	return f
}

// edges collects references, each kind and target once, in order.
type edges struct {
	f      *unreal.PackageFacts
	byName map[string]*target
	roots  []*target // by import: its package; nil when it lies in this file
	list   []codecs.Ref
}

// references returns the packages that f refers to, by kind.
func references(f *unreal.PackageFacts) []codecs.Ref {
	e := &edges{f: f, byName: map[string]*target{}}
	e.findRoots()
	for i := range f.Imports {
		e.object(refImport, unreal.ObjectRef(-i-1))
	}
	for i := range f.Exports {
		x := &f.Exports[i]
		e.object(refClass, x.Class)
		e.object(refSuper, x.Super)
		e.object(refArchetype, x.Archetype)
		e.object(refOuter, x.Outer)
	}
	for _, r := range f.Depends.Refs {
		e.object(refDepends, r)
	}
	for _, r := range f.Preload {
		e.object(refPreload, r)
	}
	e.soft()
	return e.list
}

func (e *edges) target(name string) *target {
	t := e.byName[name]
	if t == nil {
		t = &target{name: name}
		e.byName[name] = t
	}
	return t
}

// findRoots finds the package of each import and what is true of all that is
// imported from it.
func (e *edges) findRoots() {
	f := e.f
	e.roots = make([]*target, len(f.Imports))
	for i := range f.Imports {
		root, ok := f.RootOf(unreal.ObjectRef(-i - 1)).Import()
		if !ok || root >= len(f.Imports) {
			continue // brought along by the cooker
		}
		name := f.Imports[root].Name
		if name.Index < 0 || int(name.Index) >= len(f.Names) {
			continue // damaged, and reported as such
		}
		im := &f.Imports[i]
		t := e.target(f.NameOf(name))
		switch {
		case im.Flags&unreal.ImportNative != 0:
			t.native = true
		case im.Outer != 0:
			t.foreign = true
		}
		if im.Outer == 0 && im.Flags&unreal.ImportEditor == 0 {
			t.game = true
		}
		e.roots[i] = t
	}
}

// object adds a reference to the package of an import.
func (e *edges) object(k kind, r unreal.ObjectRef) {
	if i, ok := r.Import(); ok && i < len(e.roots) && e.roots[i] != nil {
		e.add(k, e.roots[i], e.roots[i].flags())
	}
}

func (e *edges) add(k kind, t *target, flags codecs.RefFlags) {
	if t.seen[k] || t.name == "" {
		return
	}
	t.seen[k] = true
	e.list = append(e.list, codecs.Ref{Kind: k.String(), Space: packageSpace, Name: t.name, Flags: flags})
}

// soft adds what is loaded on demand. Old packages store paths of objects.
func (e *edges) soft() {
	for _, s := range e.f.SoftPackages {
		pkg, _, _ := strings.Cut(s.Name, ".")
		flags := nativeFlag(pkg)
		if s.Editor {
			flags |= codecs.Editor
		}
		e.add(refSoftPackage, e.target(pkg), flags)
	}
	for _, s := range e.f.SoftObjects {
		e.add(refSoftObject, e.target(s.Package), nativeFlag(s.Package))
	}
}

func nativeFlag(pkg string) codecs.RefFlags {
	if isScript(pkg) {
		return codecs.Native
	}
	return 0
}

// symbols returns the packages that the content is known to define: its own,
// where it stores the name, and those that the cooker brought along.
func symbols(f *unreal.PackageFacts) (out []codecs.Symbol) {
	if f.Name != "" {
		out = append(out, codecs.Symbol{Space: packageSpace, Name: f.Name})
	}
	seen := map[string]bool{}
	for i := range f.Exports {
		x := &f.Exports[i]
		if x.Outer != 0 || x.ExportFlags&unreal.ExportForced == 0 || f.ClassOf(i) != "Package" {
			continue
		}
		if name := f.NameOf(x.Name); !seen[name] {
			seen[name] = true
			out = append(out, codecs.Symbol{Space: packageSpace, Name: name})
		}
	}
	return out
}
