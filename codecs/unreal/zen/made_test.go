package zen_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// build is a Zen package to be written from the format's description, so that
// layouts without a public file can be read back.
type build struct {
	layout    string // "4.26", "5.0", "5.3", "5.6"
	versioned bool
	bulkMap   bool
	aligned   bool // UTF-16 names at even offsets
	names     []string
	packages  []string
	hashes    []uint64
	imports   []uint64
	exports   []export
}

type export struct {
	name                          int32
	outer, class, super, template uint64
	hash                          uint64
	data                          string
	filter                        byte
}

var le = binary.LittleEndian

const null = 1<<64 - 1

func tiny(layout string) *build {
	b := &build{
		layout: layout,
		names:  []string{"/Game/A/Thing", "Thing", "Größe", "日本"},
		hashes: []uint64{unreal.ExportHash("Other_C"), 0x1234},
		imports: []uint64{
			unreal.ScriptObjectID("/Script/Engine.Actor"), null, unreal.ObjectPackage, unreal.ObjectPackage | 1,
		},
		exports: []export{
			{name: 1, outer: null, class: unreal.ScriptObjectID("/Script/Engine.Actor"), super: null, template: unreal.ObjectPackage, hash: unreal.ExportHash("Thing"), data: "first"},
			{name: 3, outer: 0, class: unreal.ScriptObjectID("/Script/Engine.Other"), super: null, template: null, data: "second", filter: 1},
		},
	}
	b.packages = []string{"/Game/B/Other"}
	return b
}

// header of one name, and the name.
func encode(name string) (header uint16, text []byte) {
	for _, r := range name {
		if r > 0x7f {
			for _, u := range utf16.Encode([]rune(name)) {
				text = le.AppendUint16(text, u)
			}
			return 0x8000 | uint16(len(text)/2), text
		}
	}
	return uint16(len(name)), []byte(name)
}

func (b *build) batch(names []string) []byte {
	out := le.AppendUint32(nil, uint32(len(names)))
	if len(names) == 0 {
		return out
	}
	var headers, texts []byte
	for _, n := range names {
		h, t := encode(n)
		if b.aligned && h&0x8000 != 0 && len(texts)%2 == 1 {
			texts = append(texts, 0)
		}
		headers, texts = binary.BigEndian.AppendUint16(headers, h), append(texts, t...)
	}
	out = le.AppendUint32(out, uint32(len(texts)))
	out = append(out, make([]byte, 8+8*len(names))...)
	return append(append(out, headers...), texts...)
}

func u64s(b []byte, v ...uint64) []byte {
	for _, x := range v {
		b = le.AppendUint64(b, x)
	}
	return b
}

func (b *build) exportMap(cooked int) (table, data []byte) {
	for i, x := range b.exports {
		off := len(data)
		if b.layout == "4.26" || b.layout == "5.0" {
			off += cooked
		}
		table = u64s(table, uint64(off), uint64(len(x.data)))
		table = le.AppendUint64(table, uint64(x.name))
		table = u64s(table, x.outer, x.class, x.super, x.template, x.hash)
		table = append(le.AppendUint32(table, uint32(i+1)), x.filter, 0, 0, 0)
		data = append(data, x.data...)
	}
	return table, data
}

const cooked = 500

func (b *build) bytes() []byte {
	if b.layout == "4.26" {
		return b.bytes4()
	}
	fixed := func(offs []int) []byte {
		h := le.AppendUint32(nil, 0)
		if b.versioned {
			h[0] = 1
		}
		h = le.AppendUint32(h, uint32(offs[len(offs)-1]))
		h = le.AppendUint64(h, 0)
		h = le.AppendUint32(le.AppendUint32(h, 0x80000200), cooked)
		k := 5
		if b.layout != "5.0" {
			k = 7
		}
		for _, off := range offs[:k] {
			h = le.AppendUint32(h, uint32(off))
		}
		if b.versioned {
			for _, v := range []uint32{3, 522, 1018, 7, 1} {
				h = le.AppendUint32(h, v)
			}
			h = append(h, make([]byte, 20)...)
		}
		if b.layout == "5.6" {
			h = le.AppendUint32(le.AppendUint32(h, uint32(offs[3])), uint32(offs[3]))
		}
		return h
	}
	table, data := b.exportMap(cooked)
	head := append(fixed(make([]int, 8)), b.batch(b.names)...)
	if b.bulkMap {
		head = append(u64s(head, 3), 0, 0, 0)
		head = u64s(head, 0)
	}
	parts := [][]byte{u64s(nil, b.hashes...), u64s(nil, b.imports...), table, make([]byte, 16*len(b.exports))}
	if b.layout == "5.0" {
		parts = append(parts, []byte("graph..."))
	} else {
		names := b.batch(b.packages)
		names = append(names, make([]byte, 4*len(b.packages))...)
		parts = append(parts, make([]byte, 8), make([]byte, 4), names)
	}
	offs, at := []int{}, len(head)
	for _, p := range parts {
		offs = append(offs, at)
		at += len(p)
	}
	offs = append(offs, at)
	copy(head, fixed(offs))
	return append(append(head, slices.Concat(parts...)...), append(data, 0, 0, 0, 0)...)
}

func (b *build) bytes4() []byte {
	var names []byte
	for _, n := range b.names {
		h, t := encode(n)
		names = binary.BigEndian.AppendUint16(names, h)
		if h&0x8000 != 0 && len(names)%2 == 1 {
			names = append(names, 0)
		}
		names = append(names, t...)
	}
	names = append(names, make([]byte, (8-len(names)%8)%8)...)
	table, data := b.exportMap(cooked)
	graph := le.AppendUint32(nil, uint32(len(b.packages)))
	for _, p := range b.packages {
		graph = append(le.AppendUint32(u64s(graph, unreal.NameHash(p)), 1), make([]byte, 8)...)
	}
	out := u64s(nil, 0, 0)
	out = le.AppendUint32(le.AppendUint32(out, 0x200), cooked)
	at := 64
	field := func(n int) {
		out = le.AppendUint32(out, uint32(at))
		at += n
	}
	field(len(names))
	out = le.AppendUint32(out, uint32(len(names)))
	hashes := make([]byte, 8+8*len(b.names))
	field(len(hashes))
	out = le.AppendUint32(out, uint32(len(hashes)))
	imports := u64s(nil, b.imports...)
	field(len(imports))
	field(len(table))
	bundles := make([]byte, 8+8*len(b.exports))
	field(len(bundles))
	field(len(graph))
	out = le.AppendUint32(le.AppendUint32(out, uint32(len(graph))), 0)
	return slices.Concat(out, names, hashes, imports, table, bundles, graph, data)
}

func read(t testing.TB, raw []byte) *zen.Package {
	t.Helper()
	p, err := zen.Read(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every layout is told from the others, with versions and without.
func TestLayouts(t *testing.T) {
	for _, layout := range []string{"4.26", "5.0", "5.3", "5.6"} {
		for _, versioned := range []bool{false, true} {
			for _, bulkMap := range []bool{false, true} {
				b := tiny(layout)
				b.versioned, b.bulkMap, b.aligned = versioned && layout != "4.26", bulkMap, bulkMap
				raw := b.bytes()
				p := read(t, raw)
				if p.Layout != "zen "+layout || len(p.Problems) > 0 {
					t.Errorf("%s is read as %s: %v", layout, p.Layout, p.Problems)
					continue
				}
				checkTiny(t, b, p, raw)
			}
		}
	}
}

func checkTiny(t *testing.T, b *build, p *zen.Package, raw []byte) {
	t.Helper()
	for i, n := range b.names {
		if p.Names[i].Text != n {
			t.Errorf("%s: name %d is %q", b.layout, i, p.Names[i].Text)
		}
	}
	if p.Name != b.names[0] || p.NameCount != 4 || p.ImportCount != 4 || p.ExportCount != 2 || p.Zen.PackageID != unreal.NameHash(b.names[0]) {
		t.Errorf("%s: %q, %d names, %d imports, %d exports", b.layout, p.Name, p.NameCount, p.ImportCount, p.ExportCount)
	}
	if b.versioned && (p.Version != 522 || p.Version5 != 1018 || p.Licensee != 7 || p.Unversioned) {
		t.Errorf("%s: versions %d %d %d", b.layout, p.Version, p.Version5, p.Licensee)
	}
	for i, x := range b.exports {
		got := p.Exports[i]
		if s := string(raw[got.Offset : got.Offset+got.Size]); s != x.data {
			t.Errorf("%s: export %d is %q", b.layout, i, s)
		}
	}
	if path, _ := p.PathOf(2); path != "Thing:日本" || p.Exports[1].ExportFlags&unreal.ExportNotForClient == 0 {
		t.Errorf("%s: %q, flags %x", b.layout, path, p.Exports[1].ExportFlags)
	}
	refs := refTexts(zen.References(&p.PackageFacts))
	want := map[string]string{
		"5.0": "zen_import script-object",
		"5.3": "zen_import package /Game/B/Other", "5.6": "archetype package /Game/B/Other",
	}[b.layout]
	if b.layout == "4.26" {
		want = "zen_import package-id " + codecs.ID64(unreal.NameHash("/Game/B/Other")).String()
	}
	if !strings.Contains(refs, want) || !strings.Contains(refs, "class script-object "+codecs.ID64(unreal.ScriptObjectID("/Script/Engine.Other")).String()) {
		t.Errorf("%s refers to\n%s", b.layout, refs)
	}
	if strings.HasPrefix(b.layout, "5.3") {
		if path, _ := p.PathOf(-3); path != "/Game/B/Other.Other_C" {
			t.Errorf("import 2 is %q", path)
		}
		if path, _ := p.PathOf(-4); path != "/Game/B/Other.<export 0000000000001234>" || p.Imports[3].Flags&unreal.ImportByID == 0 {
			t.Errorf("import 3 is %q", path)
		}
	}
}

func refTexts(refs []codecs.Ref) string {
	var b strings.Builder
	for _, r := range refs {
		b.WriteString(r.Kind + " " + string(r.Space) + " " + r.Name + r.ID.String() + "\n")
	}
	return b.String()
}

func TestMalformed(t *testing.T) {
	raw := tiny("5.6").bytes()
	exports := int(le.Uint32(raw[32:]))
	imports := int(le.Uint32(raw[28:]))
	patch := func(off int, v ...byte) []byte {
		c := bytes.Clone(raw)
		copy(c[off:], v)
		return c
	}
	for _, tt := range []struct {
		name  string
		raw   []byte
		want  error
		field string
		off   int64
	}{
		{"empty", nil, codecs.ErrTruncated, "summary", -1},
		{"short", raw[:30], codecs.ErrTruncated, "summary", -1},
		{"no package", bytes.Repeat([]byte{0xAB}, 200), codecs.ErrCorrupt, "summary", 0},
		{"cut", raw[:exports], codecs.ErrCorrupt, "summary", 0},
		{"offset", patch(28, 0xff, 0xff), codecs.ErrCorrupt, "summary", 0},
		{"name of an export", patch(exports+16, 99), codecs.ErrCorrupt, "summary", 0},
		{"size of an export", patch(exports+8, 0xff, 0xff), codecs.ErrCorrupt, "exports[0].offset", int64(exports)},
		{"class of an export", patch(exports+32, 77, 0, 0, 0, 0, 0, 0, 0), codecs.ErrCorrupt, "exports[0]", int64(exports) + 32},
		{"package of an import", patch(imports+16+4, 5), codecs.ErrCorrupt, "imports[2]", int64(imports) + 16},
	} {
		p, err := zen.Read(bytes.NewReader(tt.raw), int64(len(tt.raw)))
		var fe *codecs.FormatError
		if err == nil && len(p.Problems) > 0 {
			fe = p.Problems[0]
		} else if !errors.As(err, &fe) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if !errors.Is(fe, tt.want) || fe.Field != tt.field || (tt.off >= 0 && fe.Off != tt.off) {
			t.Errorf("%s: %v (field %q, offset %#x)", tt.name, fe, fe.Field, fe.Off)
		}
	}
}

// A path gives the package's name when it has the chunk's id.
func TestPackageName(t *testing.T) {
	for path, want := range map[string]string{
		"Proj/Content/A/B.uasset":                      "/Game/A/B",
		"../../../Proj/Content/Content/X.umap":         "/Game/Content/X",
		"Engine/Content/M.uasset":                      "/Engine/M",
		"Proj/Plugins/Group/Plug/Content/Sub/P.uasset": "/Plug/Sub/P",
		"A/B.uasset": "/Game/A/B",
	} {
		if got := zen.PackageName(path, unreal.NameHash(want)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if got := zen.PackageName(path, 1); got != "" {
			t.Errorf("%s with another id: %q", path, got)
		}
	}
}

// A package is named by its place where the name has the hash that its id starts
// with.
func TestSymbolsAt(t *testing.T) {
	id := unreal.NameHash("/Game/A")
	var raw [12]byte
	le.PutUint64(raw[:], id)
	raw[11] = 1
	e := &codecs.Entry{Name: "P/Content/A.uasset", Type: "ExportBundleData",
		ID: codecs.ID{Hi: uint64(binary.BigEndian.Uint32(raw[:])), Lo: binary.BigEndian.Uint64(raw[4:]), Bits: 96}}
	at := zen.Inspector().SymbolsAt
	if got := at(e, "../../../P/Content/A.uasset", nil); len(got) != 1 || got[0].Name != "/Game/A" {
		t.Errorf("%+v", got)
	}
	if got := at(e, "../../../P/Content/B.uasset", nil); got != nil {
		t.Errorf("a package of another id: %+v", got)
	}
	e.Type = "BulkData"
	if got := at(e, "../../../P/Content/A.uasset", nil); got != nil {
		t.Errorf("bulk data defines %+v", got)
	}
}

func FuzzInspect(f *testing.F) {
	for _, layout := range []string{"4.26", "5.0", "5.3", "5.6"} {
		f.Add(byte(0), tiny(layout).bytes())
	}
	f.Add(byte(1), scriptChunk())
	f.Add(byte(2), containerChunk(5))
	f.Add(byte(2), containerChunk(1))
	types := []string{"ExportBundleData", "ScriptObjects", "ContainerHeader"}
	f.Fuzz(func(t *testing.T, which byte, raw []byte) {
		e := &codecs.Entry{Type: types[int(which)%len(types)], ID: codecs.ID{Bits: 96}}
		facts, err := zen.Inspector().Inspect(context.Background(), bytes.NewReader(raw), int64(len(raw)), e)
		var fe *codecs.FormatError
		if err != nil {
			if !errors.As(err, &fe) {
				t.Fatalf("not a *FormatError: %v", err)
			}
			return
		}
		if p, ok := facts.Detail.(*unreal.PackageFacts); ok {
			for i := range p.Imports {
				_, _ = p.PathOf(unreal.ObjectRef(-i - 1))
			}
			zen.References(zen.Resolve(p, unreal.NewScriptObjectFacts(nil)))
		}
		if s, ok := facts.Detail.(*unreal.ScriptObjectFacts); ok {
			for _, o := range s.Objects {
				_, _ = s.Path(o.ID)
			}
		}
	})
}

func scriptChunk() []byte {
	b := (&build{}).batch([]string{"/Script/Engine", "Actor"})
	b = le.AppendUint32(b, 2)
	pkg, actor := unreal.ScriptObjectID("/Script/Engine"), unreal.ScriptObjectID("/Script/Engine.Actor")
	b = u64s(b, 0|2<<30, pkg, null, null)
	return u64s(b, 1|2<<30, actor, pkg, null)
}

// containerChunk has two packages; the first imports the second, and in
// version 4 on loads itself on demand.
func containerChunk(version uint32) []byte {
	b := le.AppendUint32(le.AppendUint32(nil, 0x496f436e), version)
	b = u64s(b, 77)
	store := func() {
		size, at := 24, 8
		if version >= 3 {
			size, at = 16, 0
		}
		b = u64s(le.AppendUint32(b, 2), 1, 2)
		records := make([]byte, 2*size)
		le.PutUint32(records[at:], 1)
		le.PutUint32(records[at+4:], uint32(2*size-at))
		if version < 3 {
			le.PutUint32(records, 9)
		}
		b = le.AppendUint32(b, uint32(len(records)+8))
		b = u64s(append(b, records...), 2)
	}
	store()
	if version >= 2 {
		b = append(b, make([]byte, 8)...)
	}
	b = append(b, (&build{}).batch([]string{"/Game/L"})...)
	if version >= 1 {
		b = u64s(le.AppendUint32(b, 1), 5, 0)
	}
	b = u64s(le.AppendUint32(b, 1), 6, 7, 0)
	if version < 4 {
		return b
	}
	soft := u64s(le.AppendUint32(le.AppendUint32(nil, 1), 1), 1)
	soft = le.AppendUint32(soft, 20)
	for _, v := range []uint32{1, 16, 0, 0, 0} {
		soft = le.AppendUint32(soft, v)
	}
	if version >= 5 {
		b = u64s(b, uint64(len(b)+16), uint64(len(soft)))
	}
	return append(b, soft...)
}

func TestMadeContainers(t *testing.T) {
	for v := range uint32(6) {
		raw := containerChunk(v)
		f, err := zen.ReadContainerHeader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Errorf("version %d: %v", v, err)
			continue
		}
		switch {
		case f.ContainerID != 77 || len(f.Packages) != 2 || !slices.Equal(f.Packages[0].Imports, []uint64{2}) || len(f.Packages[1].Imports) != 0:
			t.Errorf("version %d: %+v", v, f)
		case v < 3 && f.Packages[0].Exports != 9:
			t.Errorf("version %d: %d exports", v, f.Packages[0].Exports)
		case v >= 1 && (len(f.Localized) != 1 || f.Localized[0].Name != "/Game/L"):
			t.Errorf("version %d: localized %+v", v, f.Localized)
		case len(f.Redirects) != 1 || f.Redirects[0].Target != 7:
			t.Errorf("version %d: redirects %+v", v, f.Redirects)
		case v >= 4 && !slices.Equal(f.Packages[0].Soft, []uint64{1}):
			t.Errorf("version %d: soft %v", v, f.Packages[0].Soft)
		}
	}
	raw := containerChunk(9)
	if _, err := zen.ReadContainerHeader(bytes.NewReader(raw), int64(len(raw))); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("version 9: %v", err)
	}
}

// What is written is what was read, in every version; the engine's own headers
// come out byte for byte (TestContainersRewritten).
func TestContainersWritten(t *testing.T) {
	for v := range 6 {
		f := &unreal.ContainerFacts{Version: v, ContainerID: 77,
			Packages: []unreal.StoredPackage{
				{ID: 1, Imports: []uint64{2, 9}, Shaders: []unreal.ShaderMap{{1, 2}, {3}}},
				{ID: 2},
				{ID: 5, Imports: []uint64{1}},
			},
			Redirects: []unreal.PackageRedirect{{Source: 6, Target: 7, Name: "/Game/R_3"}},
		}
		if v < 3 {
			f.Packages[0].Exports, f.Packages[0].Bundles = 9, 2
		}
		if v >= 1 {
			f.Localized = []unreal.LocalizedPackage{{Source: 5, Name: "/Game/Ä"}, {Source: 6, Name: "/Game/R_03"}}
		}
		if v >= 2 {
			f.Optional = []unreal.StoredPackage{{ID: 2, Imports: []uint64{1}}}
		}
		if v >= 4 {
			f.Packages[1].Soft, f.Packages[2].Soft = []uint64{1, 9}, []uint64{9}
		}
		raw, err := zen.AppendContainerHeader([]byte("before"), f)
		if err != nil {
			t.Fatal(err)
		}
		raw = raw[len("before"):]
		got, err := zen.ReadContainerHeader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		if want := fmt.Sprintf("%+v", f); fmt.Sprintf("%+v", got) != want {
			t.Errorf("version %d:\n%+v, want\n%s", v, got, want)
		}
	}
	for _, v := range []int{-1, 6} {
		if _, err := zen.AppendContainerHeader(nil, &unreal.ContainerFacts{Version: v}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("version %d: %v", v, err)
		}
	}
}

func TestOverriding(t *testing.T) {
	first := &unreal.ContainerFacts{Version: 5, ContainerID: 1, Packages: []unreal.StoredPackage{{ID: 3, Imports: []uint64{9}}, {ID: 7}}}
	second := &unreal.ContainerFacts{Version: 3, ContainerID: 2, Packages: []unreal.StoredPackage{{ID: 1}, {ID: 3}},
		Redirects: []unreal.PackageRedirect{{Source: 1, Target: 4}, {Source: 8, Target: 8}}}
	f := unreal.Overriding(77, func(id uint64) bool { return id != 7 && id != 8 }, first, second)
	want := &unreal.ContainerFacts{Version: 5, ContainerID: 77, Packages: []unreal.StoredPackage{{ID: 1}, {ID: 3, Imports: []uint64{9}}},
		Redirects: []unreal.PackageRedirect{{Source: 1, Target: 4}}}
	if fmt.Sprintf("%+v", f) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v, want %+v", f, want)
	}
}

func BenchmarkInspect(b *testing.B) {
	all := minimal(b)
	n := int64(0)
	for _, it := range all {
		n += int64(len(it.Data))
	}
	b.SetBytes(n)
	b.ReportAllocs()
	for b.Loop() {
		for _, it := range all {
			if it.Entry.Type == "ExportBundleData" {
				if _, err := zen.Read(bytes.NewReader(it.Data), int64(len(it.Data))); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
