package zen

import (
	"io"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const scriptRecord = 32 // name, id, outer, class of a default object

// ReadScriptObjects reads the ScriptObjects chunk of global.utoc (UE5): a name
// batch, u32 n, and n records.
func ReadScriptObjects(r io.ReaderAt, size int64) (*unreal.ScriptObjectFacts, error) {
	buf, err := bin.Section(r, 0, size, size, maxHeader)
	if err != nil {
		return nil, failure("script objects", 0, err)
	}
	b := newReader(buf, 0)
	names := unreal.PackageFacts{}
	for _, text := range unreal.NameBatch(b) {
		names.Names = append(names.Names, unreal.PackageName{Text: text})
	}
	objects := make([]unreal.ScriptObject, b.Count(scriptRecord))
	for i := range objects {
		o := &objects[i]
		// The name is in the global table, which is this one.
		name := unreal.ObjectName{Index: int32(b.U32() & (1<<30 - 1)), Number: b.I32()}
		o.ID, o.Outer, o.Class = b.U64(), b.U64(), b.U64()
		o.Name = names.NameOf(name)
	}
	if err := b.Err(); err != nil {
		return nil, failure("script objects", b.Off(), err)
	}
	return unreal.NewScriptObjectFacts(objects), nil
}

func inspectScripts(r io.ReaderAt, size int64) (*codecs.Facts, error) {
	f, err := ReadScriptObjects(r, size)
	if err != nil {
		return nil, err
	}
	return &codecs.Facts{Kind: "zen-script-objects", Detail: f}, nil
}

// Resolve returns f with the names of the objects of the program that it
// imports: their outers become imports as well, so that paths are whole and
// references lead to the packages that other packages of the same classes
// refer to. What scripts does not list stays as it is. f is not changed.
func Resolve(f *unreal.PackageFacts, scripts *unreal.ScriptObjectFacts) *unreal.PackageFacts {
	out, zen := *f, *f.Zen
	out.Zen = &zen
	// Full slices, so that appending copies.
	out.Names = f.Names[:len(f.Names):len(f.Names)]
	out.Imports = append([]unreal.PackageImport(nil), f.Imports...)
	zen.ImportIDs = zen.ImportIDs[:len(zen.ImportIDs):len(zen.ImportIDs)]
	p := &parser{p: &Package{PackageFacts: out}, text: map[string]int32{}, byID: map[uint64]unreal.ObjectRef{}}
	for i := range f.Imports {
		if zen.ImportIDs[i] != null {
			p.byID[zen.ImportIDs[i]] = unreal.ObjectRef(-i - 1)
		}
	}
	for i := range f.Imports {
		if f.Imports[i].Flags&unreal.ImportByID != 0 && f.Imports[i].Flags&unreal.ImportNative != 0 {
			p.script(unreal.ObjectRef(-i-1), zen.ImportIDs[i], scripts, 0)
		}
	}
	return &p.p.PackageFacts
}

// script names import r, which is the object id, and then its outers.
func (p *parser) script(r unreal.ObjectRef, id uint64, scripts *unreal.ScriptObjectFacts, depth int) {
	o := scripts.Find(id)
	if o == nil || depth == unreal.MaxOuters {
		return
	}
	i, _ := r.Import()
	pkg, class, _ := scripts.ClassOf(id)
	im := unreal.PackageImport{ClassPackage: p.name(pkg), Class: p.name(class), Name: p.name(o.Name), Flags: unreal.ImportNative}
	switch outer, ok := p.byID[o.Outer]; {
	case o.Outer == null:
	case ok:
		im.Outer = outer
	case scripts.Find(o.Outer) != nil:
		im.Outer = p.append(unreal.PackageImport{}, o.Outer)
		p.byID[o.Outer] = im.Outer
		p.script(im.Outer, o.Outer, scripts, depth+1)
	default:
		return
	}
	p.p.Imports[i] = im
}
