package script_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
)

// written is a package whose class My extends Actor, with a function Fn that is to be
// written as people do.
type written struct {
	*unreal.PackageFacts
	version int
	bytes   map[int][]byte
}

func newWritten(version int) *written {
	w := &written{PackageFacts: classicFacts(version), version: version, bytes: map[int][]byte{}}
	w.Exports[0].Super = classicRActor
	w.property(2, 1)
	return w
}

// property makes an export an array of so many ints.
func (w *written) property(export, count int) { w.next(export, count, 0) }

// next is property, of which another field is the next one.
func (w *written) next(export, count, next int) {
	c := classicCode{version: w.version}
	if c.at(322) {
		c.i32(0)
	}
	c.name(classicNNone).index(0).index(next).u16(count).u16(0)
	if c.at(220) {
		c.i32(0)
	}
	c.i32(0).name(classicNNone)
	if c.at(401) {
		c.index(0)
	}
	w.bytes[export] = c.b.Bytes()
}

func (w *written) named(name string) unreal.ObjectName {
	w.Names = append(w.Names, unreal.PackageName{Text: name})
	return unreal.ObjectName{Index: int32(len(w.Names) - 1)}
}

// imported adds an object of class Actor.
func (w *written) imported(class, name string) int {
	w.Imports = append(w.Imports, unreal.PackageImport{ClassPackage: w.named("Core"), Class: w.named(class), Outer: classicRActor, Name: w.named(name)})
	return -len(w.Imports)
}

// function adds a function of class My.
func (w *written) function(name string, write func(c *classicCode)) {
	w.bytes[len(w.Exports)] = classicMade(w.version, write)
	w.Exports = append(w.Exports, unreal.PackageExport{Class: rFunction, Outer: rMy, Name: w.named(name), Size: 1})
}

// text returns the code of the package.
func (w *written) text(t *testing.T) string {
	t.Helper()
	b, err := script.AppendClassic(nil, w.PackageFacts, func(i int) ([]byte, error) { return w.bytes[i], nil }, func(int, map[string]bool) []byte { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWrittenForms has each way in which people write what tokens say.
func TestWrittenForms(t *testing.T) {
	end := func(c *classicCode) { c.op(0x04, 0x0B) }
	for _, c := range []struct {
		name  string
		write func(w *written, c *classicCode)
		want  string
	}{
		{"function of the class", func(w *written, c *classicCode) { c.op(0x1C).ref(classicRFn).op(0x16) }, "Fn();"},
		{"inherited final function", func(w *written, c *classicCode) { c.op(0x1C).ref(rTouch).op(0x16) }, "Touch();"},
		{"overridden function", func(w *written, c *classicCode) {
			w.function("Touch", end)
			c.op(0x1C).ref(rTouch).op(0x16)
		}, "Super.Touch();"},
		{"function of a class", func(w *written, c *classicCode) {
			c.op(0x12, 0x20).ref(classicRActor).u16(0).op(0).op(0x1C).ref(rTouch).op(0x16)
		}, "class'Engine.Actor'.static.Touch();"},
		{"default of a class", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(0x12, 0x20).ref(classicRActor).u16(0).op(0).op(0x02).ref(rA)
		}, "A = class'Engine.Actor'.default.A;"},
		{"call on a variable", func(w *written, c *classicCode) {
			c.op(0x19).local().u16(0).op(0).op(0x1B).name(nTouch).op(0x16)
		}, "A.Touch();"},
		{"final call on a variable", func(w *written, c *classicCode) {
			w.function("Touch", end)
			c.op(0x19).local().u16(0).op(0).op(0x1C).ref(rTouch).op(0x16)
		}, "A.Touch();"},
		{"global", func(w *written, c *classicCode) { c.op(0x38).name(nTouch).op(0x16) }, "global.Touch();"},
		{"word of another class", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(0x1C).ref(w.imported("Function", "Dot_VectorVector")).local().local().op(0x16)
		}, "A = A dot A;"},
		{"sign of another class", func(w *written, c *classicCode) {
			c.op(0x1C).ref(w.imported("Function", "AddEqual_IntInt")).local().op(0x26, 0x16)
		}, "A += 1;"},
		{"prefix of another class", func(w *written, c *classicCode) {
			c.op(0x1C).ref(w.imported("Function", "SubtractSubtract_PreInt")).local().op(0x16)
		}, "--A;"},
		{"before", func(w *written, c *classicCode) { c.op(163).local().op(0x16) }, "++A;"},
		{"after", func(w *written, c *classicCode) { c.op(165).local().op(0x16) }, "A++;"},
		{"minus minus one", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(143, 143).local().op(0x16, 0x16)
		}, "A = -(-A);"},
		{"looser left", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(144, 146).local().op(0x26, 0x16).local().op(0x16)
		}, "A = (A + 1) * A;"},
		{"tighter right", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(146).local().op(144).local().local().op(0x16, 0x16)
		}, "A = A + A * A;"},
		{"same on the right", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(147).local().op(147).local().local().op(0x16, 0x16)
		}, "A = A - (A - A);"},
		{"not", func(w *written, c *classicCode) {
			c.op(0x0F).local().op(129, 130).local().op(0x18).u16(0).local().op(0x16, 0x16)
		}, "A = !(A && A);"},
		{"native without Engine", func(w *written, c *classicCode) {
			c.op(0x19).local().u16(0).op(0).op(0x62, 0).op(0x1E).f32(0.3).op(0x16)
		}, "A.MakeNoise(0.3);"},
		{"native of the package", func(w *written, c *classicCode) {
			w.function("Quiet", end)
			last := len(w.Exports) - 1 // its number stands before precedence and flags
			b := w.bytes[last]
			b[len(b)-7], b[len(b)-6] = 0, 2
			c.op(0x62, 0).op(0x1E).f32(0.3).op(0x16)
		}, "Quiet(0.3);"},
		{"native that nobody names", func(w *written, c *classicCode) { c.op(0x6E, 1).op(0x16) }, "native#3585();"},
		{"enum of a parameter", func(w *written, c *classicCode) { c.op(0x6F, 0x82, 0x24, 2, 0x16) }, "SetPhysics(PHYS_Falling);"},
		{"enum of a variable", func(w *written, c *classicCode) {
			c.op(0x0F).op(0x01).ref(w.imported("ByteProperty", "Physics")).op(0x24, 5)
		}, "Physics = PHYS_Rotating;"},
		{"number beyond an enum", func(w *written, c *classicCode) {
			c.op(0x0F).op(0x01).ref(w.imported("ByteProperty", "Physics")).op(0x24, 200)
		}, "Physics = 200;"},
		{"arguments left out", func(w *written, c *classicCode) {
			c.op(0x1B).name(nTouch).op(0x0B).local().op(0x0B, 0x0B, 0x16)
		}, "Touch(, A);"},
		{"element 0", func(w *written, c *classicCode) {
			w.property(2, 4)
			c.op(0x0F).local().op(0x1A, 0x2C, 3).local()
		}, "A[0] = A[3];"},
		{"element 0 of another class", func(w *written, c *classicCode) {
			ammo := w.imported("IntProperty", "Ammo")
			c.op(0x0F).local().op(0x1A, 0x2C, 3, 0x01).ref(ammo).op(0x0F, 0x01).ref(ammo).op(0x26)
		}, "A = Ammo[3];\n  Ammo[0] = 1;"},
		{"for each, left at once", func(w *written, c *classicCode) {
			each(c, func() { c.op(163).local().op(0x16).op(0x30) }, true)
		}, "foreach Touch(A) {\n    ++A;\n    break;\n  }\n  A = 1;"},
		{"for each with a return", func(w *written, c *classicCode) {
			each(c, func() { c.op(0x30).op(0x04, 0x27) }, false)
		}, "foreach Touch(A) {\n    return true;\n  }\n  A = 1;"},
		{"for before a return", func(w *written, c *classicCode) {
			// if (A) { for (A = 0; A < 9; A++) { stop }; return }; A = 1
			outer := hole(c, func() { c.local() })
			c.op(0x0F).local().op(0x25)
			from := c.memory()
			inner := hole(c, func() { c.op(150).local().op(0x2C, 9, 0x16) })
			c.op(163).local().op(0x16)
			c.op(165).local().op(0x16)
			c.op(0x06).u16(from)
			inner()
			c.op(0x04, 0x0B)
			outer()
			c.op(0x0F).local().op(0x26)
		}, "if (A) {\n    for (A = 0; A < 9; A++) {\n      ++A;\n    }\n    return;\n  }\n  A = 1;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWritten(ue1)
			w.bytes[1] = classicMade(ue1, func(code *classicCode) {
				c.write(w, code)
				code.op(0x04, 0x0B)
			})
			got := w.text(t)
			if !strings.HasPrefix(got, "class My extends Actor;\n\n") || !strings.Contains(got, "function Fn() {\n  "+c.want+"\n}\n") {
				t.Errorf("got\n%s\nwant in it\n  %s", got, c.want)
			}
		})
	}
}

// TestDeclarations: variables and functions that others may not use, functions without a
// body, and what a state ignores.
func TestDeclarations(t *testing.T) {
	w := newWritten(ue1)
	w.bytes[1] = classicMade(ue1, func(c *classicCode) { c.op(0x04, 0x0B) })
	w.bytes[0], w.Exports[0].Size = class(ue1, 4), 1
	for _, v := range []struct {
		name  string
		flags uint64
		next  int
	}{{"Open", 0x4, 5}, {"Kin", 0x804, 6}, {"Own", 0x80, 0}} {
		w.next(len(w.Exports), 1, v.next)
		w.Exports = append(w.Exports, unreal.PackageExport{Class: rIntClass, Outer: rMy, Name: w.named(v.name), Flags: v.flags, Size: 1})
	}
	code := classicMade(ue1, func(c *classicCode) { c.op(0x08) })
	code = code[:len(code)-7] // what a function has after its script
	code = binary.LittleEndian.AppendUint64(code, 0)
	code = binary.LittleEndian.AppendUint64(code, ^uint64(1<<13|1<<15|1<<40))
	code = binary.LittleEndian.AppendUint32(append(code, 0xFF, 0xFF), 2)
	w.bytes[len(w.Exports)] = code
	w.Exports = append(w.Exports, unreal.PackageExport{Class: unreal.ObjectRef(w.imported("Class", "State")), Outer: rMy, Name: w.named("Idle"), Size: 1})
	got := w.text(t)
	for _, want := range []string{
		"\nvar int Open;\nvar protected int Kin;\nvar private int Own;\n", "\nfunction Fn();\n", "\nauto state Idle {\n  ignores Touch, Bump, probe#40;\n}\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// hole writes a condition whose jump leads to where the function that is returned is called.
func hole(c *classicCode, cond func()) func() {
	at := c.b.Len() + 1
	c.op(0x07).u16(0)
	cond()
	return func() {
		to := c.memory()
		c.b.Bytes()[at], c.b.Bytes()[at+1] = byte(to), byte(to>>8)
	}
}

// each writes a loop over what Touch lists, whose body does not come back.
func each(c *classicCode, body func(), leaves bool) {
	at := 0
	c.op(0x2F).op(0x1B).name(nTouch).local().op(0x16)
	at = c.b.Len()
	c.u16(0)
	body()
	skip := 0
	if leaves {
		c.op(0x06)
		skip = c.b.Len()
		c.u16(0)
	}
	to := c.memory()
	c.op(0x30)
	c.b.Bytes()[at], c.b.Bytes()[at+1] = byte(to), byte(to>>8)
	if leaves {
		to = c.memory()
		c.b.Bytes()[skip], c.b.Bytes()[skip+1] = byte(to), byte(to>>8)
	}
	c.op(0x0F).local().op(0x26)
}

// TestWrittenDamage: what is damaged is opaque with its offset, and all else is shown.
func TestWrittenDamage(t *testing.T) {
	w := newWritten(ue1)
	w.bytes[1] = classicMade(ue1, func(c *classicCode) { c.op(0x5F, 0x04, 0x0B) })
	w.function("Whole", func(c *classicCode) { c.op(163).local().op(0x16, 0x04, 0x0B) })
	w.function("Endless", func(c *classicCode) { c.op(0x06).u16(0) })
	got := w.text(t)
	for _, want := range []string{"function Fn() {\n  // opaque: token 5f at ", "function Whole() {\n  ++A;\n}\n", "function Endless() {\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// class returns the bytes of a class whose first field is an export, counted from 1.
func class(version, first int) []byte {
	c := classicCode{version: version}
	c.index(0).index(0).index(0).index(first).name(classicNMy) // super, next, source, children
	c.i32(1).i32(2).i32(0)
	c.put(uint64(0)).put(^uint64(0)).u16(0xFFFF).i32(0)
	c.i32(0).put([16]byte{}).index(0).index(0).index(0).name(classicNNone) // flags, GUID, classes, packages, within, settings
	return c.name(classicNNone).b.Bytes()
}
