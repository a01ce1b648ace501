package zen

import (
	"fmt"
	"path"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// packages reads which packages are imported from. UE5.0 to 5.2 keep that in
// the container's header alone.
func (p *parser) packages() error {
	s, zen := p.sum, p.p.Zen
	switch {
	case s.ue4:
		return p.graph()
	case !s.deps:
		return nil
	}
	r := newReader(p.buf[s.packageNames:s.headerSize], s.packageNames)
	names := unreal.NameBatch(r)
	for _, name := range names {
		n := unreal.PackageFacts{Names: []unreal.PackageName{{Text: name}}}
		name = n.NameOf(unreal.ObjectName{Number: r.I32()})
		zen.Packages = append(zen.Packages, unreal.ZenPackage{ID: unreal.NameHash(name), Name: name})
	}
	if r.Err() != nil {
		return r.Err()
	}
	if r.Len() != 0 {
		return errLayout
	}
	return nil
}

// graph reads the packages that a UE4 package waits for.
func (p *parser) graph() error {
	r := newReader(p.buf[p.sum.graph:p.sum.graphEnd], p.sum.graph)
	for range r.Count(12) {
		p.p.Zen.Packages = append(p.p.Zen.Packages, unreal.ZenPackage{ID: r.U64()})
		r.Skip(8 * r.Count(8))
	}
	return r.Err()
}

// exports reads the export map. References into the import map are put in by
// resolve, once that is read.
func (p *parser) exports() error {
	f, s := &p.p.PackageFacts, p.sum
	r := newReader(p.buf[s.exports:s.cellImports], s.exports)
	f.Exports = make([]unreal.PackageExport, f.ExportCount)
	f.Zen.PublicHashes = make([]uint64, f.ExportCount)
	for i := range f.Exports {
		x := &f.Exports[i]
		x.Offset, x.Size = int64(r.U64()), int64(r.U64())
		x.Name = mappedName(r)
		r.Skip(4 * 8)
		f.Zen.PublicHashes[i] = r.U64()
		x.Flags = uint64(r.U32())
		x.ExportFlags = filter(r.U8())
		r.Skip(3)
		if f.Zen.PublicHashes[i] != 0 && !s.ue4 {
			x.ExportFlags |= unreal.ExportPublicHash
		}
		if n := x.Name.Index; n < 0 || int(n) >= f.NameCount {
			return errLayout
		}
		p.locate(i, x)
	}
	return r.Err()
}

// filter translates the platforms that an export is left out on.
func filter(flags uint8) unreal.ExportFlags {
	switch flags {
	case 1:
		return unreal.ExportNotForClient
	case 2:
		return unreal.ExportNotForServer
	}
	return 0
}

// locate turns the offset of an export's data into one in the chunk. From 5.3
// on data is counted from the end of the header, before from the start of the
// package as it was.
func (p *parser) locate(i int, x *unreal.PackageExport) {
	stored := x.Offset
	if !p.sum.deps {
		x.Offset -= int64(p.sum.cooked)
	}
	x.Offset += p.sum.headerSize
	if stored < 0 || x.Offset < p.sum.headerSize || x.Size < 0 || x.Offset > p.size || x.Size > p.size-x.Offset {
		p.problem(codecs.ErrCorrupt, fmt.Sprintf("exports[%d].offset", i), p.sum.exports+int64(i)*exportSize,
			"%d bytes at 0x%x of %d", x.Size, uint64(stored), p.size)
	}
}

// imports reads the import map and makes an import of each entry.
func (p *parser) imports() error {
	f, s := &p.p.PackageFacts, p.sum
	f.Zen.ImportIDs = u64s(p.buf[s.imports:s.exports])
	f.Imports = make([]unreal.PackageImport, f.ImportCount)
	p.byID = make(map[uint64]unreal.ObjectRef, f.ImportCount)
	p.text = map[string]int32{}
	p.homes()
	for i, id := range f.Zen.ImportIDs[:f.ImportCount] {
		if id&unreal.ObjectKind == unreal.ObjectExport {
			return errLayout
		}
		if id == null {
			continue // a package, or nothing
		}
		p.byID[id] = unreal.ObjectRef(-i - 1)
		f.Imports[i] = p.importOf(i, id)
	}
	return nil
}

// null is the reference to no object.
const null = 1<<64 - 1

// append adds an import after those of the map.
func (p *parser) append(im unreal.PackageImport, id uint64) unreal.ObjectRef {
	f := &p.p.PackageFacts
	f.Imports = append(f.Imports, im)
	f.Zen.ImportIDs = append(f.Zen.ImportIDs, id)
	return unreal.ObjectRef(-len(f.Imports))
}

// homes gives every imported package one import as its own. The import
// map has a null there; which package each one meant is not stored, and does
// not matter, as nothing refers to it by position.
func (p *parser) homes() {
	f := &p.p.PackageFacts
	var free []int
	for i, id := range f.Zen.ImportIDs {
		if id == null {
			free = append(free, i)
			f.Imports[i] = unreal.PackageImport{ClassPackage: p.name(""), Class: p.name(""), Name: p.name("")}
		}
	}
	p.home = make([]int, len(f.Zen.Packages))
	for k, pkg := range f.Zen.Packages {
		im := unreal.PackageImport{ClassPackage: p.name("/Script/CoreUObject"), Class: p.name("Package"), Name: p.name(pkg.Name)}
		if pkg.Name == "" {
			im.Name, im.Flags = p.name(fmt.Sprintf("<package %016x>", pkg.ID)), unreal.ImportByID
		}
		if len(free) > 0 {
			p.home[k], free = free[0], free[1:]
			f.Imports[p.home[k]] = im
			continue
		}
		p.home[k] = len(f.Imports)
		p.append(im, null)
	}
}

// name returns a name that is not the package's own.
func (p *parser) name(text string) unreal.ObjectName {
	f := &p.p.PackageFacts
	i, ok := p.text[text]
	if !ok {
		i = int32(len(f.Names))
		p.text[text] = i
		f.Names = append(f.Names, unreal.PackageName{Text: text})
	}
	return unreal.ObjectName{Index: i}
}

// importOf makes an import of an entry of the import map.
func (p *parser) importOf(i int, id uint64) unreal.PackageImport {
	im := unreal.PackageImport{ClassPackage: p.name(""), Class: p.name(""), Flags: unreal.ImportByID}
	if id&unreal.ObjectKind == unreal.ObjectScript {
		im.Name = p.name(fmt.Sprintf("<script %016x>", id))
		im.Flags |= unreal.ImportNative
		return im
	}
	if p.sum.ue4 || !p.sum.deps {
		im.Name = p.name(fmt.Sprintf("<object %016x>", id))
		return im
	}
	pkg, hash := id&^unreal.ObjectKind>>32, id&(1<<32-1)
	zen := p.p.Zen
	if pkg >= uint64(len(zen.Packages)) || hash >= uint64(len(zen.ImportedHash)) {
		p.problem(codecs.ErrCorrupt, fmt.Sprintf("imports[%d]", i), p.sum.imports+8*int64(i), "package %d of %d, hash %d of %d",
			pkg, len(zen.Packages), hash, len(zen.ImportedHash))
		im.Name = p.name(fmt.Sprintf("<object %016x>", id))
		return im
	}
	im.Outer = unreal.ObjectRef(-p.home[pkg] - 1)
	if name := guess(zen.Packages[pkg].Name, zen.ImportedHash[hash]); name != "" {
		im.Name, im.Flags = p.name(name), 0
		return im
	}
	im.Name = p.name(fmt.Sprintf("<export %016x>", zen.ImportedHash[hash]))
	return im
}

// guess names the object of a package by the hash of its path there: the asset
// itself, or the class of a blueprint and its default object.
func guess(pkg string, hash uint64) string {
	base := path.Base(pkg)
	for _, name := range []string{base, base + "_C", "Default__" + base + "_C"} {
		if unreal.ExportHash(name) == hash {
			return name
		}
	}
	return ""
}

// resolve puts the references of exports in.
func (p *parser) resolve() {
	f := &p.p.PackageFacts
	for i := range f.Exports {
		off := p.sum.exports + int64(i)*exportSize
		r := newReader(p.buf[off+24:off+56], off+24)
		x := &f.Exports[i]
		for _, ref := range []*unreal.ObjectRef{&x.Outer, &x.Class, &x.Super, &x.Archetype} {
			*ref = p.reference(i, r.Off(), r.U64())
		}
	}
}

// reference translates a reference to an object. What the import map does not
// list is appended to the imports.
func (p *parser) reference(i int, off int64, id uint64) unreal.ObjectRef {
	f := &p.p.PackageFacts
	switch {
	case id == null:
		return 0
	case id&unreal.ObjectKind == unreal.ObjectExport:
		if id >= uint64(len(f.Exports)) {
			p.problem(codecs.ErrCorrupt, fmt.Sprintf("exports[%d]", i), off, "refers to export %d of %d", id, len(f.Exports))
			return 0
		}
		return unreal.ObjectRef(id + 1)
	}
	ref, ok := p.byID[id]
	if !ok {
		ref = p.append(p.importOf(len(f.Imports), id), id)
		p.byID[id] = ref
	}
	return ref
}
