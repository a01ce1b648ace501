package property_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

var names = []string{"None", "Core", "Class", "ArrayProperty", "ByteProperty", "StructProperty", "My", "Bytes", "Box", "Plane", "Object", "IntProperty", "Vector", "Deep"}

const (
	nNone = iota
	nCore
	nClass
	nArray
	nByte
	nStruct
	nMy
	nBytes
	nBox
	nPlane
	nObject
	nInt
	nVector
	nDeep
)

// made is a package of class My, which declares an array of bytes, and an object of
// it. data is that object's.
func made(version int, data []byte) (*unreal.PackageFacts, func(int) ([]byte, error)) {
	f := &unreal.PackageFacts{Engine: "UE1", Version: version}
	for _, n := range names {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	object := func(n int32) unreal.ObjectName { return unreal.ObjectName{Index: n} }
	for _, class := range []int32{nArray, nByte} {
		f.Imports = append(f.Imports, unreal.PackageImport{ClassPackage: object(nCore), Class: object(nClass), Name: object(class)})
	}
	f.Exports = []unreal.PackageExport{
		{Name: object(nMy), Size: 1},
		{Class: 1, Name: object(nObject), Size: int64(len(data))},
		{Class: -1, Outer: 1, Name: object(nBytes), Size: 1},
		{Class: -2, Outer: 3, Name: object(nBytes), Size: 1},
	}
	array, inner := field(version, 4), field(version, 0)
	class := classOf(version, 3)
	return f, func(i int) ([]byte, error) { return [][]byte{class, data, array, inner}[i], nil }
}

// w writes numbers as a version stores them.
type w struct {
	b       []byte
	version int
}

func (w *w) index(v int) *w {
	if w.version >= 178 {
		return w.i32(v)
	}
	w.b = append(w.b, byte(v))
	return w
}
func (w *w) name(v int) *w {
	w.index(v)
	if w.version >= 343 {
		w.i32(0)
	}
	return w
}
func (w *w) i32(v ...int) *w {
	for _, v := range v {
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(v))
	}
	return w
}
func (w *w) raw(b ...byte) *w { w.b = append(w.b, b...); return w }

// field declares a property; inner is the one by which an array declares its
// elements, 0 for a byte.
func field(version, inner int) []byte {
	w := &w{version: version}
	if version >= 322 {
		w.i32(0)
	}
	w.name(nNone)
	if version < 756 {
		w.index(0)
	}
	w.index(0).i32(1).i32(0)
	if version >= 220 {
		w.i32(0)
	}
	w.name(nNone)
	if version > 400 {
		w.index(0)
	}
	return w.index(inner).b
}

// classOf makes a class without a script or defaults, with fields from a reference
// on: of UE1 and of UE3's last version.
func classOf(version, children int) []byte {
	w := &w{version: version}
	if version >= 322 {
		w.i32(0)
	}
	w.index(0).index(0).index(0).index(children)
	if version < 160 {
		w.name(nMy)
	} else {
		w.index(0)
	}
	w.i32(0, 0, 0)
	if version >= 639 {
		return w.i32(0).i32(0).raw(0xFF, 0xFF).i32(0, 0).i32(0, 0).name(nNone).i32(0, 0, 0, 0, 0, 0, 0, 0, 0).name(nNone).i32(2).b
	}
	return w.i32(0, 0, 0, 0).raw(0xFF, 0xFF).i32(0).i32(0, 0, 0, 0, 0).index(0).index(0).index(0).name(nNone).name(nNone).b
}

// objects are objects of a made package: an array that the class declares, a struct
// without tags, one with.
func objects() map[int][]byte {
	ue1 := &w{version: 69}
	ue1.name(nBytes).raw(0x09|5<<4, 4, 3, 7, 8, 9).name(nBox).raw(0x0A|4<<4, nPlane).i32(0, 0, 0, 0).name(nNone)
	ue3 := &w{version: 868}
	ue3.i32(0).name(nBytes).name(nArray).i32(7, 0).i32(3).raw(7, 8, 9)
	ue3.name(nDeep).name(nStruct).i32(8+8+4+4+4+8, 0).name(nMy).name(nBox).name(nInt).i32(4, 0, -5).name(nNone)
	return map[int][]byte{69: ue1.b, 868: ue3.name(nNone).b}
}

func export(t testing.TB, version int, data []byte) *property.Export {
	t.Helper()
	f, read := made(version, data)
	d, err := property.NewClassicDecoder(f, read)
	if err != nil {
		t.Fatal(err)
	}
	var x property.Export
	d.Export(&x, 1, data)
	return &x
}

func TestObjects(t *testing.T) {
	for version, want := range map[int]string{
		69:  "Bytes Array<Byte> 3; Box Struct<Plane> 4",
		868: "Bytes Array<Byte> 3; Deep Struct<My> 1",
	} {
		x := export(t, version, objects()[version])
		if x.Status != property.Exact || x.Coverage.Opaque > 0 || x.Coverage.Guessed > 0 {
			t.Errorf("%d: %v, %+v, %v", version, x.Status, x.Coverage, x.Why)
		}
		var got []string
		for i, n := range x.List.Children(-1) {
			got = append(got, fmt.Sprintf("%s %s %d", n.Name, n.Type, x.List.Count(i)))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%d: %s, want %s", version, text, want)
		}
	}
}

// TestElements: what an array of a class of another package holds is guessed.
func TestElements(t *testing.T) {
	data := objects()[868]
	f, read := made(868, data)
	f.Imports = append(f.Imports, unreal.PackageImport{ClassPackage: unreal.ObjectName{Index: nCore}, Class: unreal.ObjectName{Index: nClass}, Name: unreal.ObjectName{Index: nMy}})
	f.Exports[1].Class = -3
	d, err := property.NewClassicDecoder(f, read)
	if err != nil {
		t.Fatal(err)
	}
	var x property.Export
	d.Export(&x, 1, data)
	if x.Coverage.Guessed != 1 || x.Coverage.Values != 3 {
		t.Errorf("%d guessed, want 1; %d values", x.Coverage.Guessed, x.Coverage.Values)
	}
}

// TestDamage: what is wrong is opaque, or lost, and nothing else is.
func TestDamage(t *testing.T) {
	whole := objects()[868]
	at := 4 + 16 // size of the array
	for _, c := range []struct {
		name   string
		data   []byte
		status property.Status
		opaque int64
	}{
		{"whole", whole, property.Exact, 0},
		{"count beyond the value", replaced(whole, at+8, 100), property.Exact, 1},
		{"count of 2^31", replaced(whole, at+8, 1<<31-1), property.Exact, 1},
		{"negative count", replaced(whole, at+8, 1<<32-1), property.Exact, 1},
		{"fewer elements than bytes", replaced(whole, at+8, 1), property.Exact, 1},
		{"size beyond the end", replaced(whole, at, 1<<30), property.Lost, 0},
		{"negative size", replaced(whole, at, 1<<32-1), property.Lost, 0},
		{"name outside", replaced(whole, 4, 1000), property.Lost, 0},
		{"truncated", whole[:len(whole)-4], property.Lost, 0},
		{"longer", append(slices.Clone(whole), 1, 2, 3), property.Tailed, 0},
		{"empty", nil, property.Lost, 0},
	} {
		x := export(t, 868, c.data)
		if x.Status != c.status || x.Coverage.Opaque != c.opaque || (x.Status == property.Lost) != (x.Why != nil) {
			t.Errorf("%s: %v, %d opaque, %v", c.name, x.Status, x.Coverage.Opaque, x.Why)
		}
		if x.Status == property.Lost && len(x.List.Nodes) > 0 {
			t.Errorf("%s: values of a lost list", c.name)
		}
	}
}

func replaced(b []byte, at int, v uint32) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// TestNesting: structs in structs end at a depth, and cost little.
func TestNesting(t *testing.T) {
	w := &w{version: 868}
	w.i32(0)
	const deep = 10_000
	for i := range deep { // each holds the tags within it, and the names that end them
		w.name(nDeep).name(nStruct).i32((deep-i-1)*32+(deep-i)*8, 0).name(nMy)
	}
	for range deep + 1 {
		w.name(nNone)
	}
	if x := export(t, 868, w.b); x.Coverage.Opaque == 0 && x.Status != property.Lost {
		t.Errorf("%v, %+v", x.Status, x.Coverage)
	}
}

// TestMutations: damaged objects and declarations never panic, and cost little.
func TestMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	n := testkit.Of(400, 10_000)
	var before, after runtime.MemStats
	for version, seed := range objects() {
		for i := range n / 2 {
			f, read := made(version, seed)
			damaged := func(export int) ([]byte, error) {
				b, _ := read(export)
				b = slices.Clone(b)
				for range rnd.IntN(4) {
					b[rnd.IntN(len(b))] = byte(rnd.Uint32())
				}
				return b, nil
			}
			runtime.ReadMemStats(&before)
			d, err := property.NewClassicDecoder(f, damaged)
			if err != nil {
				t.Fatal(err)
			}
			for k := range f.Exports {
				var x property.Export
				b, _ := damaged(k)
				d.Export(&x, k, b)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Fatalf("%d, mutation %d took %d bytes", version, i, used)
			}
		}
	}
}

func FuzzExport(f *testing.F) {
	for version, b := range objects() {
		f.Add(b, uint16(version))
	}
	f.Fuzz(func(t *testing.T, b []byte, version uint16) {
		pkg, read := made(int(version), b)
		d, err := property.NewClassicDecoder(pkg, read)
		if err != nil {
			t.Fatal(err)
		}
		var x property.Export
		d.Export(&x, 1, b)
		for i, n := range x.List.Nodes {
			if int(n.Next) <= i || int(n.Next) > len(x.List.Nodes) || n.Size < 0 || int(n.Offset)+int(n.Size) > len(b) {
				t.Fatalf("node %d: %+v", i, n)
			}
		}
	})
}

// TestCorpus keeps the committed corpus equal to what is made here.
func TestCorpus(t *testing.T) {
	for version, b := range objects() {
		codecstest.Corpus(t, *update, "FuzzExport", fmt.Sprintf("made-%d", version), fmt.Sprintf("[]byte(%q)", b), fmt.Sprintf("uint16(%d)", version))
	}
}

// BenchmarkExport reads an object of many values.
func BenchmarkExport(b *testing.B) {
	w := &w{version: 868}
	w.i32(0)
	for range 1000 {
		w.name(nDeep).name(nStruct).i32(8+8+4+4+4+8, 0).name(nMy).name(nBox).name(nInt).i32(4, 0, -5).name(nNone)
	}
	data := w.name(nNone).b
	f, read := made(868, data)
	d, err := property.NewClassicDecoder(f, read)
	if err != nil {
		b.Fatal(err)
	}
	var x property.Export
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		d.Export(&x, 1, data)
		if x.Status != property.Exact {
			b.Fatal(x.Why)
		}
	}
}
