package unreal

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// ZenFacts is what a package of an IoStore container says beside what
// [PackageFacts] has room for. Such a package names what it imports by hashes:
// an object of the program by the hash of its path (a ScriptObjects chunk
// lists these), an object of another package by that package and the hash of
// the object's path in it.
//
// PackageFacts.Imports has one import for each entry of the import map
// (ImportCount of them), in its order, then what makes them complete. The Names after NameCount are not
// in the package's name table: names of imported packages, and placeholders of
// unresolved hashes (those imports have [ImportByID]).
type ZenFacts struct {
	Version      int          // of the Zen header; 0 when unversioned
	PackageID    uint64       // hash of the package's name
	SourceName   string       // UE4: the name before localization
	ImportIDs    []uint64     // by import: the reference that it was made of; all ones for a package
	Packages     []ZenPackage // that are imported from
	PublicHashes []uint64     // by export; UE4: of its full path; 0: cannot be imported
	ImportedHash []uint64     // UE5: hashes of the objects that are imported from packages
	CookedHeader int64        // size of the header of the package before it was made a Zen package
}

// ZenPackage is a package that another one refers to.
type ZenPackage struct {
	ID   uint64 // hash of the lower-cased name
	Name string // "" when only the id is stored
}

// ScriptObjectFacts is the [codecs.Facts.Detail] of a ScriptObjects chunk: the objects
// of the program that packages may import, by the hashes that they use.
type ScriptObjectFacts struct {
	Objects []ScriptObject

	index   map[uint64]int32
	classes map[uint64]bool // that have a default object
}

// ScriptObject is an object of the program.
type ScriptObject struct {
	ID    uint64 // hash of its path, of the kind "script import"
	Outer uint64 // all ones: none, the object is a package
	Class uint64 // of a class's default object, and of what lies in that: the class; all ones otherwise
	Name  string // "/Script/Engine" for a package, "Actor" for what is in it
}

// NewScriptObjectFacts returns facts that can be asked for paths.
func NewScriptObjectFacts(objects []ScriptObject) *ScriptObjectFacts {
	f := &ScriptObjectFacts{Objects: objects, index: make(map[uint64]int32, len(objects)), classes: map[uint64]bool{}}
	for i := range objects {
		f.index[objects[i].ID] = int32(i)
		if class := objects[i].Class; class != noObject {
			f.classes[class] = true
		}
	}
	return f
}

// ClassOf returns the class of the object with that id as a package's import
// table would have it: that of a default object is listed, and what has a
// default object is a class. Of others ok is false; what lies in a default
// object is listed with the class of that.
func (f *ScriptObjectFacts) ClassOf(id uint64) (pkg, class string, ok bool) {
	o := f.Find(id)
	switch {
	case o == nil:
		return "", "", false
	case o.Outer == noObject:
		return "/Script/CoreUObject", "Package", true
	case f.classes[id]:
		return "/Script/CoreUObject", "Class", true
	}
	if c := f.Find(o.Class); c != nil && o.Class != noObject && o.Name == defaultObject+c.Name {
		if p := f.Find(c.Outer); p != nil && p.Outer == noObject {
			return p.Name, c.Name, true
		}
	}
	return "", "", false
}

// ScriptObjectsNamed returns the facts that the paths of objects make, as
// [ScriptObjectFacts.Path] gives them, by id. The class of a default object
// follows from its name.
func ScriptObjectsNamed(paths iter.Seq2[uint64, string]) *ScriptObjectFacts {
	var objects []ScriptObject
	ids, of := map[string]uint64{}, []string{}
	for id, path := range paths {
		outer, name := "", path
		if i := strings.LastIndexAny(path, ".:"); i > 0 {
			outer, name = path[:i], path[i+1:]
		}
		ids[path] = id
		of = append(of, outer)
		objects = append(objects, ScriptObject{ID: id, Outer: noObject, Class: noObject, Name: name})
	}
	for i := range objects {
		o := &objects[i]
		if id, ok := ids[of[i]]; ok {
			o.Outer = id
		}
		if class, ok := strings.CutPrefix(o.Name, defaultObject); ok {
			if id, ok := ids[of[i]+"."+class]; ok {
				o.Class = id
			}
		}
	}
	return NewScriptObjectFacts(objects)
}

// defaultObject is the prefix of the name of a class's default object.
const defaultObject = "Default__"

// noObject is the reference to none.
const noObject = 1<<64 - 1

// Find returns the object with that id, or nil.
func (f *ScriptObjectFacts) Find(id uint64) *ScriptObject {
	if i, ok := f.index[id]; ok {
		return &f.Objects[i]
	}
	return nil
}

// Path returns the path of the object with that id as the engine prints it:
// "/Script/Engine.Actor", "/Script/Engine.Actor:Sub". ok is false when it, or
// one of its outers, is not listed, or when they form a loop.
func (f *ScriptObjectFacts) Path(id uint64) (path string, ok bool) {
	var chain [MaxOuters]*ScriptObject
	n := 0
	for o := f.Find(id); ; o = f.Find(o.Outer) {
		if o == nil || n == MaxOuters {
			return "", false
		}
		chain[n] = o
		n++
		if o.Outer == noObject {
			break
		}
	}
	path = chain[n-1].Name
	for depth := 1; depth < n; depth++ {
		path += scriptSeparator(depth) + chain[n-1-depth].Name
	}
	return path, true
}

func scriptSeparator(depth int) string {
	if depth == 2 {
		return ":"
	}
	return "."
}

// ContainerFacts is the [codecs.Facts.Detail] of a ContainerHeader chunk: the packages
// of a container, and what each imports.
type ContainerFacts struct {
	Version     int // -1: the layout of UE4, which has no number
	ContainerID uint64
	Packages    []StoredPackage
	Optional    []StoredPackage    // the optional segments of packages
	Localized   []LocalizedPackage // UE5
	Redirects   []PackageRedirect

	Odd int // lists of packages that do not lie where they should
}

// StoredPackage is what a container says about a package before it is read.
type StoredPackage struct {
	ID      uint64
	Imports []uint64    // ids of packages
	Soft    []uint64    // ids of packages that are loaded on demand
	Shaders []ShaderMap // that it uses
	Exports int         // before UE5.3; 0 where it is not stored
	Bundles int         // of exports; as Exports
}

// ShaderMap is the SHA-1 by which a package names the shaders that it uses.
type ShaderMap [20]byte

// LocalizedPackage is a package that has localized twins.
type LocalizedPackage struct {
	Source uint64
	Name   string
}

// PackageRedirect leads from one package to another; in UE4 for one culture.
type PackageRedirect struct {
	Source, Target uint64
	Name           string // UE5: of the source; UE4: the culture
}

// Overriding returns the facts of a container that brings some packages of
// others anew, such as a patch: what the headers of those say about the packages
// that wanted reports, their redirects and localized twins included. Of a package
// that several headers list, the first counts; so does its layout version. The
// lists of packages are sorted by id, as the engine's packer leaves them.
func Overriding(container uint64, wanted func(pkg uint64) bool, headers ...*ContainerFacts) *ContainerFacts {
	f := &ContainerFacts{ContainerID: container}
	if len(headers) > 0 {
		f.Version = headers[0].Version
	}
	for _, h := range headers {
		f.Packages = appendStored(f.Packages, h.Packages, wanted)
		f.Optional = appendStored(f.Optional, h.Optional, wanted)
		for _, l := range h.Localized {
			if wanted(l.Source) && !slices.Contains(f.Localized, l) {
				f.Localized = append(f.Localized, l)
			}
		}
		for _, r := range h.Redirects {
			if (wanted(r.Source) || wanted(r.Target)) && !slices.Contains(f.Redirects, r) {
				f.Redirects = append(f.Redirects, r)
			}
		}
	}
	return f
}

// appendStored adds the wanted packages to a list that is sorted by id.
func appendStored(list, from []StoredPackage, wanted func(uint64) bool) []StoredPackage {
	for _, p := range from {
		i, found := slices.BinarySearchFunc(list, p.ID, func(s StoredPackage, id uint64) int { return cmp.Compare(s.ID, id) })
		if !found && wanted(p.ID) {
			list = slices.Insert(list, i, p)
		}
	}
	return list
}
