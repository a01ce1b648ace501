package script_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

// Names, imports and exports of a made package. Functions are exports 2 and on.
const (
	nNone = iota
	nCoreUObject
	nPackage
	nClass
	nFunction
	nEngine
	nLibrary
	nLength
	nDefault
	nActor
	nMy
	nFn
	nGraph
	nA
	nB
	nTemp
	nCall
	nInt
	nVector
	nGoto
)

var names = []string{
	"None", "/Script/CoreUObject", "Package", "Class", "Function", "/Script/Engine", "Library", "Length", "Default__Library", "Actor",
	"My_C", "Fn", "ExecuteUbergraph_My", "A", "B", "Temp_int", "CallFunc_X", "IntProperty", "Vector", "GotoIt",
}

// References of the made package.
const (
	rLength  = -4 // /Script/Engine.Library:Length
	rDefault = -5 // /Script/Engine.Default__Library
	rActor   = -6 // /Script/Engine.Actor
	rVector  = -7
	rClass   = 1
	rGraph   = 2
	rFn      = 3
)

func facts(ue4, ue5 int, functions int) *unreal.PackageFacts {
	f := &unreal.PackageFacts{Engine: "UE4", Version: ue4, Version5: ue5, LegacyVersion: -7, Flags: 0x80000000}
	if ue5 > 0 {
		f.Engine = "UE5"
	}
	for _, n := range names {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	object := func(n int32) unreal.ObjectName { return unreal.ObjectName{Index: n} }
	f.Imports = []unreal.PackageImport{
		{ClassPackage: object(nCoreUObject), Class: object(nClass), Name: object(nFunction)},
		{ClassPackage: object(nCoreUObject), Class: object(nPackage), Name: object(nEngine)},
		{ClassPackage: object(nCoreUObject), Class: object(nClass), Outer: -2, Name: object(nLibrary)},
		{ClassPackage: object(nCoreUObject), Class: object(nFunction), Outer: -3, Name: object(nLength)},
		{ClassPackage: object(nEngine), Class: object(nLibrary), Outer: -2, Name: object(nDefault)},
		{ClassPackage: object(nCoreUObject), Class: object(nClass), Outer: -2, Name: object(nActor)},
		{ClassPackage: object(nCoreUObject), Class: object(nClass), Outer: -2, Name: object(nVector)},
	}
	f.Exports = []unreal.PackageExport{{Name: object(nMy)}}
	for i := range functions {
		n := object(nFn)
		switch i {
		case 0:
			n = object(nGraph)
		case 1:
		default:
			n.Number = int32(i)
		}
		f.Exports = append(f.Exports, unreal.PackageExport{Class: -1, Outer: 1, Name: n})
	}
	return f
}

// code is a script in the making: bytes, and its size in memory.
type code struct {
	b     bytes.Buffer
	extra int
	path  bool // properties are paths
	wide  bool
}

func (c *code) op(tokens ...byte) *code { c.b.Write(tokens); return c }
func (c *code) u16(v int) *code         { return c.put(uint16(v)) }
func (c *code) i32(v int) *code         { return c.put(int32(v)) }
func (c *code) put(v any) *code {
	if err := binary.Write(&c.b, binary.LittleEndian, v); err != nil {
		panic(err)
	}
	return c
}
func (c *code) ref(r int) *code { c.extra += 4; return c.i32(r) }
func (c *code) name(n int, number ...int) *code {
	c.extra += 4
	c.i32(n)
	if len(number) > 0 {
		return c.i32(number[0])
	}
	return c.i32(0)
}
func (c *code) prop(n int, number ...int) *code {
	extra, from := c.extra, c.b.Len()
	if c.path {
		c.i32(1).name(n, number...).i32(rClass)
	} else {
		c.i32(0) // of no object: tests of names use paths
	}
	c.extra = extra + 8 - (c.b.Len() - from)
	return c
}
func (c *code) local(n int, number ...int) *code { return c.op(0x00).prop(n, number...) }
func (c *code) member(n int) *code               { return c.op(0x01).prop(n) }
func (c *code) real(v float64) *code {
	if c.wide {
		return c.put(v)
	}
	return c.put(float32(v))
}
func (c *code) str(s string) *code { c.op(0x1F); c.b.WriteString(s); return c.op(0) }
func (c *code) memory() int        { return c.b.Len() + c.extra }
func (c *code) end() *code         { return c.op(0x04, 0x0B, 0x53) }

// context writes an object and a member, whose size in memory it states.
func (c *code) context(token byte, object, member func(*code)) *code {
	c.op(token)
	object(c)
	inner := &code{path: c.path, wide: c.wide}
	member(inner)
	c.i32(inner.memory()).prop(nNone)
	c.extra += inner.extra
	c.b.Write(inner.b.Bytes())
	return c
}

// export wraps a script as a cooked function of UE 5.3 has it.
func (c *code) export() []byte {
	var h code
	h.name(nNone).i32(0)                                                                           // no properties, no GUID
	h.i32(0).i32(0)                                                                                // super, children
	h.i32(1).name(nInt).name(nA).i32(1).i32(1).i32(4).put(uint64(0x80)).u16(0).name(nNone).op(0)   // one parameter
	h.i32(c.memory()).i32(c.b.Len())                                                               //
	return slices.Concat(h.b.Bytes(), c.b.Bytes(), binary.LittleEndian.AppendUint32(nil, 0x20000), // flags
		make([]byte, 8))
}

func made(write func(c *code)) []byte {
	c := &code{path: true, wide: true}
	write(c)
	return c.export()
}

var empty = made(func(c *code) { c.end() })

func run(t testing.TB, functions ...[]byte) []script.Function {
	t.Helper()
	list, err := script.Kismet(facts(522, 1009, len(functions)), func(i int) ([]byte, error) { return functions[i-1], nil }, script.KismetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// expressions has every token that stands in expressions, as the value of a
// variable, and its text.
var expressions = []struct {
	text  string
	write func(c *code)
}{
	{"A", func(c *code) { c.local(nA) }},
	{"A_1", func(c *code) { c.local(nA, 2) }},
	{"self.A", func(c *code) { c.member(nA) }},
	{"default.A", func(c *code) { c.op(0x02).prop(nA) }},
	{"A", func(c *code) { c.op(0x48).prop(nA) }},
	{"property A", func(c *code) { c.op(0x33).prop(nA) }},
	{"sparse.A", func(c *code) { c.op(0x6C).prop(nA) }},
	{"nothing", func(c *code) { c.op(0x0B) }},
	{"self", func(c *code) { c.op(0x17) }},
	{"0", func(c *code) { c.op(0x25) }},
	{"1", func(c *code) { c.op(0x26) }},
	{"true", func(c *code) { c.op(0x27) }},
	{"false", func(c *code) { c.op(0x28) }},
	{"null", func(c *code) { c.op(0x2A) }},
	{"null", func(c *code) { c.op(0x2D) }},
	{"7", func(c *code) { c.op(0x0C).i32(7) }},
	{"-7", func(c *code) { c.op(0x1D).i32(-7) }},
	{"200", func(c *code) { c.op(0x24, 200) }},
	{"201", func(c *code) { c.op(0x2C, 201) }},
	{"-9223372036854775808", func(c *code) { c.op(0x35).put(int64(math.MinInt64)) }},
	{"18446744073709551615", func(c *code) { c.op(0x36).put(uint64(math.MaxUint64)) }},
	{"0.1", func(c *code) { c.op(0x1E).put(float32(0.1)) }},
	{"1e-07", func(c *code) { c.op(0x1E).put(float32(1e-7)) }},
	{"NaN", func(c *code) { c.op(0x1E).put(float32(math.NaN())) }},
	{"16777216.0", func(c *code) { c.op(0x1E).put(float32(1 << 24)) }},
	{"0.30000000000000004", func(c *code) { c.op(0x37).put(math.Nextafter(0.3, 1)) }},
	{`"a\"b"`, func(c *code) { c.str(`a"b`) }},
	{`"é<"`, func(c *code) { c.op(0x34).u16(0xE9).u16('<').u16(0) }},
	{"/Script/Engine.Actor", func(c *code) { c.op(0x20).ref(rActor) }},
	{".My_C:Fn", func(c *code) { c.op(0x20).ref(rFn) }},
	{"'A_2'", func(c *code) { c.op(0x21).name(nA, 3) }},
	{"B", func(c *code) { c.op(0x4B).name(nB) }},
	{"rotator(0.0, 90.0, 0.5)", func(c *code) { c.op(0x22).real(0).real(90).real(0.5) }},
	{"vector(1.0, 2.0, 3.0)", func(c *code) { c.op(0x23).real(1).real(2).real(3) }},
	{"vector3f(1.0, 2.0, 3.0)", func(c *code) { c.op(0x41).put(float32(1)).put(float32(2)).put(float32(3)) }},
	{"transform(0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 1.0, 1.0)", func(c *code) {
		c.op(0x2B)
		for _, v := range []float64{0, 0, 0, 1, 1, 2, 3, 1, 1, 1} {
			c.real(v)
		}
	}},
	{`text("")`, func(c *code) { c.op(0x29, 0) }},
	{`loctext("n", "k", "s")`, func(c *code) { c.op(0x29, 1).str("s").str("k").str("n") }},
	{`invtext("s")`, func(c *code) { c.op(0x29, 2).str("s") }},
	{`text("s")`, func(c *code) { c.op(0x29, 3).str("s") }},
	{`tabletext("t", "k")`, func(c *code) { c.op(0x29, 4).ref(0).str("t").str("k") }},
	{"bit(A, 1)", func(c *code) { c.op(0x11).prop(nA).op(1) }},
	{"Vector{1.0, self}", func(c *code) { c.op(0x2F).ref(rVector).i32(12).op(0x1E).put(float32(1)).op(0x17, 0x30) }},
	{"[0, 1]", func(c *code) { c.op(0x65).prop(nA).i32(2).op(0x25, 0x26, 0x66) }},
	{"set[0, 1]", func(c *code) { c.op(0x3D).prop(nA).i32(2).op(0x25, 0x26, 0x3E) }},
	{"map[0: 1, 1: 0]", func(c *code) { c.op(0x3F).prop(nA).prop(nB).i32(2).op(0x25, 0x26, 0x26, 0x25, 0x40) }},
	{"B.A", func(c *code) { c.op(0x42).prop(nA).local(nB) }},
	{"B[1]", func(c *code) { c.op(0x6B).local(nB).op(0x26) }},
	{"B", func(c *code) { c.op(0x51).local(nB) }},
	{`"/Game/A"`, func(c *code) { c.op(0x67).str("/Game/A") }},
	{`"A"`, func(c *code) { c.op(0x6D).str("A") }},
	{"class<Actor>(A)", func(c *code) { c.op(0x13).ref(rActor).local(nA) }},
	{"cast<Actor>(A)", func(c *code) { c.op(0x2E).ref(rActor).local(nA) }},
	{"tointerface<Actor>(A)", func(c *code) { c.op(0x52).ref(rActor).local(nA) }},
	{"crossinterface<Actor>(A)", func(c *code) { c.op(0x54).ref(rActor).local(nA) }},
	{"fromobject<Actor>(A)", func(c *code) { c.op(0x55).ref(rActor).local(nA) }},
	{"bool(A)", func(c *code) { c.op(0x38, 1).local(nA) }},
	{"float(A)", func(c *code) { c.op(0x38, 3).local(nA) }},
	{"cast#9(A)", func(c *code) { c.op(0x38, 9).local(nA) }},
	{"self.Length(0, 1)", func(c *code) { c.op(0x1B).name(nLength).op(0x25, 0x26, 0x16) }},
	{"self.Length()", func(c *code) { c.op(0x45).name(nLength).op(0x16) }},
	{"/Script/Engine.Library:Length()", func(c *code) { c.op(0x1C).ref(rLength).op(0x16) }},
	{"/Script/Engine.Library:Length()", func(c *code) { c.op(0x68).ref(rLength).op(0x16) }},
	{"self.Library:Length()", func(c *code) { c.op(0x46).ref(rLength).op(0x16) }},
	{"B.A", func(c *code) { c.context(0x19, func(c *code) { c.local(nB) }, func(c *code) { c.member(nA) }) }},
	{"B.default.A", func(c *code) {
		c.context(0x12, func(c *code) { c.local(nB) }, func(c *code) { c.op(0x02).prop(nA) })
	}},
	{"B.Library:Length()", func(c *code) {
		c.context(0x1A, func(c *code) { c.local(nB) }, func(c *code) { c.op(0x1C).ref(rLength).op(0x16) })
	}},
	{"/Script/Engine.Library:Length()", func(c *code) {
		c.context(0x19, func(c *code) { c.op(0x20).ref(rDefault) }, func(c *code) { c.op(0x1C).ref(rLength).op(0x16) })
	}},
	{"/Script/Engine.Default__Library.Length()", func(c *code) {
		c.context(0x19, func(c *code) { c.op(0x20).ref(rDefault) }, func(c *code) { c.op(0x1B).name(nLength).op(0x16) })
	}},
	{"switch(A){0: 1, default: B}", func(c *code) {
		from := c.memory()
		inner := 1 + 2 + 4 + 9 + 1 + 4 + 1 + 9
		c.op(0x69).u16(1).i32(from + inner).local(nA).op(0x25).i32(from + inner - 9).op(0x26).local(nB)
	}},
}

func TestExpressions(t *testing.T) {
	for _, e := range expressions {
		got := run(t, made(func(c *code) {
			c.op(0x0F).prop(nB).local(nB)
			e.write(c)
			c.end()
		}), empty)[0]
		if got.Err != nil {
			t.Errorf("%s: %v", e.text, got.Err)
		} else if text := got.Normal.String(); text != "  B = "+e.text+"\n" {
			t.Errorf("got %q, want %q", text, e.text)
		}
	}
}

// TestConstants: what else refers to, or is read by, is told apart.
func TestConstants(t *testing.T) {
	got := run(t, made(func(c *code) {
		c.op(0x1B).name(nLength).op(0x67).str("/Game/A.A").op(0x29, 1).str("s").str("k").str("n").str("plain").op(0x20).ref(rActor).op(0x16).end()
	}), empty)[0]
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	if !slices.Equal(got.Soft, []string{"/Game/A.A"}) || !slices.Equal(got.Strings, []string{"plain"}) ||
		!slices.Equal(got.Texts, []script.Text{{Namespace: "n", Key: "k", Source: "s"}}) || !slices.Equal(got.Refs, []unreal.ObjectRef{rActor}) {
		t.Errorf("soft %q, strings %q, texts %q, references %v", got.Soft, got.Strings, got.Texts, got.Refs)
	}
	if got.Statements != 3 || got.Tokens != 13 {
		t.Errorf("%d statements, %d tokens", got.Statements, got.Tokens)
	}
}

// TestStatements has what stands at the top level alone.
func TestStatements(t *testing.T) {
	for _, s := range []struct {
		text  string
		write func(c *code)
	}{
		{"  return A\n", func(c *code) { c.op(0x04).local(nA).op(0x53) }},
		{"  A = 1\n  B = 1\n", func(c *code) { c.op(0x14).local(nA).op(0x26, 0x5F).local(nB).op(0x26).end() }},
		{"  frame.A = 1\n", func(c *code) { c.op(0x64).prop(nA).op(0x26).end() }},
		{"  self.A += B\n  self.A -= B\n  self.A.clear()\n", func(c *code) {
			c.op(0x5C).member(nA).local(nB).op(0x62).member(nA).local(nB).op(0x5D).member(nA).end()
		}},
		{"  A = delegate(self, GotoIt)\n", func(c *code) { c.op(0x61).name(nGoto).local(nA).op(0x17).end() }},
		{"  broadcast self.A(1)\n", func(c *code) { c.op(0x63).ref(rLength).member(nA).op(0x26, 0x16).end() }},
		{"  A = [0]\n  B = set[0]\n  A = map[0: 1]\n", func(c *code) {
			c.op(0x31).local(nA).op(0x25, 0x32)
			c.op(0x39).local(nB).i32(1).op(0x25, 0x3A)
			c.op(0x3B).local(nA).i32(1).op(0x25, 0x26, 0x3C).end()
		}},
		{"  if !(A) pop\n  pop\n", func(c *code) { c.op(0x4F).local(nA).op(0x4D).end() }},
		{"  A = 1\n", func(c *code) {
			c.op(0x5A, 0x5E, 0x0B, 0x50, 0x6A, 1, 0x6A, 4).name(nA).op(0x14).local(nA).op(0x26, 0x5E).end()
		}},
		{"  assert(A)\n  A\n", func(c *code) { c.op(0x09, 1, 0, 0).local(nA).op(0x18).i32(0).local(nA).end() }},
		{"  transact {A}\n  abort if !(A)\n  abort\n", func(c *code) {
			c.op(0x70).i32(1).i32(0).local(nA).op(0x71).i32(1).op(0, 0x72).local(nA).op(0x73).end()
		}},
		{" L9223:\n  A = 1\n  if !(A) goto L9223\n", func(c *code) {
			c.op(0x14).local(nA).op(0x26, 0x07).i32(0).local(nA).end()
		}},
		{"  Temp_int = CallFunc_X\n  Temp_int~2 = CallFunc_X\n  Temp_int = A_4\n", func(c *code) {
			c.op(0x14).local(nTemp, 7).local(nCall, 3).op(0x14).local(nTemp, 2).local(nCall, 3).op(0x14).local(nTemp, 7).local(nA, 5).end()
		}},
	} {
		got := run(t, made(s.write))[0]
		if got.Err != nil {
			t.Errorf("%q: %v", s.text, got.Err)
		} else if text := got.Normal.String(); text != s.text {
			t.Errorf("got %q, want %q", text, s.text)
		}
	}
}

// TestEvents: an ubergraph of two events, of which one joins the other.
func TestEvents(t *testing.T) {
	var second int
	graph := made(func(c *code) {
		c.op(0x4E).local(nA)
		c.op(0x14).local(nTemp, 4).op(0x26)
		second = c.memory()
		c.op(0x14).local(nTemp, 9).op(0x25)
		c.end()
	})
	stub := func(at int) []byte {
		return made(func(c *code) { c.op(0x46).ref(rGraph).op(0x1D).i32(at).op(0x16).end() })
	}
	list := run(t, graph, stub(10), stub(second))
	want := "event Fn:\n  Temp_int = 1\n L32dc:\n  Temp_int~2 = 0\n  return\nevent Fn_1:\n  goto L32dc\n"
	if got := list[0].Normal.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := list[1].Normal.String(); got != "  ubergraph Fn\n" {
		t.Errorf("stub: %q", got)
	}
}

// TestOpaque: what is wrong is said with the place, and nothing else is made of it.
func TestOpaque(t *testing.T) {
	whole := made(func(c *code) { c.op(0x0F).prop(nB).local(nB).op(0x17).end() })
	deep := made(func(c *code) {
		for range 10_000 {
			c.op(0x51)
		}
		c.local(nA).end()
	})
	size := bytes.Index(whole, []byte{0x0F, 1, 0, 0, 0}) - 8 // where the size in memory stands
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"truncated", whole[:len(whole)-1], "unexpected end"},
		{"longer", append(slices.Clone(whole), 0), "bytes after the function"},
		{"other size in memory", replaced(whole, size, 99), "the file states 99"},
		{"script larger than the export", replaced(whole, size+4, 1<<30), "script of 1073741824 bytes"},
		{"negative size", replaced(whole, size+4, 0xFFFFFFFF), "script of -1 bytes"},
		{"unknown token", made(func(c *code) { c.op(0x14).local(nA).op(0xA2).end() }), "token a2 at 18: unknown token"},
		{"nested 10,000 deep", deep, "nested too deeply"},
		{"name outside", made(func(c *code) { c.op(0x21).name(1000).end() }), "name outside the table"},
		{"reference outside", made(func(c *code) { c.op(0x20).ref(1000).end() }), "reference outside the tables"},
		{"jump into a statement", made(func(c *code) { c.op(0x06).i32(3).end() }), "jump to offset 3 in memory"},
		{"skip that is none", made(func(c *code) {
			c.context(0x19, func(c *code) { c.local(nB) }, func(c *code) { c.member(nA); c.extra++ }).end()
		}), "skip disagrees"},
		{"text without an end", made(func(c *code) { c.str("x"); c.b.Truncate(c.b.Len() - 1) }), "unexpected end"},
	} {
		got := run(t, c.data)[0]
		if got.Err == nil || !strings.Contains(got.Err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, got.Err, c.want)
		}
		if got.Normal != nil || got.Calls != nil {
			t.Errorf("%s: something is left of it", c.name)
		}
	}
}

func replaced(b []byte, at int, v uint32) []byte {
	b = slices.Clone(b)
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// TestMutations: damaged functions are exact or opaque, and cost little.
func TestMutations(t *testing.T) {
	seeds := corpus()
	rnd := rand.New(rand.NewPCG(1, 2))
	f := facts(522, 1018, 2)
	n := testkit.Of(1000, 10_000)
	var before, after runtime.MemStats
	for i := range n {
		b := slices.Clone(seeds[i%len(seeds)])
		for range 1 + rnd.IntN(8) {
			b[rnd.IntN(len(b))] = byte(rnd.Uint32())
		}
		runtime.ReadMemStats(&before)
		list, err := script.Kismet(f, func(int) ([]byte, error) { return b, nil }, script.KismetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if list[0].Err == nil {
			list[0].Normal.AppendText(nil)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
			t.Fatalf("mutation %d took %d bytes", i, used)
		}
	}
}

// TestPathsAreBounded: objects inside of each other with long names make functions opaque,
// and take little memory.
func TestPathsAreBounded(t *testing.T) {
	f := facts(522, 0, 1)
	long := int32(len(f.Names))
	f.Names = append(f.Names, unreal.PackageName{Text: strings.Repeat("x", 1<<16)})
	first := len(f.Imports)
	for i := range 1000 {
		f.Imports = append(f.Imports, unreal.PackageImport{Name: unreal.ObjectName{Index: long}, Outer: unreal.ObjectRef(-max(1, first+i))})
	}
	b := made(func(c *code) {
		for i := range 1000 {
			c.op(0x0F).prop(nB).local(nB)
			c.op(0x20).ref(-first - i - 1)
		}
		c.end()
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	list, err := script.Kismet(f, func(int) ([]byte, error) { return b, nil }, script.KismetOptions{})
	runtime.ReadMemStats(&after)
	if err != nil || !errors.Is(list[0].Err, script.ErrText) || !strings.Contains(list[0].Err.Error(), "of paths") {
		t.Errorf("%v, %v", err, list[0].Err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
		t.Errorf("%d bytes", used)
	}
}

// corpus returns functions that have every token.
func corpus() (list [][]byte) {
	list = append(list, made(func(c *code) {
		for _, e := range expressions {
			c.op(0x0F).prop(nB).local(nB)
			from, extra := c.b.Len(), c.extra
			e.write(c)
			if b := c.b.Bytes()[from]; b == 0x69 { // states places in memory
				c.b.Truncate(from)
				c.extra = extra
				c.op(0x25)
			}
		}
		c.end()
	}))
	for _, e := range expressions {
		list = append(list, made(func(c *code) {
			c.op(0x0F).prop(nB).local(nB)
			e.write(c)
			c.op(0x07).i32(0).local(nA).op(0x4C).i32(0).end()
		}))
	}
	return list
}

func FuzzDisassemble(f *testing.F) {
	for _, b := range corpus() {
		f.Add(b, uint16(1009))
	}
	f.Fuzz(func(t *testing.T, b []byte, ue5 uint16) {
		pkg := facts(522, int(ue5), 2)
		list, err := script.Kismet(pkg, func(int) ([]byte, error) { return b, nil }, script.KismetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, fn := range list {
			if (fn.Err == nil) != (fn.Normal != nil) {
				t.Fatalf("%v, and a form: %v", fn.Err, fn.Normal != nil)
			}
			if fn.Err == nil && strings.Contains(fn.Normal.String(), "\x00") {
				t.Fatal("a byte in the text that no token makes")
			}
		}
		if text, err := script.AppendKismet(nil, pkg, func(int) ([]byte, error) { return b, nil }, script.KismetValues{}); err != nil || len(text) > 1<<24 {
			t.Fatalf("%d bytes of text: %v", len(text), err)
		}
	})
}

// TestCorpus keeps the committed corpus equal to what is made here.
func TestCorpus(t *testing.T) {
	for i, b := range corpus()[:8] {
		codecstest.Corpus(t, *update, "FuzzDisassemble", fmt.Sprintf("made-%02d", i), fmt.Sprintf("[]byte(%q)", b), "uint16(1009)")
	}
}

func BenchmarkDisassemble(b *testing.B) {
	data := corpus()[0]
	f := facts(522, 1009, 2)
	b.SetBytes(int64(2 * len(data)))
	b.ReportAllocs()
	for b.Loop() {
		list, err := script.Kismet(f, func(int) ([]byte, error) { return data, nil }, script.KismetOptions{})
		if err != nil || list[0].Err != nil {
			b.Fatal(err, list[0].Err)
		}
		list[0].Normal.Digest()
	}
}
