package zen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// LegacyOptions say what a Zen package does not.
type LegacyOptions struct {
	// Scripts are the objects of the program, from global.utoc.
	Scripts *unreal.ScriptObjectFacts
	// Imported returns a package that is imported from, resolved by Scripts, nil if it is
	// not at hand.
	Imported func(name string) (*unreal.PackageFacts, error)
	// AnyClass gives objects of packages that are not at hand the class Object, where their
	// own path is known.
	AnyClass bool
	// Layout is that of packages of UE 5.6 to 5.8 without versions, which are alike.
	Layout pkg.CookedLayout
	// ListEnd returns where the list of properties of an export ends in its data. It is asked
	// for in packages with tagged lists.
	ListEnd func(export int) (int64, error)
}

// UnknownClassError is the error of an object whose class is that of an export in a package
// which is not at hand.
type UnknownClassError struct{ Package, Object string }

func (e *UnknownClassError) Error() string {
	return fmt.Sprintf("class of %s.%s: package %s is not at hand", e.Package, e.Object, e.Package)
}

// Unwrap says that a package was not found.
func (e *UnknownClassError) Unwrap() error { return codecs.ErrNotFound }

// ErrNoEngine is wrapped by the error of a package whose layout [LegacyOptions] has to say.
var ErrNoEngine = fmt.Errorf("%w: package of UE 5.6, 5.7 or 5.8 without versions, and no engine is given", unreal.ErrNoWriting)

// ToLegacy returns the files .uasset and .uexp of a cooked legacy package with the objects
// of a package of UE 5.3 to 5.8. chunk is what it was read from. [FromLegacy] makes the
// same bytes of it again, but for the size of the cooked header where the made one is longer.
//
// Names and classes of imports are those of o. It fails for what these lack.
func (p *Package) ToLegacy(ctx context.Context, chunk []byte, o LegacyOptions) (asset, uexp []byte, err error) {
	w := toLegacy{p: p, o: o, names: map[string]int32{}}
	if err := w.check(chunk); err != nil {
		return nil, nil, failure("package", -1, err)
	}
	c := &w.c
	c.Name, c.Flags, c.Names = p.Name, p.Flags, slices.Clone(p.Names[:p.NameCount])
	c.Referenced, c.Room = p.NameCount, p.Zen.CookedHeader
	if p.sum.versioned {
		c.Versioned, c.Parts = true, chunk[p.sum.fixed-8-20*int64(len(p.sum.custom)):p.sum.fixed-8]
	}
	for i := len(c.Names) - 1; i >= 0; i-- {
		w.names[c.Names[i].Text] = int32(i)
	}
	w.name("None")
	if err := w.imports(); err != nil {
		return nil, nil, err
	}
	if err := w.exports(); err != nil {
		return nil, nil, err
	}
	if err := w.dependencies(chunk); err != nil {
		return nil, nil, err
	}
	w.bulk(chunk)
	if asset, err = c.Header(); err != nil {
		return nil, nil, err
	}
	uexp = bytes.Clone(chunk[p.sum.headerSize:])
	return asset, uexp, w.readBack(ctx, asset, uexp, chunk)
}

type toLegacy struct {
	p     *Package
	o     LegacyOptions
	c     pkg.Cooked
	names map[string]int32
}

func (w *toLegacy) check(chunk []byte) error {
	p, s := w.p, w.p.sum
	if err := p.Writable(); err != nil {
		return err
	}
	refuse := func(format string, args ...any) error { return codecs.Errorf(unreal.ErrNoWriting, format, args...) }
	w.c.Layout = w.o.Layout
	switch {
	case s.versioned && (s.ue5Version != ue5Proven || !s.cells || s.zen != zenDependencies || s.licensee != 0):
		return refuse("Zen package with version ue5 %d: with versions only those of UE 5.8 become legacy ones", s.ue5Version)
	case s.versioned:
		w.c.Layout = pkg.Cooked58
	case !s.cells:
		w.c.Layout = pkg.Cooked53
	case w.c.Layout == pkg.Cooked53:
		return ErrNoEngine
	}
	at := s.headerSize
	for i := range p.Exports {
		x := &p.Exports[i]
		if x.Offset != at || at+x.Size > int64(len(chunk)) {
			return refuse("data of exports that is not in the order of the table")
		}
		at += x.Size
	}
	if !bytes.Equal(chunk[at:], unreal.PackageTag()) {
		return refuse("data that is not followed by the tag alone")
	}
	if w.o.Scripts == nil {
		return fmt.Errorf("%w: the objects of the program, which global.utoc of the game has", codecs.ErrNotFound)
	}
	return nil
}

// name returns a name of the legacy package: those that data refers to come first. A number
// at its end is kept apart.
func (w *toLegacy) name(text string) unreal.ObjectName {
	number := uint32(0)
	i, known := w.names[text]
	if !known {
		text, number = cutNumber(text)
		if i, known = w.names[text]; !known {
			i = int32(len(w.c.Names))
			w.names[text] = i
			w.c.Names = append(w.c.Names, unreal.PackageName{Text: text})
		}
	}
	return unreal.ObjectName{Index: i, Number: int32(number)}
}

// imports names the objects of the import map. Which of its empty places each package
// had is not stored, and makes no difference.
func (w *toLegacy) imports() error {
	z := w.p.Zen
	ids := z.ImportIDs[:w.p.ImportCount]
	w.c.Imports = make([]unreal.PackageImport, len(ids))
	byPath, homes := map[string]int{}, 0
	for i, id := range ids {
		if id != null {
			continue
		}
		if homes == len(z.Packages) {
			return w.lost(i, codecs.Errorf(unreal.ErrNoWriting, "import of a package whose name is not stored"))
		}
		name := z.Packages[homes].Name
		homes++
		byPath[strings.ToLower(name)] = i
		w.c.Imports[i] = unreal.PackageImport{ClassPackage: w.name("/Script/CoreUObject"), Class: w.name("Package"), Name: w.name(name)}
	}
	if homes < len(z.Packages) {
		return w.lost(len(ids), codecs.Errorf(unreal.ErrNoWriting, "package %s, which no import names", z.Packages[homes].Name))
	}
	paths := make([]string, len(ids))
	for i, id := range ids {
		if id == null {
			continue
		}
		path, class, err := w.object(id)
		if err != nil {
			return w.lost(i, err)
		}
		home, name := class[0], class[1]
		paths[i] = path
		byPath[strings.ToLower(path)] = i
		w.c.Imports[i] = unreal.PackageImport{ClassPackage: w.name(home), Class: w.name(name), Name: w.name(path[strings.LastIndexAny(path, ".:")+1:])}
	}
	for i, path := range paths {
		end := strings.LastIndexAny(path, ".:")
		if end < 0 {
			continue // a package
		}
		outer, known := byPath[strings.ToLower(path[:end])]
		if !known {
			return w.lost(i, codecs.Errorf(unreal.ErrNoWriting, "%s, whose outer is not imported", path))
		}
		w.c.Imports[i].Outer = unreal.ObjectRef(-outer - 1)
	}
	return nil
}

func (w *toLegacy) lost(i int, err error) error {
	return failure(fmt.Sprintf("imports[%d]", i), -1, err)
}

// anyClass is the one of every object. Programs list no classes of structs, enums and
// parts of default objects, which the engine finds by their paths.
var anyClass = [2]string{"/Script/CoreUObject", "Object"}

// object returns the path of an entry of the import map, and the package and the name of
// its class.
func (w *toLegacy) object(id uint64) (path string, class [2]string, err error) {
	if id&unreal.ObjectKind == unreal.ObjectScript {
		path, ok := w.o.Scripts.Path(id)
		if !ok {
			return "", class, fmt.Errorf("%w: object %016x of the program in global.utoc", codecs.ErrNotFound, id)
		}
		if home, name, ok := w.o.Scripts.ClassOf(id); ok {
			return path, [2]string{home, name}, nil
		}
		return path, anyClass, nil
	}
	z := w.p.Zen
	home, hash := z.Packages[id&^unreal.ObjectKind>>32].Name, z.ImportedHash[id&(1<<32-1)]
	other, err := w.o.Imported(home)
	if err != nil {
		return "", class, err
	}
	if other == nil {
		name := guess(home, hash)
		switch {
		case name == "":
			return "", class, &UnknownClassError{home, fmt.Sprintf("<export %016x>", hash)}
		case !w.o.AnyClass:
			return "", class, &UnknownClassError{home, name}
		}
		return home + "." + name, anyClass, nil
	}
	i := slices.Index(other.Zen.PublicHashes, hash)
	if i < 0 {
		return "", class, fmt.Errorf("%w: export %016x of %s", codecs.ErrNotFound, hash, home)
	}
	inner, _ := other.PathOf(unreal.ObjectRef(i + 1))
	of, _ := other.PathOf(other.Exports[i].Class)
	switch at := strings.LastIndexByte(of, '.'); {
	case other.Exports[i].Class == 0:
		class = [2]string{"/Script/CoreUObject", "Class"}
	case other.Exports[i].Class > 0:
		class = [2]string{home, of}
	case at < 0 || strings.Contains(of, "<"):
		return "", class, &UnknownClassError{home, inner}
	default:
		class = [2]string{of[:at], of[at+1:]}
	}
	return home + "." + inner, class, nil
}

// exports makes the export table.
func (w *toLegacy) exports() error {
	c, ids := &w.c, w.p.Zen.ImportIDs
	c.Exports = slices.Clone(w.p.Exports)
	for i := range c.Exports {
		x := &c.Exports[i]
		for _, r := range []*unreal.ObjectRef{&x.Outer, &x.Class, &x.Super, &x.Archetype} {
			if n, ok := r.Import(); ok && n >= w.p.ImportCount {
				return failure(fmt.Sprintf("exports[%d]", i), -1, codecs.Errorf(unreal.ErrNoWriting, "object %016x, which is not imported", ids[n]))
			}
		}
		hash, public := w.p.Zen.PublicHashes[i], x.Flags&flagPublic != 0
		path, _ := w.p.PathOf(unreal.ObjectRef(i + 1))
		if hash != 0 && hash != unreal.ExportHash(path) || hash == 0 && public {
			return failure(fmt.Sprintf("exports[%d]", i), -1, codecs.Errorf(unreal.ErrNoWriting, "public hash %016x of %s", hash, path))
		}
		x.ExportFlags |= unreal.ExportNotInEditorGame
		if public {
			x.ExportFlags &^= unreal.ExportPublicHash
		}
		if public && x.Outer == 0 && x.Flags&flagStandalone != 0 {
			x.ExportFlags |= unreal.ExportAsset
		}
		if c.Layout == pkg.Cooked53 || c.Flags&flagUnversioned != 0 {
			continue
		}
		end, err := w.o.ListEnd(i)
		if err != nil {
			return failure(fmt.Sprintf("exports[%d]", i), x.Offset, err)
		}
		c.ListEnds = append(c.ListEnds, end)
	}
	return nil
}

// dependencies makes the preload lists.
func (w *toLegacy) dependencies(chunk []byte) error {
	s := w.p.sum
	heads := newReader(chunk[s.depHeaders:s.depEntries], s.depHeaders)
	entries := chunk[s.depEntries:s.packageNames]
	for i := range w.c.Exports {
		r := newReader(entries, s.depEntries)
		var lists [4][]unreal.ObjectRef
		span := unreal.PreloadSpan{First: int32(len(w.c.Preload))}
		if first := heads.I32(); first == -1 {
			span.First = first
		} else {
			r.Seek(4 * int(first))
		}
		for _, k := range [4]int{3, 2, 1, 0} {
			span.Counts[k] = heads.I32()
			for range r.CheckCount(int64(span.Counts[k]), 4) {
				lists[k] = append(lists[k], unreal.ObjectRef(r.I32()))
			}
		}
		if err := errors.Join(heads.Err(), r.Err()); err != nil {
			return failure(fmt.Sprintf("dependencies[%d]", i), s.depHeaders, err)
		}
		if span.First >= 0 {
			needs := w.native(&w.c.Exports[i])
			lists[2] = append(needs, lists[2]...)
			span.Counts[2] += int32(len(needs))
		}
		w.c.Preload = slices.Concat(w.c.Preload, lists[0], lists[1], lists[2], lists[3])
		w.c.PreloadSpans = append(w.c.PreloadSpans, span)
	}
	return nil
}

// native returns the class and the template of an export that are objects of the program.
// Legacy packages list them as serialized before its creation, Zen packages do not.
func (w *toLegacy) native(x *unreal.PackageExport) (list []unreal.ObjectRef) {
	for _, r := range []unreal.ObjectRef{x.Class, x.Archetype} {
		if n, ok := r.Import(); ok && w.p.Zen.ImportIDs[n]&unreal.ObjectKind == unreal.ObjectScript {
			list = append(list, r)
		}
	}
	return list
}

// bulk takes over the table of data that is loaded on demand.
func (w *toLegacy) bulk(chunk []byte) {
	w.c.Bulk = w.p.Bulk
	at := w.p.sum.hashes - int64(bulkEntry*len(w.p.Bulk))
	r := newReader(chunk[at:w.p.sum.hashes], at)
	for range w.p.Bulk {
		r.Skip(8)
		w.c.Duplicates = append(w.c.Duplicates, r.I64())
		r.Skip(16)
	}
}

// readBack makes the Zen package again: it is the one that the legacy package was made of.
func (w *toLegacy) readBack(ctx context.Context, asset, uexp, chunk []byte) error {
	again, err := FromLegacy(ctx, asset, uexp, w.p.Name)
	if err == nil && len(again) == len(chunk) {
		copy(again[20:24], chunk[20:24]) // the size of the cooked header
	}
	if err == nil && !bytes.Equal(again, chunk) {
		err = errors.New("the Zen package that is made again differs")
	}
	if err != nil {
		return failure("read back", -1, err)
	}
	return nil
}
