package script

import (
	"pakdb/codecs/unreal"
)

// ClassicObject is a function, state, class or struct of a package of UE1 to UE3.
type ClassicObject struct {
	Function

	Super, Next, Children unreal.ObjectRef // Children: the first field; Next: the next one of the same owner
	Friendly              string           // of a function: its name in the language; the sign of an operator
	Native                int              // number by which code calls the function; 0: by name
	Precedence            int              // of an operator
	Net                   int              // of a function that is called over the network: where the condition of that is
	Line                  int              // in the source
	Ignored               uint64           // of a state: the probes that it ignores have no bit
	ClassFlags            uint32           // as stored; 0 for what is no class
	Within                unreal.ObjectRef // of a class: the class of what it lies in
	Config                string           // of a class: the file that its settings are in
	Default               unreal.ObjectRef // of a class from 219 on: its default object
	Defaults              int              // of a class below 219: where its default values begin in the export

	name   string
	arrays []unreal.ObjectRef // variables of fixed size of which the code names elements
}

// IsClassic reports whether an export of a package of UE1 to UE3 is a function,
// state, class or struct.
func IsClassic(f *unreal.PackageFacts, export int) bool {
	switch f.ClassOf(export) {
	case "Function", "State", "Class", "Struct", "ScriptStruct":
		return true
	}
	return false
}

// Classic returns the functions, states, classes and structs of a package of
// UE1 to UE3, in the order of its exports. data returns the bytes of an export; it
// may be called more than once for each. What could not be disassembled to its
// exact sizes has Err set: that is no failure of the package. The error is that of
// data.
func Classic(f *unreal.PackageFacts, data func(export int) ([]byte, error)) ([]ClassicObject, error) {
	return bestLayout(classicLayouts(f.Version), func(lay classicLayout) ([]ClassicObject, int, error) { return classicAttempt(f, lay, data) })
}

// bestLayout returns what the layout makes that fits most: attempt returns how much it fits.
// The error is that of attempt.
func bestLayout[L, T any](layouts []L, attempt func(L) (list []T, exact int, err error)) (best []T, err error) {
	most := -1
	for _, lay := range layouts {
		list, exact, err := attempt(lay)
		if err != nil {
			return nil, err
		}
		if exact > most {
			best, most = list, exact
		}
		if exact == len(list) {
			break
		}
	}
	return best, nil
}

// classicAttempt disassembles everything by one layout, and counts what it fits.
func classicAttempt(f *unreal.PackageFacts, lay classicLayout, data func(int) ([]byte, error)) (list []ClassicObject, exact int, err error) {
	names := NewNames(f)
	for i := range f.Exports {
		if !IsClassic(f, i) {
			continue
		}
		if f.Exports[i].Size == 0 && f.ClassOf(i) == "Class" {
			continue // a class that exists in the program only
		}
		b, err := data(i)
		if err != nil {
			return nil, 0, err
		}
		list = append(list, ClassicObject{})
		o := &list[len(list)-1]
		o.disassemble(unreal.NewOldReader(f, b), names, lay, i)
		if o.Err == nil {
			exact++
		}
	}
	return list, exact, nil
}

// disassemble reads one export.
func (o *ClassicObject) disassemble(r *unreal.OldReader, names *Names, lay classicLayout, export int) {
	f := names.Facts
	o.Export, o.Path, o.Class = export, names.Own(export), f.ClassOf(export)
	o.name = f.NameOf(f.Exports[export].Name)
	memory, disk := o.read(r, lay)
	o.At, o.Memory = r.In.Pos(), memory
	if o.Err = r.In.Err(); o.Err != nil {
		return
	}
	d := newClassicDisassembler(r, names, &o.Function, nil)
	d.code = NewCode(min(memory, r.In.Len()))
	d.disassemble(memory)
	o.arrays = d.arrays
	o.Disk = r.In.Pos() - o.At
	if o.Err = d.sealed(memory, disk, true); o.Err == nil {
		o.Err = o.tail(r)
	}
	o.End = r.In.Pos()
	if o.Err != nil {
		o.Drop()
		o.Defaults = 0
		return
	}
	o.Statements = len(d.code.Statements)
	o.Normal = d.code.InOrder()
}
