package property_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/property"
)

// out writes little-endian fields.
type out struct{ bytes.Buffer }

func (o *out) put(values ...any) *out {
	for _, v := range values {
		if s, ok := v.(string); ok {
			o.WriteString(s)
			continue
		}
		binary.Write(&o.Buffer, binary.LittleEndian, v)
	}
	return o
}

// body is what FORMAT.md says of mappings, of one enum and two structs, in the form of
// a version.
func body(version uint8) []byte {
	o := &out{}
	names := []string{"EKind", "Red", "Blue", "Base", "Rifle", "Kind", "Costs", "Grid", "Where", "Vector", "Tags"}
	o.put(uint32(len(names)))
	for _, n := range names {
		if version >= 2 {
			o.put(uint16(len(n)), n)
		} else {
			o.put(uint8(len(n)), n)
		}
	}
	o.put(uint32(1), uint32(0))
	if version >= 3 {
		o.put(uint16(2))
	} else {
		o.put(uint8(2))
	}
	for i, value := range []int64{0, 7} {
		if version >= 4 {
			o.put(value)
		}
		o.put(uint32(1 + i))
	}
	o.put(uint32(2))
	o.put(uint32(3), uint32(0xFFFFFFFF), uint16(1), uint16(1), uint16(0), uint8(1), uint32(8), uint8(9), uint32(9)) // Base: Where, a Vector
	o.put(uint32(4), uint32(3), uint16(6), uint16(4))
	o.put(uint16(0), uint8(1), uint32(5), uint8(26), uint8(0), uint32(0))          // Kind, an enum over a byte
	o.put(uint16(1), uint8(1), uint32(6), uint8(24), uint8(5), uint8(8), uint8(2)) // Costs, a map of names to arrays
	o.put(uint16(2), uint8(3), uint32(7), uint8(3))                                // Grid, three floats
	o.put(uint16(5), uint8(1), uint32(10), uint8(28), uint8(9), uint32(9))         // Tags, an optional vector
	return o.Bytes()
}

func file(version, compression uint8, stored []byte, size int) []byte {
	o := &out{}
	o.put(uint16(0x30C4), version)
	if version >= 1 {
		o.put(uint32(1), int32(522), int32(1018), uint32(1), uint32(0x375EC13C), uint32(0x06E448FB), uint32(0xB50084F0), uint32(0x262A717E), int32(4), uint32(12345))
	}
	o.put(compression, uint32(len(stored)), uint32(size))
	o.Write(stored)
	return o.Bytes()
}

func compressed(t *testing.T, method uint8, data []byte) []byte {
	var b bytes.Buffer
	switch method {
	case 0:
		return data
	case 2:
		w := brotli.NewWriter(&b)
		w.Write(data)
		w.Close()
	case 3:
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(data)
		w.Close()
	}
	return b.Bytes()
}

// bomb is a file of a few kilobytes, of mappings that begin so and have zeros for the rest.
func bomb(t *testing.T, head []byte, size int) []byte {
	return file(3, 3, compressed(t, 3, append(bytes.Clone(head), make([]byte, size)...)), len(head)+size)
}

func TestVersionsAndCompressions(t *testing.T) {
	for version := range uint8(5) {
		for _, method := range []uint8{0, 2, 3} {
			data := body(version)
			m, err := property.ReadUsmap(file(version, method, compressed(t, method, data), len(data)))
			if err != nil {
				t.Fatalf("version %d, method %d: %v", version, method, err)
			}
			if want := [...]string{0: "", 2: "brotli", 3: "zstd"}[method]; m.Version != int(version) || m.Compression != want || m.Names != 11 {
				t.Errorf("version %d: %+v", version, m)
			}
			blue := int64(1)
			if version >= 4 {
				blue = 7
			}
			if e := m.Enums[0]; len(m.Enums) != 1 || e.Name != "EKind" || e.NameOf(blue) != "Blue" || e.NameOf(2) != "" {
				t.Errorf("version %d: enum %+v", version, e)
			}
			if version >= 1 && (m.UE4 != 522 || m.UE5 != 1018 || m.ChangeList != 12345 || m.Custom[0].Key.String() != "375ec13c06e448fbb50084f0262a717e") {
				t.Errorf("version %d: %+v", version, m)
			}
			var got []string
			s := m.Library().Struct("", "RIFLE")
			for _, f := range s.Fields {
				got = append(got, f.Name+" "+f.Type.String())
			}
			if want := "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Float, Tags Optional<Struct<Vector>>"; strings.Join(got, ", ") != want || s.Super != "Base" || s.Positions != 6 || s.Fields[2].Count != 3 {
				t.Errorf("version %d: %v of %+v", version, got, s)
			}
		}
	}
}

// Extensions give packages, values of enums and flags; the others are passed over.
func TestExtensions(t *testing.T) {
	data := &out{}
	data.Write(body(3))
	block := func(name string, o *out) {
		data.put(name, uint32(o.Len()))
		data.Write(o.Bytes())
	}
	data.put("CEXT", uint8(0), uint32(4))
	block("PPTH", new(out).put(uint8(0), uint32(1), uint32(1), uint32(2), uint32(2), uint32(1)))
	block("EATR", new(out).put(uint8(0), uint32(1), uint32(9), uint32(2), uint8(1), uint32(8), uint32(1), uint64(77), uint8(2), uint32(8), uint32(0)))
	block("ENVP", new(out).put(uint8(0), uint32(1), uint32(1), uint32(2), int64(-5)))
	block("WHAT", new(out).put("anything"))
	m, err := property.ReadUsmap(file(3, 0, data.Bytes(), data.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if e := m.Enums[0]; e.Path != "Red" || len(e.Members) != 1 || e.NameOf(-5) != "Blue" {
		t.Errorf("enum %+v", e)
	}
	if s := m.Structs; s[0].Path != "Blue" || s[1].Path != "Red" || s[1].SuperPath != "Blue" || s[0].Fields[0].Flags != 77 {
		t.Errorf("structs %+v, %+v", s[0], s[1])
	}
	if got := strings.Join(m.Extensions, " "); got != "PPTH EATR ENVP WHAT" {
		t.Errorf("extensions %s", got)
	}
}

// Structs whose names repeat are told apart by their packages: as parents and as types
// of properties, that of the same package is meant.
func TestNamesThatRepeat(t *testing.T) {
	o := &out{}
	names := []string{"Part", "Whole", "/A", "/B", "X"}
	o.put(uint32(len(names)))
	for _, n := range names {
		o.put(uint16(len(n)), n)
	}
	o.put(uint32(0), uint32(4))
	for range 2 {
		o.put(uint32(0), uint32(0xFFFFFFFF), uint16(0), uint16(0))
		o.put(uint32(1), uint32(0), uint16(1), uint16(1), uint16(0), uint8(1), uint32(4), uint8(8), uint8(9), uint32(0))
	}
	o.put("CEXT", uint8(0), uint32(1), "PPTH", uint32(1+4+4+16), uint8(0), uint32(0), uint32(4), uint32(2), uint32(2), uint32(3), uint32(3))
	m, err := property.ReadUsmap(file(3, 0, o.Bytes(), o.Len()))
	if err != nil {
		t.Fatal(err)
	}
	l := m.Library()
	for _, path := range []string{"/A", "/B"} {
		s := l.Struct(path, "Whole")
		if s == nil || s.Path != path || s.SuperPath != path || s.Fields[0].Type.Elem.Path != path {
			t.Errorf("%s: %+v", path, s)
		}
	}
	if s := l.Struct("", "whole"); s.Path != "/A" {
		t.Errorf("without a path: %s", s.Path)
	}
	if l.Struct("/C", "Whole") != nil {
		t.Error("a struct of another package was taken")
	}
}

func TestBadFiles(t *testing.T) {
	good := body(3)
	whole := file(3, 0, good, len(good))
	withLines := append(bytes.Clone(good), "\r\n"...)
	for _, c := range []struct {
		name  string
		data  []byte
		class error
		says  string
	}{
		{"empty", nil, codecs.ErrUnknown, "magic"},
		{"another file", []byte("PK\x03\x04 and some more"), codecs.ErrUnknown, "magic"},
		{"newer", append([]byte{0xC4, 0x30, 9}, whole[3:]...), codecs.ErrUnknown, "9 > 4"},
		{"compression", file(3, 9, good, len(good)), codecs.ErrUnknown, "compression 9"},
		{"larger than said", file(3, 0, good, len(good)-1), codecs.ErrCorrupt, "bytes decoded"},
		{"a bomb", file(3, 2, compressed(t, 2, make([]byte, 1<<20)), 100), codecs.ErrCorrupt, "101 bytes decoded"},
		{"a giant", file(3, 3, good, 1<<31), codecs.ErrLimit, "2147483648"},
		{"no Oodle", file(3, 1, good, len(good)), codecs.ErrCorrupt, "oodle"},
		{"cut", whole[:len(whole)-7], codecs.ErrTruncated, "stored as text"},
		{"cut, with line ends", file(3, 0, withLines, len(withLines))[:len(whole)-20], codecs.ErrTruncated, "the header says"},
		{"names", file(3, 0, []byte{255, 255, 255, 127}, 4), codecs.ErrCorrupt, "data.names"},
		{"a bomb of names", bomb(t, binary.LittleEndian.AppendUint32(nil, 30<<20), 31<<20), codecs.ErrLimit, "31457280 names > 1048576"},
		{"a bomb of structs", bomb(t, []byte("\x01\x00\x00\x00\x01\x00A\x00\x00\x00\x00\x00\x00\x20\x00"), 31<<20), codecs.ErrLimit, "more than 1048576"},
		{"body cut", file(3, 0, good[:len(good)-3], len(good)-3), codecs.ErrCorrupt, "data.structs"},
		{"body longer", file(3, 0, append(bytes.Clone(good), 1, 2, 3, 4, 5), len(good)+5), codecs.ErrCorrupt, "in place of extensions"},
	} {
		_, err := property.ReadUsmap(c.data)
		if !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %v with %q", c.name, err, c.class, c.says)
		}
	}
}

// An odd item is a problem and unknown; all others are read.
func TestOddItems(t *testing.T) {
	deep := strings.Repeat("\x08", 12) + "\x02"
	change := func(old, new string) []byte {
		data := body(3)
		if n := bytes.Count(data, []byte(old)); n == 0 {
			t.Fatalf("no %q", old)
		}
		return bytes.Replace(data, []byte(old), []byte(new), 1)
	}
	blocks := func(blocks ...string) []byte {
		o := new(out).put("CEXT", uint8(0), uint32(len(blocks)))
		for _, b := range blocks {
			o.put(b[:4], uint32(len(b)-4), b[4:])
		}
		return append(body(3), o.Bytes()...)
	}
	for _, c := range []struct {
		name string
		data []byte
		says string // the only problem
		want string // the fields of Rifle
	}{
		{"no elements", change("\x02\x00\x03\x07", "\x02\x00\x00\x07"), "Rifle.Grid: corrupt: 0 elements from position 2 of 6", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Unknown, Tags Optional<Struct<Vector>>"},
		{"too many elements", change("\x02\x00\x03\x07", "\x02\x00\x05\x07"), "Rifle.Grid: corrupt: 5 elements from position 2 of 6", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Unknown, Tags Optional<Struct<Vector>>"},
		{"a type of another number", change("\x07\x00\x00\x00\x03", "\x07\x00\x00\x00\x63"), "Rifle.Grid: corrupt: type 99", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Unknown, Tags Optional<Struct<Vector>>"},
		{"a name that there is none of", change("\x07\x00\x00\x00\x03", "\x63\x00\x00\x00\x03"), "Rifle.?99: corrupt: name 99 of 11", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, ?99 Float, Tags Optional<Struct<Vector>>"},
		{"a deep type", change("\x1c"+"\x09\x09\x00\x00\x00", deep), "Rifle.Tags: corrupt: type nested more than 8 deep", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Float, Tags " + strings.Repeat("Array<", 9) + "Unknown" + strings.Repeat(">", 9)},
		{"an extension", blocks("EATR\x00\x09\x00\x00\x00", "PPTH\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00"), "EATR: corrupt: ", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Float, Tags Optional<Struct<Vector>>"},
		{"an extension that is cut", append(body(3), "CEXT\x00\x01\x00\x00\x00PPTH\xff\x00\x00\x00\x00"...), "extensions: corrupt: ", "Kind Enum<EKind>, Costs Map<Name,Array<Int>>, Grid Float, Tags Optional<Struct<Vector>>"},
	} {
		m, err := property.ReadUsmap(file(3, 0, c.data, len(c.data)))
		if err != nil || len(m.Problems) != 1 || !strings.HasPrefix(m.Problems[0].Error(), c.says) {
			t.Errorf("%s: %v, %+v", c.name, err, m)
			continue
		}
		var got []string
		for _, f := range m.Library().Struct("", "Rifle").Fields {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if base := m.Library().Struct("", "Base"); len(base.Fields) != 1 || base.Fields[0].Name != "Where" {
			t.Errorf("%s: %+v", c.name, base)
		}
	}
	if m, err := property.ReadUsmap(file(3, 0, append([]byte{1, 0, 0, 0, 0, 17}, make([]byte, 4352+8)...), 4366)); err != nil || m.Problems[0].Error() != "name 0: corrupt: 4352 bytes > 4096" {
		t.Errorf("a long name: %v, %+v", err, m)
	}
	m, err := property.OpenUsmap(codecstest.Sample(t, "bugs", "zero-array.usmap"))
	if err != nil || len(m.Structs) != 2 || len(m.Structs[0].Fields) != 3 || m.Structs[0].Fields[2].Name != "Ammo" || len(m.Problems) != 1 {
		t.Errorf("%v, %+v", err, m)
	}
}

// An odd item that puts all that follows out of step is one that costs the file.
func TestOutOfStep(t *testing.T) {
	data := bytes.Replace(body(3), []byte("\x07\x00\x00\x00\x03"), []byte("\x07\x00\x00\x00\x63\x01\x02\x03\x04"), 1)
	if m, err := property.ReadUsmap(file(3, 0, data, len(data))); !errors.Is(err, codecs.ErrCorrupt) {
		t.Errorf("%v, %+v", err, m)
	}
}

// The mappings of the samples: every file is read to its last byte, and what an
// independent reader found in one of them is the same.
func TestUsmapSamples(t *testing.T) {
	text, err := os.ReadFile(codecstest.Sample(t, "unreal-properties", "truth", "cue4parse-UE5_8", "usmap.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Version, Names, Enums, Structs int
		First                          [][]any `json:"first_structs"`
		Sample                         [][]any `json:"enum_sample"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	m, err := property.OpenUsmap(codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "CUE4ParseFixtures-Zstandard.usmap"))
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != want.Version || m.Names != want.Names || len(m.Enums) != want.Enums || len(m.Structs) != want.Structs {
		t.Errorf("version %d, %d names, %d enums, %d structs; want %d, %d, %d, %d", m.Version, m.Names, len(m.Enums), len(m.Structs), want.Version, want.Names, want.Enums, want.Structs)
	}
	for i, w := range want.First {
		s := m.Structs[i]
		super, _ := w[1].(string)
		if s.Name != w[0] || s.Super != super || float64(s.Positions) != w[2] || float64(len(s.Fields)) != w[3] {
			t.Errorf("struct %d: %s of %s with %d of %d, want %v", i, s.Name, s.Super, len(s.Fields), s.Positions, w)
		}
	}
	for i, w := range want.Sample {
		e := m.Enums[i]
		if members := w[1].(map[string]any); e.Name != w[0] || len(e.Members) != len(members) {
			t.Errorf("enum %d: %s with %d members, want %v", i, e.Name, len(e.Members), w)
		}
	}
	files, _ := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-properties", "uassetapi"), "*.usmap"))
	for _, f := range files {
		m, err := property.OpenUsmap(f)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Logf("%s: version %d, %s, %d structs, %v", filepath.Base(f), m.Version, m.Compression, len(m.Structs), m.Extensions)
	}
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
}

// FuzzRead: any bytes give mappings or an error, and mappings can be asked for all that
// is in them.
func FuzzRead(f *testing.F) {
	for version := range uint8(5) {
		f.Add(file(version, 0, body(version), len(body(version))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := property.ReadUsmap(data)
		if err != nil {
			return
		}
		l := m.Library()
		for _, s := range m.Structs {
			if l.Struct(s.Path, s.Name) == nil {
				t.Fatalf("no %s.%s", s.Path, s.Name)
			}
			for _, field := range s.Fields {
				if field.Type == nil || field.Type.String() == "" {
					t.Fatalf("%s.%s has no type", s.Name, field.Name)
				}
			}
		}
		var _ property.Schemas = l
	})
}
