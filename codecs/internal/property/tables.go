package property

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

// Added is what edits appended to the tables of a package: see [Decoder.Added].
type Added struct {
	Names   []string
	Imports []unreal.PackageImport
	Soft    []AddedSoft
}

// AddedSoft is an entry of the list of soft object paths.
type AddedSoft struct {
	Package, Asset unreal.ObjectName
	Sub            string
}

// Added returns what values that were written need of the tables beside what they had.
func (d *Decoder) Added() *Added { return &d.added }

// nameFor returns a name of the table that has this text, and appends it if there is none.
// "Foo_12" is the name Foo with a number, unless the table has it as it is.
func (d *Decoder) nameFor(text string) unreal.ObjectName {
	if text == "" {
		text = "None"
	}
	if i := d.indexOf(text); i >= 0 {
		return unreal.ObjectName{Index: int32(i)}
	}
	return d.numbered(splitNumber(text))
}

// numbered returns a name of the table with a number, and appends the text if it has none.
func (d *Decoder) numbered(base string, number int32) unreal.ObjectName {
	if i := d.indexOf(base); i >= 0 {
		return unreal.ObjectName{Index: int32(i), Number: number}
	}
	at := d.names
	d.added.Names = append(d.added.Names, base)
	d.pkg.Names = slices.Insert(slices.Clone(d.pkg.Names), at, unreal.PackageName{Text: base})
	d.kinds = slices.Insert(d.kinds, at, 0)
	d.pkg.NameCount++
	d.names++
	d.nameIndex[base] = int32(at)
	d.moveNames(int32(at))
	return unreal.ObjectName{Index: int32(at), Number: number}
}

// moveNames follows names that a new one took the place of: those of imports of Zen
// packages, which are not in their name table.
func (d *Decoder) moveNames(from int32) {
	if !d.zen {
		return
	}
	d.pkg.Imports = slices.Clone(d.pkg.Imports)
	for i := range d.pkg.Imports {
		im := &d.pkg.Imports[i]
		for _, n := range []*unreal.ObjectName{&im.ClassPackage, &im.Class, &im.Name} {
			if n.Index >= from {
				n.Index++
			}
		}
	}
}

// indexOf returns the index of a text in the name table, -1 for none.
func (d *Decoder) indexOf(text string) int {
	if d.nameIndex == nil {
		d.nameIndex = make(map[string]int32, d.names)
		for i := range d.names {
			if _, twice := d.nameIndex[d.pkg.Names[i].Text]; !twice {
				d.nameIndex[d.pkg.Names[i].Text] = int32(i)
			}
		}
	}
	if i, ok := d.nameIndex[text]; ok {
		return int(i)
	}
	return -1
}

// splitNumber splits "Foo_12" into Foo and 13, as the engine does: numbers have no zeros
// in front.
func splitNumber(text string) (base string, number int32) {
	i := strings.LastIndexByte(text, '_')
	if i <= 0 || i+1 == len(text) || text[i+1] == '0' && i+2 < len(text) {
		return text, 0
	}
	n, err := strconv.ParseUint(text[i+1:], 10, 31)
	if err != nil || n >= 1<<31-1 || text[i+1] == '+' {
		return text, 0
	}
	return text[:i], int32(n) + 1
}

// maxNameLength is the engine's own limit.
const maxNameLength = 1023

// refFor returns the reference to an object by its path, and appends an import where the
// package does not refer to it yet. The path may have its class in front, as in
// "Texture2D'/Game/T.T'"; new imports without one have the class of the object like.
func (d *Decoder) refFor(text string, like unreal.ObjectRef) (unreal.ObjectRef, error) {
	class, path := "", text
	if i := strings.IndexByte(text, '\''); i >= 0 && strings.HasSuffix(text, "'") && i+1 < len(text) {
		class, path = text[:i], text[i+1:len(text)-1]
	}
	path = strings.ReplaceAll(path, ":", ".")
	if path == "" || path == "None" || path == "null" {
		return 0, nil
	}
	own := strings.TrimPrefix(path, d.name+".")
	if like != 0 && d.ObjectPath(like) == path { // of several imports of one object
		return like, nil
	}
	for i := range d.pkg.Exports {
		if r := unreal.ObjectRef(i + 1); d.ObjectPath(r) == own {
			return r, nil
		}
	}
	for i := range d.pkg.ImportCount {
		if d.zen && d.pkg.Zen.ImportIDs[i] == 1<<64-1 {
			continue // a package: which one, the file does not say
		}
		if r := unreal.ObjectRef(-i - 1); d.ObjectPath(r) == path {
			return r, nil
		}
	}
	if d.zen {
		return 0, refuse("a reference to %s: new imports of a Zen package", path)
	}
	return d.importFor(class, path, like)
}

// ErrNoObject is wrapped by errors about objects that a package does not refer to and that
// may not become imports.
var ErrNoObject = fmt.Errorf("%w: object", codecs.ErrNotFound)

// importFor appends an import of an object directly in a package.
func (d *Decoder) importFor(class, path string, like unreal.ObjectRef) (unreal.ObjectRef, error) {
	slash := strings.LastIndexByte(path, '/')
	pkg, object, ok := strings.Cut(path[slash+1:], ".")
	pkg = path[:slash+1] + pkg
	if slash < 0 || path[0] != '/' || !ok || object == "" || strings.Contains(object, ".") {
		return 0, fmt.Errorf("%w %q is in neither table of the package; a new import has a path like /Game/Folder/Asset.Asset", ErrNoObject, path)
	}
	if d.canImport != nil {
		if err := d.canImport(pkg); err != nil {
			return 0, err
		}
	}
	e := unreal.PackageImport{Name: d.nameFor(object)}
	switch {
	case strings.Contains(class, "."):
		i := strings.LastIndexByte(class, '.')
		e.ClassPackage, e.Class = d.nameFor(class[:i]), d.nameFor(class[i+1:])
	case class != "":
		found := false
		for i := range d.pkg.Imports {
			im := &d.pkg.Imports[i]
			if found = d.pkg.NameOf(im.Class) == class; found {
				e.ClassPackage, e.Class = im.ClassPackage, im.Class
				break
			}
			if outer, ok := im.Outer.Import(); ok && d.pkg.NameOf(im.Name) == class && d.pkg.NameOf(im.Class) == "Class" {
				e.ClassPackage, e.Class, found = d.pkg.Imports[outer].Name, im.Name, true
				break
			}
		}
		if !found {
			return 0, fmt.Errorf("%w: class %q is not imported: write its path, as in /Script/Engine.%s'%s'", ErrValue, class, class, path)
		}
	default:
		i, ok := like.Import()
		if !ok || i >= len(d.pkg.Imports) {
			return 0, fmt.Errorf("%w: the class of %s is not known: write it, as in /Script/Engine.Texture2D'%s'", ErrValue, path, path)
		}
		e.ClassPackage, e.Class = d.pkg.Imports[i].ClassPackage, d.pkg.Imports[i].Class
	}
	e.Outer = d.packageFor(pkg)
	return d.addImport(e), nil
}

// packageFor returns the import of a package.
func (d *Decoder) packageFor(name string) unreal.ObjectRef {
	for i := range d.pkg.Imports {
		if im := &d.pkg.Imports[i]; im.Outer == 0 && strings.EqualFold(d.pkg.NameOf(im.Name), name) {
			return unreal.ObjectRef(-i - 1)
		}
	}
	return d.addImport(unreal.PackageImport{ClassPackage: d.nameFor("/Script/CoreUObject"), Class: d.nameFor("Package"), Name: d.nameFor(name)})
}

func (d *Decoder) addImport(e unreal.PackageImport) unreal.ObjectRef {
	d.added.Imports = append(d.added.Imports, e)
	d.pkg.Imports = append(slices.Clip(d.pkg.Imports), e)
	d.pkg.ImportCount++
	return unreal.ObjectRef(-len(d.pkg.Imports))
}

// softFor returns the index of a path in the list of soft object paths, and appends it if
// there is none.
func (d *Decoder) softFor(asset, sub string) int32 {
	for i, s := range d.soft {
		if s.path == asset && s.sub == sub {
			return int32(i)
		}
	}
	pkg, object := splitAsset(asset)
	d.added.Soft = append(d.added.Soft, AddedSoft{d.nameFor(pkg), d.nameFor(object), sub})
	d.soft = append(slices.Clip(d.soft), softPath{asset, sub})
	return int32(len(d.soft) - 1)
}

// splitAsset splits "/Game/A.B" into package and asset.
func splitAsset(path string) (pkg, asset string) {
	slash := strings.LastIndexByte(path, '/')
	pkg, asset, _ = strings.Cut(path[slash+1:], ".")
	return path[:slash+1] + pkg, asset
}
