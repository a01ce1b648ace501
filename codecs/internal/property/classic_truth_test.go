package property_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/script/scripttest"
	"pakdb/codecs/unreal"
)

// classicTruth is what an independent reader says of the exports of a package: name, type,
// place in an array of fixed size, value.
type classicTruth struct {
	Exports []struct {
		Export int
		Name   string
		Props  [][4]any
	}
}

func sample(t testing.TB, name string) *scripttest.Package {
	t.Helper()
	return scripttest.File(t, codecstest.Sample(t, "unreal-package", name))
}

func decoder(t testing.TB, p *scripttest.Package) *property.ClassicDecoder {
	t.Helper()
	d, err := property.NewClassicDecoder(p.Facts(), p.Data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// missed are values that the truth lacks, because it had to search for the start of
// the list in UE1: the place after the script is exact.
var missed = map[string]int{"TestUC1": 1}

func TestTruth(t *testing.T) {
	for _, name := range []string{"TestUC1", "TestUC2", "TestUC3"} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "truth", "uelib", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var want classicTruth
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			p := sample(t, name+".u")
			d := decoder(t, p)
			for _, w := range want.Exports {
				var x property.Export
				i := exportNamed(t, p, w.Name)
				data, err := p.Data(i)
				if err != nil {
					t.Fatal(err)
				}
				d.Export(&x, i, data)
				if x.Status != property.Exact || x.Coverage.Opaque > 0 {
					t.Errorf("%s: %v, %d opaque, %v", w.Name, x.Status, x.Coverage.Opaque, x.Why)
				}
				compare(t, p, &x.List, w.Props, missed[name])
			}
		})
	}
}

func exportNamed(t *testing.T, p *scripttest.Package, name string) int {
	for i := range p.Exports {
		if p.NameOf(p.Exports[i].Name) == name && !strings.HasSuffix(p.ClassOf(i), "Property") {
			return i
		}
	}
	t.Fatalf("no export %s", name)
	return -1
}

func compare(t *testing.T, p *scripttest.Package, l *property.List, want [][4]any, missed int) {
	t.Helper()
	k := 0
	for i, n := range l.Children(-1) {
		if missed > 0 {
			missed--
			continue
		}
		if k >= len(want) {
			t.Errorf("%s is not in the truth", n.Name)
			continue
		}
		w := want[k]
		k++
		got := classicRender(p, l, i)
		if array, ok := w[3].(map[string]any); ok && array["$array"] != nil {
			got = packed(l, i) // the truth knows no types of elements
			w[3] = array["bytes"]
		} else if ok && array["$raw"] != nil {
			continue // the truth has no types: see TestStructOfUE1
		}
		if n.Name != w[0] || int(n.Index) != int(w[2].(float64)) || !reflect.DeepEqual(got, w[3]) {
			t.Errorf("%s[%d] = %v, want %v", n.Name, n.Index, got, w)
		}
	}
	if k != len(want) {
		t.Errorf("%d values, want %d", k, len(want))
	}
}

// packed returns the bytes of the elements of an array, as digits.
func packed(l *property.List, i int) any {
	var b []byte
	for _, n := range l.Children(i) {
		b = append(b, byte(n.Bits))
	}
	return hex.EncodeToString(b)
}

// classicPlain are structs that the truth writes as arrays of numbers.
var classicPlain = map[string]bool{"Vector": true, "Rotator": true, "Color": true, "Guid": true, "LinearColor": true, "Vector2D": true, "Vector4": true}

// classicRender returns a value as the truth has it.
func classicRender(p *scripttest.Package, l *property.List, i int) any {
	n := &l.Nodes[i]
	switch n.Kind {
	case property.Bool:
		return n.Bits != 0
	case property.Byte:
		if n.Text != "" {
			return n.Text
		}
		return float64(n.Bits)
	case property.Int:
		return float64(n.Int())
	case property.Float:
		return n.Float()
	case property.Name, property.Str:
		return n.Text
	case property.Object, property.Class:
		return p.ObjectOf(unreal.ObjectRef(n.Int()))
	case property.Delegate:
		var object any
		if n.Bits != 0 {
			object = p.ObjectOf(unreal.ObjectRef(n.Int()))
		}
		return []any{object, n.Text}
	case property.Array:
		list := []any{}
		for k := range l.Children(i) {
			list = append(list, classicRender(p, l, k))
		}
		return list
	case property.Struct:
		if classicPlain[n.Type.Name] || n.Flags&property.Binary != 0 {
			return leaves(p, l, i)
		}
		fields := map[string]any{}
		for k, f := range l.Children(i) {
			name := f.Name
			if f.Index > 0 {
				name = fmt.Sprintf("%s[%d]", name, f.Index)
			}
			fields[name] = classicRender(p, l, k)
		}
		return fields
	}
	return fmt.Sprintf("%s: %s", n.Kind, n.Text)
}

// leaves returns the numbers of a struct of numbers, however deep.
func leaves(p *scripttest.Package, l *property.List, i int) any {
	list := []any{}
	for k, f := range l.Children(i) {
		if f.Kind == property.Struct {
			list = append(list, leaves(p, l, k).([]any)...)
		} else {
			list = append(list, classicRender(p, l, k))
		}
	}
	return list
}
