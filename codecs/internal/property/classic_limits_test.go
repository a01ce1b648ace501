package property_test

import (
	"strings"
	"testing"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
)

// A fixed array of 65,535 structs without fields takes no bytes: a list of them is lost
// when it is more work than its bytes allow.
func TestEmptyStructs(t *testing.T) {
	const version, tags = 69, 200
	var data []byte
	for range tags {
		data = append(data, nDeep, 10, nBox, 0) // a struct of one byte, Box
	}
	f, bytes := made(version, append(data, nNone))
	object := func(n int32) unreal.ObjectName { return unreal.ObjectName{Index: n} }
	for _, class := range []int32{nStruct, nObject} { // imports -3 and -4
		f.Imports = append(f.Imports, unreal.PackageImport{ClassPackage: object(nCore), Class: object(nClass), Name: object(class)})
	}
	f.Names = append(f.Names, unreal.PackageName{Text: "Struct"})
	f.Imports[3].Name = object(int32(len(f.Names) - 1))
	f.Exports = append(f.Exports[:2],
		unreal.PackageExport{Class: -3, Outer: 1, Name: object(nDeep), Size: 1}, // My.Deep is a Box
		unreal.PackageExport{Class: -4, Name: object(nBox), Size: 1},
		unreal.PackageExport{Class: -3, Outer: 4, Name: object(nDeep), Size: 1}, // Box.Deep are 65,535 of export 6
		unreal.PackageExport{Class: -4, Name: object(nObject), Size: 1},
	)
	many := field(version, 6)
	many[3], many[4] = 0xFF, 0xFF // behind None, the super and the next field
	all := [][]byte{classOf(version, 3), nil, field(version, 4), structOf(5), many, structOf(0)}
	d, err := property.NewClassicDecoder(f, func(i int) ([]byte, error) {
		if i == 1 {
			return bytes(1)
		}
		return all[i], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var o property.Export
	d.Export(&o, 1, append(data, nNone))
	if o.Status != property.Lost || !strings.Contains(o.Why.Error(), "more values than") {
		t.Errorf("%s, %v, %d opaque", o.Status, o.Why, o.Coverage.Opaque)
	}
	d.Export(&o, 1, append(data[:4:4], nNone)) // one of them is opaque alone
	if o.Status != property.Exact || o.Coverage.Opaque != 1 {
		t.Errorf("one: %s, %v, %d opaque", o.Status, o.Why, o.Coverage.Opaque)
	}
}

// structOf makes a struct without a script whose first field is a reference.
func structOf(child int) []byte {
	w := &w{version: 69}
	return w.name(nNone).index(0).index(0).index(0).index(child).name(nNone).i32(0, 0, 0).b
}
