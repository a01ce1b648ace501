package zen

import (
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// edge is a reference by kind, so that each is given once.
type edge struct {
	kind string
	to   codecs.Ref
}

// edges collects references, each once, in order.
type edges struct {
	f    *unreal.PackageFacts
	seen map[edge]bool
	list []codecs.Ref
}

// References returns what a Zen package refers to: every package and every
// object of the program that it imports, and those that the classes, supers,
// archetypes and outers of its exports lie in.
func References(f *unreal.PackageFacts) []codecs.Ref {
	e := &edges{f: f, seen: map[edge]bool{}}
	for _, p := range f.Zen.Packages {
		e.add("zen_import", packageRef(p))
	}
	for i := range f.Imports {
		e.object("zen_import", unreal.ObjectRef(-i-1))
	}
	for i := range f.Exports {
		x := &f.Exports[i]
		e.object("class", x.Class)
		e.object("super", x.Super)
		e.object("archetype", x.Archetype)
		e.object("outer", x.Outer)
	}
	return e.list
}

// packageRef refers to a package by name, or by its id where that is all there
// is.
func packageRef(p unreal.ZenPackage) codecs.Ref {
	if p.Name == "" {
		return codecs.Ref{Space: packageIDSpace, ID: codecs.ID64(p.ID)}
	}
	return codecs.Ref{Space: packageSpace, Name: p.Name, Flags: nativeFlag(p.Name)}
}

func nativeFlag(pkg string) codecs.RefFlags {
	if strings.HasPrefix(pkg, "/Script/") {
		return codecs.Native
	}
	return 0
}

// object adds a reference to the package of an import, or to an object of the
// program that is known by its id only.
func (e *edges) object(kind string, r unreal.ObjectRef) {
	i, ok := r.Import()
	if !ok || i >= len(e.f.Imports) {
		return
	}
	root, ok := e.f.RootOf(r).Import()
	if !ok || root >= len(e.f.Imports) {
		return
	}
	if e.f.Imports[root].Flags&unreal.ImportByID == 0 {
		if name := e.f.NameOf(e.f.Imports[root].Name); name != "" {
			e.add(kind, packageRef(unreal.ZenPackage{Name: name}))
		}
		return
	}
	if id := e.f.Zen.ImportIDs[i]; id&unreal.ObjectKind == unreal.ObjectScript {
		e.add(kind, codecs.Ref{Space: scriptObjectSpace, ID: codecs.ID64(id), Flags: codecs.Native})
	}
}

func (e *edges) add(kind string, to codecs.Ref) {
	to.Kind = kind
	if key := (edge{kind, to}); !e.seen[key] {
		e.seen[key] = true
		e.list = append(e.list, to)
	}
}
