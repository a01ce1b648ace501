package unreal

import (
	"strconv"
	"strings"
)

// NameOf renders a name; an index outside the table gives "<bad name 7>".
func (f *PackageFacts) NameOf(n ObjectName) string {
	if n.Number == 0 && n.Index >= 0 && int(n.Index) < len(f.Names) {
		return f.Names[n.Index].Text // no allocation for nearly all names
	}
	return string(f.appendName(nil, n))
}

func (f *PackageFacts) appendName(dst []byte, n ObjectName) []byte {
	if n.Index < 0 || int(n.Index) >= len(f.Names) {
		return append(strconv.AppendInt(append(dst, "<bad name "...), int64(n.Index), 10), '>')
	}
	dst = append(dst, f.Names[n.Index].Text...)
	if n.Number == 0 {
		return dst
	}
	if !f.BareNumbers {
		dst = append(dst, '_')
	}
	return strconv.AppendInt(dst, int64(n.Number)-1, 10)
}

// ObjectOf returns the bare name of the object that r refers to: "" for none,
// "<bad import 7>" or "<bad export 7>" for one outside the tables.
func (f *PackageFacts) ObjectOf(r ObjectRef) string {
	if n, ok := f.name(r); ok {
		return f.NameOf(n)
	}
	return string(appendBad(nil, r))
}

// ClassOf returns the name of the class of export i: "Class" for a class.
func (f *PackageFacts) ClassOf(i int) string {
	if f.Exports[i].Class == 0 {
		return "Class"
	}
	return f.ObjectOf(f.Exports[i].Class)
}

// MaxOuters bounds the chain of outers that paths follow. Real chains have
// fewer than ten links; a longer one is a loop.
const MaxOuters = 64

// PathOf renders the path of r along its outers. rooted reports that the path
// starts with a package: that of an import, or that of an export which the
// cooker brought along; otherwise the package that holds this content is
// missing in front.
//
// Names are joined by "."; in UE4 and UE5 the top-level object and its first
// sub-object by ":", as in "/Game/A/Lvl.Lvl:PersistentLevel.Actor_1". A chain
// that loops, or is longer than [MaxOuters], starts with "<loop>".
func (f *PackageFacts) PathOf(r ObjectRef) (path string, rooted bool) {
	dst, rooted := f.AppendPath(nil, r)
	return string(dst), rooted
}

// AppendPath is [PackageFacts.PathOf] into a buffer of the caller's.
func (f *PackageFacts) AppendPath(dst []byte, r ObjectRef) (path []byte, rooted bool) {
	var chain [MaxOuters]ObjectRef
	n := 0
	for ; r != 0 && n < MaxOuters; n++ {
		chain[n] = r
		r = f.OuterOf(r)
	}
	if n == 0 {
		return dst, false
	}
	rooted = f.isPackage(chain[n-1])
	depth := 1 // of the top-level object; the package is 0
	if rooted {
		depth = 0
	}
	if r != 0 {
		dst, depth = append(dst, "<loop>."...), 2
	}
	for n--; n >= 0; n-- {
		dst = f.appendObject(dst, chain[n])
		if n > 0 {
			dst = append(dst, f.separator(depth))
		}
		depth++
	}
	return dst, rooted
}

// Modern reports whether a package is of UE4 or UE5.
func (f *PackageFacts) Modern() bool {
	return strings.HasPrefix(f.Engine, "UE4") || strings.HasPrefix(f.Engine, "UE5")
}

// Version of UE3 from which on a class has an object of its own for its defaults.
const verDefaultObject = 219

// TemplateOf returns the object that export i takes the values from that it does not
// state: its archetype. UE1 and UE2 store none: a class takes them from its parent, and any
// other object from its class.
func (f *PackageFacts) TemplateOf(i int) ObjectRef {
	x := &f.Exports[i]
	switch {
	case f.Modern() || f.Version >= verDefaultObject:
		return x.Archetype
	case x.Class == 0:
		return x.Super
	}
	return x.Class
}

func (f *PackageFacts) separator(depth int) byte {
	if depth == 1 && f.Modern() {
		return ':'
	}
	return '.'
}

// isPackage reports whether the root r of a chain is a whole package:
// any import does, and an export that is a forced Package.
func (f *PackageFacts) isPackage(r ObjectRef) bool {
	if _, ok := r.Import(); ok {
		return true
	}
	i, ok := r.Export()
	return ok && i < len(f.Exports) && f.Exports[i].ExportFlags&ExportForced != 0 && f.ClassOf(i) == "Package"
}

// RootOf follows the outers of r to the last one: the package of an import.
// It returns 0 for a chain that loops.
func (f *PackageFacts) RootOf(r ObjectRef) ObjectRef {
	for range MaxOuters {
		outer := f.OuterOf(r)
		if outer == 0 {
			return r
		}
		r = outer
	}
	return 0
}

// OuterOf returns the outer of r, 0 when there is none or r is outside the
// tables.
func (f *PackageFacts) OuterOf(r ObjectRef) ObjectRef {
	if i, ok := r.Import(); ok && i < len(f.Imports) {
		return f.Imports[i].Outer
	}
	if i, ok := r.Export(); ok && i < len(f.Exports) {
		return f.Exports[i].Outer
	}
	return 0
}

// name returns the name of the object r; none has the zero value's place, so
// ok is false for 0 and for references outside the tables.
func (f *PackageFacts) name(r ObjectRef) (n ObjectName, ok bool) {
	if i, ok := r.Import(); ok && i < len(f.Imports) {
		return f.Imports[i].Name, true
	}
	if i, ok := r.Export(); ok && i < len(f.Exports) {
		return f.Exports[i].Name, true
	}
	return ObjectName{}, false
}

func (f *PackageFacts) appendObject(dst []byte, r ObjectRef) []byte {
	if n, ok := f.name(r); ok {
		return f.appendName(dst, n)
	}
	return appendBad(dst, r)
}

func appendBad(dst []byte, r ObjectRef) []byte {
	if i, ok := r.Import(); ok {
		return append(strconv.AppendInt(append(dst, "<bad import "...), int64(i), 10), '>')
	}
	if i, ok := r.Export(); ok {
		return append(strconv.AppendInt(append(dst, "<bad export "...), int64(i), 10), '>')
	}
	return dst
}

// PathBytes bounds the bytes that the paths of all objects render to. A reader
// of hostile packages refuses tables whose paths would outgrow the file: long
// names in long chains under very many objects.
func (f *PackageFacts) PathBytes() (n int64) {
	for i := range f.Exports {
		n += f.pathBound(ObjectRef(i + 1))
	}
	for i := range f.Imports {
		n += f.pathBound(ObjectRef(-i - 1))
	}
	return n
}

func (f *PackageFacts) pathBound(r ObjectRef) (n int64) {
	for range MaxOuters {
		if r == 0 {
			break
		}
		n += 24 // a number, a separator, or a bad name's replacement
		if name, ok := f.name(r); ok && name.Index >= 0 && int(name.Index) < len(f.Names) {
			n += int64(len(f.Names[name.Index].Text))
		}
		r = f.OuterOf(r)
	}
	return n
}
