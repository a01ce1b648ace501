package textfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal"
)

var update = flag.Bool("update", false, "rewrite the corpus")

const magic = "\xe7\x9e\x7f\x71\x3a\x49\xb0\xe9\x32\x91\xb3\x88\x07\x81\x38\x1b"

// maker writes a registry of one asset /Game/A.A, which needs /Game/B, with a tag.
type maker struct {
	version int
	bits    int // of each of 20 managed packages; 0: there are none
	b       []byte
	names   []string
}

func (m *maker) u32(all ...int) {
	for _, v := range all {
		m.b = binary.LittleEndian.AppendUint32(m.b, uint32(v))
	}
}

func (m *maker) u64(v int64)    { m.b = binary.LittleEndian.AppendUint64(m.b, uint64(v)) }
func (m *maker) str(s string)   { m.b = unreal.AppendFString(m.b, s) }
func (m *maker) u8(all ...byte) { m.b = append(m.b, all...) }

func (m *maker) at(name string) int {
	if !slices.Contains(m.names, name) {
		m.names = append(m.names, name)
	}
	return slices.Index(m.names, name)
}

func (m *maker) name(all ...string) {
	for _, name := range all {
		m.u32(m.at(name))
		if m.version < 8 {
			m.u32(0)
		}
	}
}

func (m *maker) class() {
	if m.version >= 14 {
		m.name("/Script/Engine")
	}
	m.name("Texture2D")
}

// names are written first, so that all of them are known.
var names = []string{"/Game/A.A", "/Game", "/Game/A", "/Game/B", "A", "Texture2D", "/Script/Engine", "Format", "None", "Bundle", "Class"}

// registry returns a file of a version.
func registry(version int) []byte { return managing(version, 0) }

// managing returns one that manages packages, with so many bits each.
func managing(version, bits int) []byte {
	m := &maker{version: version, bits: bits}
	if version == 0 {
		m.u32(1)
		for _, s := range []string{"/Game/A.A", "/Game", "Texture2D", "", "/Game/A", "A"} {
			m.str(s)
		}
		m.u32(1)
		m.str("Format")
		m.str("BC7")
		m.u32(2, 0, 3)
		return m.b
	}
	m.names = slices.Clone(names)
	m.b = append(m.b, magic...)
	m.u32(version)
	if version >= 16 {
		m.u32(1)
	}
	m.head()
	m.u32(1)
	if version < 15 {
		m.name("/Game/A.A")
	}
	m.name("/Game")
	m.class()
	if version < 4 {
		m.name("None")
	}
	m.name("/Game/A", "A")
	if version == 15 {
		m.name("None") // outer
	}
	if version < 8 {
		m.u32(1)
		m.name("Format")
		m.str("BC7")
	} else {
		m.u64(-1<<63 | 1<<32)
		m.u32(1)
		m.name("Bundle")
		m.u32(1)
		m.name("/Game/B")
		if version >= 14 {
			m.name("None")
		}
		m.u32(0)
	}
	m.u32(2, 0, 3, 0x200)
	m.dependencies()
	m.packages()
	if version >= 2 && version < 8 {
		binary.LittleEndian.PutUint64(m.b[20:], uint64(len(m.b)))
		m.u32(len(m.names))
		for _, name := range m.names {
			m.str(name)
			m.u32(0)
		}
	}
	return m.b
}

func (m *maker) head() {
	switch {
	case m.version < 2:
		m.names = nil
	case m.version < 8:
		m.u64(0)
	default:
		var headers, texts []byte
		for _, name := range m.names {
			headers = binary.BigEndian.AppendUint16(headers, uint16(len(name)))
			texts = append(texts, name...)
		}
		m.u32(len(m.names), len(texts))
		m.u64(0)
		m.b = append(append(append(m.b, make([]byte, 8*len(m.names))...), headers...), texts...)
		m.store()
	}
}

// store has a pair: Format, the 8-bit string BC7.
func (m *maker) store() {
	align := func() {
		for m.version >= 24 && len(m.b)%16 > 0 {
			m.u8(0)
		}
	}
	align()
	mark := 0x12345679
	if m.version < 14 {
		mark = 0x12345678
	}
	m.u32(mark, 0, 0, 0, 0, 0, 1, 0, 4, 0, 1, 0)
	if mark == 0x12345679 {
		align()
		m.u32(0)
	}
	align()
	m.u32(0)
	align()
	m.u8('B', 'C', '7', 0)
	align()
	m.u32(m.at("Format"), 0)
	align()
	m.u32(0x87654321)
}

func (m *maker) dependencies() {
	length := len(m.b)
	if m.version >= 7 {
		m.u64(0)
	}
	m.u32(2)
	for _, name := range []string{"/Game/A", "/Game/B"} {
		m.u8(1)
		m.name(name)
		to := 0
		if name == "/Game/A" {
			to = 1
		}
		switch {
		case m.version >= 8:
			if m.u32(to); to == 1 {
				m.u32(1, 3)
			}
			m.u32(0)
			m.managed(to)
			m.u32(0)
		case m.version >= 5:
			if m.u32(to, 0, 0, 0, 0, 0); to == 1 {
				m.u32(1)
			}
		default:
			if m.u32(to, 0, 0, 0, 0); to == 1 {
				m.u32(1)
			}
		}
	}
	if m.version >= 7 {
		binary.LittleEndian.PutUint64(m.b[length:], uint64(len(m.b)-length-8))
	}
}

// managed writes 20 managed packages, all with their lowest bit.
func (m *maker) managed(to int) {
	if m.bits == 0 || to == 0 {
		m.u32(0)
		return
	}
	m.u32(20)
	words := make([]int, (20*m.bits+31)/32)
	for i := range 20 {
		m.u32(to)
		words[i*m.bits/32] |= 1 << (i * m.bits % 32)
	}
	m.u32(words...)
}

// TestManagerBits: both numbers of bits are told apart by where the lists end.
func TestManagerBits(t *testing.T) {
	for _, version := range []int{8, 16, 20, 24} {
		for _, bits := range []int{1, 3} {
			facts, err := registryInspect(managing(version, bits))
			if err != nil || len(facts.Problems) > 0 {
				t.Errorf("version %d, %d bits: %v, %+v", version, bits, err, facts)
				continue
			}
			managed := 0
			for _, d := range facts.Detail.(*unreal.RegistryFacts).Dependencies {
				if d.Kind == unreal.Manages && d.Flags == 1 {
					managed++
				}
			}
			if managed != 20 {
				t.Errorf("version %d, %d bits: %d managed packages", version, bits, managed)
			}
		}
	}
}

func (m *maker) packages() {
	m.u32(1)
	m.name("/Game/A")
	m.u64(1234)
	hash := make([]byte, 20)
	if m.version < 20 {
		hash = hash[:16]
	}
	m.u8(hash...)
	if m.version >= 6 {
		m.u32(1)
		m.u8(make([]byte, 16)...)
	}
	if m.version >= 13 {
		m.u32(0)
	}
	if m.version >= 9 {
		m.u32(522)
		if m.version >= 11 {
			m.u32(1000)
		}
		m.u32(0, 0, 0)
	}
	if m.version >= 10 {
		m.u32(1)
		m.name("Class")
	}
	if m.version >= 17 {
		m.u32(0)
	}
}

func TestRegistryVersions(t *testing.T) {
	for version := range 25 {
		if version == 1 {
			continue // has no table of names that is known
		}
		facts, err := registryInspect(registry(version))
		if err != nil || len(facts.Problems) > 0 {
			t.Errorf("version %d: %v, %+v", version, err, facts)
			continue
		}
		f := facts.Detail.(*unreal.RegistryFacts)
		var got []string
		for _, a := range f.Assets {
			got = append(got, fmt.Sprintf("asset %s %s %s chunks %s", f.Texts[a.Package], f.Texts[a.Object], f.Texts[a.Class], a.Chunks))
		}
		for _, tag := range f.Tags {
			got = append(got, fmt.Sprintf("tag %d %s %s", tag.Asset, f.Texts[tag.Name], f.Texts[tag.Value]))
		}
		for _, d := range f.Dependencies {
			got = append(got, fmt.Sprintf("needs %s %s %d hard %d", f.Texts[d.From], f.Texts[d.To], d.Kind, d.Flags&1))
		}
		for _, p := range f.Packages {
			got = append(got, fmt.Sprintf("package %s %d", f.Texts[p.Package], p.DiskSize))
		}
		class := "Texture2D"
		if version >= 14 {
			class = "/Script/Engine.Texture2D"
		}
		want := []string{"asset /Game/A A " + class + " chunks 0,3", "tag 0 Format BC7"}
		if version > 0 {
			want = append(want, "needs /Game/A /Game/B 0 hard 1", "package /Game/A 1234")
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("version %d: %s", version, d)
		}
	}
}

// TestCut: each cut is an error or a problem, with its place.
// TestOddNode: the length of dependencies says where packages begin, whatever is wrong
// with a node.
func TestOddNode(t *testing.T) {
	for _, version := range []int{7, 13, 24} {
		whole := registry(version)
		good, err := registryInspect(whole)
		if err != nil {
			t.Fatal(err)
		}
		odd, assets := 0, len(good.Detail.(*unreal.RegistryFacts).Assets)
		for at := range whole {
			if at+4 > len(whole) {
				break
			}
			damaged := bytes.Clone(whole)
			binary.LittleEndian.PutUint32(damaged[at:], 0x7fffff00)
			facts, err := registryInspect(damaged)
			if err != nil || len(facts.Problems) != 1 || facts.Problems[0].Field != "dependencies" || !errors.Is(facts.Problems[0], codecs.ErrCorrupt) {
				continue
			}
			odd++
			if f := facts.Detail.(*unreal.RegistryFacts); len(f.Assets) != assets || len(f.Packages) != 1 {
				t.Errorf("version %d, byte %d: %d assets, %d packages: %v", version, at, len(f.Assets), len(f.Packages), facts.Problems[0])
			}
		}
		if odd == 0 {
			t.Errorf("version %d: no odd node", version)
		}
	}
}

func TestCut(t *testing.T) {
	for _, version := range []int{0, 3, 7, 13, 24} {
		whole := registry(version)
		for n := range whole {
			facts, err := registryInspect(whole[:n])
			if err == nil && len(facts.Problems) == 0 {
				t.Errorf("version %d, cut to %d of %d: nothing is reported", version, n, len(whole))
			}
			checkPlaces(t, facts, err)
		}
	}
}

func checkPlaces(t *testing.T, facts *codecs.Facts, err error) {
	t.Helper()
	if (facts == nil) == (err == nil) {
		t.Fatalf("facts %v, err %v", facts, err)
	}
	all := []error{err}
	if facts != nil {
		all = nil
		for _, p := range facts.Problems {
			all = append(all, p)
		}
	}
	for _, err := range all {
		var at *codecs.FormatError
		if !errors.As(err, &at) || at.Off < 0 || at.Field == "" {
			t.Fatalf("%v: no place", err)
		}
	}
}

func TestRegistryCorpus(t *testing.T) {
	for _, version := range []int{0, 3, 5, 7, 13, 24} {
		codecstest.Corpus(t, *update, "FuzzRegistryInspect", fmt.Sprint("version", version), fmt.Sprintf("[]byte(%q)", registry(version)))
	}
}

func FuzzRegistryInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, body []byte) {
		facts, err := registryInspect(body)
		checkPlaces(t, facts, err)
		if err == nil {
			facts.Detail.Batch()
		}
	})
}
