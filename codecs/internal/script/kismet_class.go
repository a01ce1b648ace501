package script

import (
	"encoding/binary"
	"strings"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// kismetClass is a class of blueprints.
type kismetClass struct {
	export     int
	fields     []kismetField
	interfaces []string
	err        error // why these are not known
}

// KismetValues are what the values of a package say, which are not read here.
type KismetValues struct {
	// ListEnd returns where the list of properties of an export ends in its bytes. It fails
	// for a list that is not understood.
	ListEnd func(export int, data []byte) (int64, error)
	// Of returns the values of an export, in order. It fails as ListEnd.
	Of func(export int) ([]KismetValue, error)
}

// KismetValue is a value, and the name of the variable that has it.
type KismetValue struct{ Name, Text string }

// kismetClasses reads the classes of a package.
func kismetClasses(f *unreal.PackageFacts, data func(export int) ([]byte, error), values KismetValues) (map[unreal.ObjectRef]*kismetClass, error) {
	classes := map[unreal.ObjectRef]*kismetClass{}
	names := NewNames(f)
	for i := range f.Exports {
		if !strings.HasSuffix(f.ClassOf(i), "GeneratedClass") {
			continue
		}
		b, err := data(i)
		if err != nil {
			return nil, err
		}
		c := &kismetClass{export: i}
		classes[unreal.ObjectRef(i+1)] = c
		var end int64
		if end, c.err = values.ListEnd(i, b); c.err != nil {
			continue
		}
		for _, lay := range kismetLayouts(f) {
			if c.read(names, &lay, b, int(end)); c.err == nil {
				break
			}
		}
	}
	return classes, nil
}

// read reads what a class has after its list of properties.
func (c *kismetClass) read(names *Names, lay *kismetLayout, data []byte, at int) {
	*c = kismetClass{export: c.export}
	r := header{kismetOperands: &kismetOperands{lay: lay, tokens: tokens{in: bin.NewReader(data, 0, binary.LittleEndian), names: names, fn: &Function{}}}}
	r.in.Seek(at)
	_, disk := r.structure(names.Facts.Exports[c.export].Flags)
	r.in.Skip(disk)
	for range r.in.Count(12) {
		r.fieldName()
		r.in.Skip(4) // its function
	}
	r.in.Skip(4 + 4) // flags, what it lies within
	r.fieldName()    // of its settings
	r.in.Skip(4)     // what it was made from
	for range r.in.Count(12) {
		c.interfaces = append(c.interfaces, r.fieldRef())
		r.in.Skip(8)
	}
	c.fields = r.fields
	if c.err = r.failed(); c.err != nil {
		c.fields, c.interfaces = nil, nil
	}
}

// defaultOf returns the default object of a class, -1 for none.
func (c *kismetClass) defaultOf(f *unreal.PackageFacts) int {
	for i := range f.Exports {
		if x := &f.Exports[i]; x.Flags&classDefault != 0 && x.Class == unreal.ObjectRef(c.export+1) {
			return i
		}
	}
	return -1
}

// interfaces returns the interfaces that variables are of.
func interfaces(lists ...[]kismetField) map[variable]string {
	found := map[variable]string{}
	for _, list := range lists {
		for _, f := range list {
			if f.iface {
				found[f.variable] = f.typ
			}
		}
	}
	return found
}
