package script_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script"
	"pakdb/codecs/unreal"
	"pakdb/internal/testkit"
)

// Names of a made package, whose exports are class My, its function Fn, and its
// property A; Actor and its function Touch are imported.
const (
	classicNNone = iota
	nCore
	classicNPackage
	classicNClass
	classicNFunction
	classicNEngine
	classicNActor
	nTouch
	classicNMy
	classicNFn
	classicNA
	classicNB
	classicNInt
)

var classicNames = []string{"None", "Core", "Package", "Class", "Function", "Engine", "Actor", "Touch", "My", "Fn", "A", "B", "IntProperty"}

const (
	rFunction     = -1
	classicRActor = -3
	rTouch        = -4
	rIntClass     = -5
	rMy           = 1
	classicRFn    = 2
	rA            = 3
)

func classicFacts(version int) *unreal.PackageFacts {
	f := &unreal.PackageFacts{Engine: "UE1", Version: version}
	for _, n := range classicNames {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	object := func(n int32) unreal.ObjectName { return unreal.ObjectName{Index: n} }
	f.Imports = []unreal.PackageImport{
		{ClassPackage: object(nCore), Class: object(classicNClass), Name: object(classicNFunction)},
		{ClassPackage: object(nCore), Class: object(classicNPackage), Name: object(classicNEngine)},
		{ClassPackage: object(nCore), Class: object(classicNClass), Outer: -2, Name: object(classicNActor)},
		{ClassPackage: object(nCore), Class: object(classicNFunction), Outer: -3, Name: object(nTouch)},
		{ClassPackage: object(nCore), Class: object(classicNClass), Name: object(classicNInt)},
	}
	f.Exports = []unreal.PackageExport{
		{Name: object(classicNMy)},
		{Class: rFunction, Outer: rMy, Name: object(classicNFn), Size: 1},
		{Class: rIntClass, Outer: rMy, Name: object(classicNA), Size: 1},
	}
	return f
}

// classicCode is a script in the making, of a version of packages: bytes, and how much
// larger it is in memory.
type classicCode struct {
	b       bytes.Buffer
	extra   int
	version int
}

func (c *classicCode) op(tokens ...byte) *classicCode { c.b.Write(tokens); return c }
func (c *classicCode) u16(v int) *classicCode         { return c.put(uint16(v)) }
func (c *classicCode) i32(v int) *classicCode         { return c.put(int32(v)) }
func (c *classicCode) f32(v float32) *classicCode     { return c.put(v) }
func (c *classicCode) put(v any) *classicCode {
	if err := binary.Write(&c.b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return c
}

// index writes a small INDEX.
func (c *classicCode) index(v int) *classicCode {
	switch {
	case c.version >= 178:
		return c.i32(v)
	case v < 0:
		return c.op(byte(-v) | 0x80)
	}
	return c.op(byte(v))
}

func (c *classicCode) ref(v int) *classicCode {
	from := c.b.Len()
	c.index(v)
	size := 4
	if c.version >= 587 {
		size = 8
	}
	c.extra += size - (c.b.Len() - from)
	return c
}

func (c *classicCode) name(v int) *classicCode {
	from := c.b.Len()
	c.index(v)
	size := 4
	if c.version >= 343 {
		c.i32(0)
		size = 8
	}
	c.extra += size - (c.b.Len() - from)
	return c
}

func (c *classicCode) str(s string) *classicCode { c.op(0x1F); c.b.WriteString(s); return c.op(0) }
func (c *classicCode) local() *classicCode       { return c.op(0x00).ref(rA) }
func (c *classicCode) memory() int               { return c.b.Len() + c.extra }
func (c *classicCode) at(version int) bool {
	return c.version >= version
}

// export wraps a script as a function.
func (c *classicCode) export() []byte {
	h := classicCode{version: c.version}
	if h.at(322) {
		h.i32(0)
	}
	h.name(classicNNone).index(0).index(0).index(0).index(0) // properties, super, next, source, children
	switch {
	case h.at(178):
		h.index(0) // C++ text
	case h.at(120):
		h.name(classicNFn).i32(0) // flags of UE2.5
	default:
		h.name(classicNFn)
	}
	h.i32(1).i32(2).i32(c.memory())
	if h.at(639) {
		h.i32(c.b.Len())
	}
	h.b.Write(c.b.Bytes())
	h.u16(0).op(0).i32(0)
	if h.at(160) {
		h.name(classicNFn)
	}
	return h.b.Bytes()
}

func classicMade(version int, write func(c *classicCode)) []byte {
	c := &classicCode{version: version}
	write(c)
	return c.export()
}

// classicRun disassembles the one function of a made package.
func classicRun(t testing.TB, version int, data []byte) *script.ClassicObject {
	t.Helper()
	list, err := script.Classic(classicFacts(version), func(int) ([]byte, error) { return data, nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		if list[i].Class == "Function" {
			return &list[i]
		}
	}
	t.Fatal("no function")
	return nil
}

// statement is a statement and its text, in the versions from..to.
type statement struct {
	text     string
	from, to int
	write    func(c *classicCode)
}

const (
	ue1 = 69
	ue2 = 128
	ue3 = 868
)

var statements = []statement{
	{"A = A", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().local() }},
	{"A = self", ue1, ue3, func(c *classicCode) { c.op(0x14).local().op(0x17) }},
	{"default.A = 0", ue1, ue3, func(c *classicCode) { c.op(0x0F, 0x02).ref(rA).op(0x25) }},
	{"A[1] = -5", ue1, ue3, func(c *classicCode) { c.op(0x0F, 0x10, 0x26).local().op(0x1D).i32(-5) }},
	{"A[1] = 200", ue1, ue3, func(c *classicCode) { c.op(0x0F, 0x1A, 0x26).local().op(0x24, 200) }},
	{"A = 0.5", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x1E).f32(0.5) }},
	{`A = "é\"x"`, ue1, ue3, func(c *classicCode) { c.op(0x0F).local().str("\xe9\"x") }},
	{`A = "é"`, ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x34).u16(0xE9).u16(0) }},
	{"A = Engine.Actor", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x20).ref(classicRActor) }},
	{"A = none", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x20).ref(0) }},
	{"A = none", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x2A) }},
	{"A = 'B'", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x21).name(classicNB) }},
	{"A = rot(1, 2, 3)", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x22).i32(1).i32(2).i32(3) }},
	{"A = vect(1.0, 2.0, 3.0)", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x23).f32(1).f32(2).f32(3) }},
	{"A = range(1.0, 2.0)", ue2, ue2, func(c *classicCode) { c.op(0x0F).local().op(0x35).f32(1).f32(2) }},
	{"A = true", ue1, ue3, func(c *classicCode) { c.op(0x14, 0x2D).local().op(0x27) }},
	{"A = class<Actor>(A)", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x13).ref(classicRActor).local() }},
	{"A = Actor(A)", ue1, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x2E).ref(classicRActor).local() }},
	{"A = float(A)", ue1, ue1, func(c *classicCode) { c.op(0x0F).local().op(0x3F).local() }},
	{"A = float(A)", ue2, ue2, func(c *classicCode) { c.op(0x0F).local().op(0x39, 0x3F).local() }},
	{"A = float(A)", ue3, ue3, func(c *classicCode) { c.op(0x0F).local().op(0x38, 0x3F).local() }},
	{"assert((A == A))", ue1, ue3, func(c *classicCode) {
		c.op(0x09).u16(7)
		if c.at(200) {
			c.op(0)
		}
		c.op(0x32).ref(classicRActor).local().local()
	}},
	{"A.Fn = (A != A)", ue2, ue2, func(c *classicCode) {
		c.op(0x0F, 0x36).ref(classicRFn).local().op(0x33).ref(classicRActor).local().local()
	}},
	{"Touch(A, 1)", ue1, ue3, func(c *classicCode) { c.op(0x1B).name(nTouch).local().op(0x26, 0x16) }},
	{"Actor.Touch()", ue1, ue3, func(c *classicCode) { c.op(0x1C).ref(rTouch).op(0x16) }},
	{"Fn()", ue1, ue3, func(c *classicCode) { c.op(0x1C).ref(classicRFn).op(0x16) }},
	{"native#278(A)", ue1, ue3, func(c *classicCode) { c.op(0x61, 22).local().op(0x16) }},
	{"native#130(A, A)", ue1, ue3, func(c *classicCode) { c.op(0x82).local().op(0x18).u16(0).local().op(0x16) }},
	{"A.Fn()", ue1, ue3, func(c *classicCode) { c.context(func() { c.op(0x1C).ref(classicRFn).op(0x16) }) }},
	{"new(A, A, A, A)", ue1, ue2, func(c *classicCode) { c.op(0x11).local().local().local().local() }},
	{"new(A, A, A, A, A)", ue3, ue3, func(c *classicCode) { c.op(0x11).local().local().local().local().local() }},
	{"A.Length = 0", ue2, ue2, func(c *classicCode) { c.op(0x0F, 0x37).local().op(0x25) }},
	{"A.Length = 0", ue3, ue3, func(c *classicCode) { c.op(0x0F, 0x36).local().op(0x25) }},
	{"global.Touch()", ue2, ue2, func(c *classicCode) { c.op(0x38).name(nTouch).op(0x16) }},
	{"A.Insert(0, 1)", ue2, ue2, func(c *classicCode) { c.op(0x40).local().op(0x25, 0x26) }},
	{"A.Remove(0, 1)", ue3, ue3, func(c *classicCode) { c.op(0x40).local().op(0x25, 0x26, 0x16) }},
	{"A.Add(1)", ue3, ue3, func(c *classicCode) { c.op(0x54).local().op(0x26, 0x16) }},
	{"A.AddItem(A)", ue3, ue3, func(c *classicCode) { c.op(0x55).local().u16(0).local().op(0x16) }},
	{"A.InsertItem(0, A)", ue3, ue3, func(c *classicCode) { c.op(0x57).local().u16(0).op(0x25).local().op(0x16) }},
	{"A.Find(A, 1)", ue3, ue3, func(c *classicCode) { c.op(0x47).local().u16(0).local().op(0x26, 0x16) }},
	{"A.Sort(A)", ue3, ue3, func(c *classicCode) { c.op(0x59).local().u16(0).local().op(0x16) }},
	{"A = (true ? 1 : 0)", ue2, ue2, func(c *classicCode) { c.op(0x0F).local().op(0x48, 0x27).u16(0).op(0x26).u16(0).op(0x25) }},
	{"B(1)", ue2, ue2, func(c *classicCode) { c.op(0x43).ref(rA).name(classicNB).op(0x26, 0x16) }},
	{"A = B", ue2, ue2, func(c *classicCode) { c.op(0x45).local().op(0x44).name(classicNB) }},
	{"A = delegate(B)", ue3, ue3, func(c *classicCode) { c.op(0x44).local().op(0x4B).name(classicNB) }},
	{"A = (A == none)", ue3, ue3, func(c *classicCode) { c.op(0x14).local().op(0x3B).local().op(0x3F, 0x16) }},
	{"Touch()", ue2, ue2, func(c *classicCode) { // debug information belongs to the call
		c.op(0x1B).name(nTouch).op(0x16, 0x42).i32(100).i32(1).i32(2).op(0)
	}},
	{"stop", ue1, ue3, func(c *classicCode) { c.op(0x0B, 0x08) }},
	{"goto label 'B'", ue1, ue3, func(c *classicCode) { c.op(0x0D, 0x21).name(classicNB) }},
	{"iterator pop", ue1, ue3, func(c *classicCode) { c.op(0x30) }},
	{"iterator next", ue1, ue3, func(c *classicCode) { c.op(0x31) }},
}

// context writes a member of A.
func (c *classicCode) context(member func()) *classicCode {
	c.op(0x19).local().u16(0)
	if c.at(588) {
		c.ref(0)
	}
	c.op(0)
	member()
	return c
}

func TestClassicStatements(t *testing.T) {
	tried := 0
	for _, version := range []int{ue1, ue2, ue3} {
		for _, s := range statements {
			if version < s.from || version > s.to {
				continue
			}
			tried++
			got := classicRun(t, version, classicMade(version, func(c *classicCode) { s.write(c); c.op(0x04, 0x0B) }))
			want := "  " + s.text + "\n"
			if got.Err != nil {
				t.Errorf("%d %s: %v", version, s.text, got.Err)
			} else if text := got.Normal.String(); text != want {
				t.Errorf("%d: got %q, want %q", version, text, want)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d tried", tried)
	}
}

// TestClassicFlow has jumps, switches, labels and iterators.
func TestClassicFlow(t *testing.T) {
	got := classicRun(t, ue1, classicMade(ue1, func(c *classicCode) {
		c.op(0x05, 4).local()                      // 0: switch
		c.op(0x0A).u16(16).op(0x26)                // 7: case 1, 11
		c.op(0x06).u16(19).op(0x08)                // 11: goto 19, 14: stop
		c.op(0x08)                                 // 15
		c.op(0x0A).u16(0xFFFF)                     // 16: default
		c.op(0x2F).local().u16(28).op(0x31)        // 19: iterator, 27
		c.op(0x30)                                 // 28
		c.op(0x07).u16(0).op(0x27)                 // 29
		c.op(0x0C).name(classicNB).i32(15)         // 33: labels
		c.name(classicNNone).i32(0).op(0x04, 0x26) //
	}))
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	want := []string{" Lfirst:", "  switch (A)", "  case 1: else Lcase", "  goto Literate", "  stop", " Lstop:", "  stop", " Lcase:", "  default:", " Literate:",
		"  foreach A until Lpop", "  iterator next", " Lpop:", "  iterator pop", "  if !(true) goto Lfirst", "  labels B=Lstop", "  return 1"}
	lines := got.Normal.Lines()
	if len(lines) != len(want) {
		t.Fatalf("%q", lines)
	}
	labels := map[string]string{} // of the wanted text, to those that content names
	for i := range want {
		if label, ok := strings.CutSuffix(want[i], ":"); ok && strings.HasPrefix(want[i], " L") {
			labels[strings.TrimSpace(label)] = strings.TrimSuffix(strings.TrimSpace(lines[i]), ":")
		}
	}
	for i, line := range want {
		for from, to := range labels {
			line = strings.ReplaceAll(line, from, to)
		}
		if lines[i] != line {
			t.Errorf("line %d: %q, want %q", i, lines[i], line)
		}
	}
}

// TestLabelsStay: a statement in front moves offsets, and no label far from it.
func TestLabelsStay(t *testing.T) {
	loop := func(before ...byte) string {
		return classicRun(t, ue1, classicMade(ue1, func(c *classicCode) {
			c.op(before...)
			from := c.memory()
			c.op(0x0F).local().op(0x26)
			c.op(0x07).u16(from).op(0x27).op(0x04, 0x0B)
		})).Normal.String()
	}
	if a, b := loop(), loop(0x08, 0x08, 0x08); "  stop\n  stop\n  stop\n"+a != b {
		t.Errorf("%q and %q", a, b)
	}
}

func TestNativesByName(t *testing.T) {
	data := classicMade(ue1, func(c *classicCode) { c.op(0x82).local().local().op(0x16).op(0x61, 22).op(0x16).op(0x04, 0x0B) })
	natives := script.Natives{130: "&&"}
	natives.Add(script.Natives{130: "never", 300: "Other"})
	got := classicRun(t, ue1, data)
	if text := string(got.Normal.AppendNamed(nil, natives.Name)); text != "  &&(A, A)\n  native#278()\n" {
		t.Errorf("%q", text)
	}
	want := []script.Call{{Kind: script.Native, Callee: "native#130"}, {Kind: script.Native, Callee: "native#278", Statement: 1}}
	if !slices.Equal(got.Calls, want) {
		t.Errorf("%v", got.Calls)
	}
}

// TestClassicOpaque: what is wrong is said with the place, and nothing else is made of it.
func TestClassicOpaque(t *testing.T) {
	for _, version := range []int{ue1, ue2, ue3} {
		whole := classicMade(version, func(c *classicCode) { c.op(0x0F).local().op(0x26, 0x04, 0x0B) })
		at := bytes.Index(whole, []byte{0x0F, 0x00}) - 4 // where the script's size stands: in memory, or on disk
		for _, c := range []struct {
			name string
			data []byte
			want string
		}{
			{"truncated", whole[:len(whole)-1], "unexpected end"},
			{"longer", append(slices.Clone(whole), 0), "bytes after the object"},
			{"other size", classicReplaced(whole, at, binary.LittleEndian.Uint32(whole[at:])+1), ""},
			{"huge size", classicReplaced(whole, at, 1<<31-1), "in "},
			{"negative size", classicReplaced(whole, at, 1<<32-1), "script of -1 bytes"},
			{"unknown token", classicMade(version, func(c *classicCode) { c.op(0x5F, 0x04, 0x0B) }), "token 5f"},
			{"nested 10,000 deep", classicMade(version, func(c *classicCode) {
				for range 10_000 {
					c.op(0x2D)
				}
				c.local().op(0x04, 0x0B)
			}), "nested too deeply"},
			{"name outside", classicMade(version, func(c *classicCode) { c.op(0x21).name(60).op(0x04, 0x0B) }), "name outside the table"},
			{"reference outside", classicMade(version, func(c *classicCode) { c.op(0x20).ref(60).op(0x04, 0x0B) }), "reference outside the tables"},
			{"jump outside", classicMade(version, func(c *classicCode) { c.op(0x06).u16(1000).op(0x04, 0x0B) }), "jump to offset 1000"},
			{"jump into a statement", classicMade(version, func(c *classicCode) { c.op(0x06).u16(1).op(0x04, 0x0B) }), "jump to offset 1 in"},
		} {
			got := classicRun(t, version, c.data)
			if got.Err == nil || !strings.Contains(got.Err.Error(), c.want) {
				t.Errorf("%d, %s: %v, want %q", version, c.name, got.Err, c.want)
			}
			if got.Normal != nil || got.Calls != nil {
				t.Errorf("%d, %s: something is left of it", version, c.name)
			}
		}
	}
}

func classicReplaced(b []byte, at int, v uint32) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// classicCorpus returns a function with every statement of each generation.
func classicCorpus() map[int][]byte {
	m := map[int][]byte{}
	for _, version := range []int{ue1, ue2, ue3} {
		m[version] = classicMade(version, func(c *classicCode) {
			for _, s := range statements {
				if version >= s.from && version <= s.to {
					s.write(c)
				}
			}
			c.op(0x07).u16(0).op(0x27, 0x04, 0x0B)
		})
	}
	return m
}

// TestClassicMutations: damaged functions are exact or opaque, and cost little.
func TestClassicMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	n := testkit.Of(1000, 10_000)
	var before, after runtime.MemStats
	for version, seed := range classicCorpus() {
		f := classicFacts(version)
		for i := range n / 3 {
			b := slices.Clone(seed)
			for range 1 + rnd.IntN(8) {
				b[rnd.IntN(len(b))] = byte(rnd.Uint32())
			}
			runtime.ReadMemStats(&before)
			list, err := script.Classic(f, func(int) ([]byte, error) { return b, nil })
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				if o.Err == nil {
					o.Normal.AppendText(nil)
				}
			}
			if text, err := script.AppendClassic(nil, f, func(int) ([]byte, error) { return b, nil }, func(int, map[string]bool) []byte { return nil }); err != nil || len(text) == 0 {
				t.Fatalf("%d, mutation %d: %q, %v", version, i, text, err)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
				t.Fatalf("%d, mutation %d took %d bytes", version, i, used)
			}
		}
	}
}

func FuzzClassicDisassemble(f *testing.F) {
	for version, b := range classicCorpus() {
		f.Add(b, uint16(version), "Function")
		f.Add(b, uint16(version), "Class")
	}
	f.Fuzz(func(t *testing.T, b []byte, version uint16, class string) {
		pkg := classicFacts(int(version))
		pkg.Names[classicNFunction].Text = class
		pkg.Exports[0].Size = 1
		list, err := script.Classic(pkg, func(int) ([]byte, error) { return b, nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			if (o.Err == nil) != (o.Normal != nil) {
				t.Fatalf("%v, and a form: %v", o.Err, o.Normal != nil)
			}
			if o.Err == nil && strings.Contains(o.Normal.String(), "\x00") {
				t.Fatal("a byte in the text that no token makes")
			}
		}
		if text, err := script.AppendClassic(nil, pkg, func(int) ([]byte, error) { return b, nil }, func(int, map[string]bool) []byte { return nil }); err != nil || len(text) > 1<<24 {
			t.Fatalf("%d bytes of text: %v", len(text), err)
		}
	})
}

// TestClassicCorpus keeps the committed corpus equal to what is made here.
func TestClassicCorpus(t *testing.T) {
	for version, b := range classicCorpus() {
		codecstest.Corpus(t, *update, "FuzzClassicDisassemble", fmt.Sprintf("made-%d", version), fmt.Sprintf("[]byte(%q)", b), fmt.Sprintf("uint16(%d)", version), `string("Function")`)
	}
}

func BenchmarkClassicDisassemble(b *testing.B) {
	data, f := classicCorpus()[ue3], classicFacts(ue3)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		list, err := script.Classic(f, func(int) ([]byte, error) { return data, nil })
		if err != nil || list[0].Err != nil {
			b.Fatal(err, list[0].Err)
		}
		list[0].Normal.Digest()
	}
}
