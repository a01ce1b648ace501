package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/internal/testkit"
)

// maker writes class data as engines do.
type maker struct {
	bytes.Buffer
	engine property.Engine
	start  int64 // of the export
}

func (m *maker) put(values ...any) {
	for _, v := range values {
		_ = binary.Write(m, binary.LittleEndian, v)
	}
}

func (m *maker) text(s string) {
	m.put(int32(len(s)+1), []byte(s), byte(0))
}

// names of the packages: positions are those in the name table.
func names() []string {
	return strings.Fields("None PF_B8G8R8A8 Texture2D /Script/Engine TextureCube SoundWave OGG PCM BINKA /Script/CoreUObject Package Class")
}

// bulk writes bytes that follow their header, or that lie in the sidecar.
func (m *maker) bulk(data []byte, outside bool) {
	flags := uint32(0x48)
	if outside {
		flags = 0x10501
	}
	m.put(flags, int32(len(data)), int32(len(data)), int64(0))
	if !outside {
		m.put(data)
	}
}

// noProperties writes an empty list of properties, and no GUID.
func (m *maker) noProperties() {
	if m.engine >= 504 {
		m.put(byte(0)) // no extensions
	}
	m.put(int32(0), int32(0), int32(0))
}

// texture writes a texture of two mips, 2 x 2 and 1 x 1 pixels.
func (m *maker) texture(outside bool) {
	m.noProperties()
	m.put([]byte{1, 0, 1, 0}, uint32(1))
	if m.engine >= 503 {
		m.put(uint32(1))
	}
	m.put(int32(1), int32(0)) // PF_B8G8R8A8
	at := m.Len()
	if m.engine >= 420 {
		m.put(int64(0))
	} else {
		m.put(int32(0))
	}
	if m.engine >= 500 {
		m.put(make([]byte, 16))
	}
	m.put(int32(4), int32(4), uint32(1))
	m.text("PF_B8G8R8A8")
	m.put(int32(1), int32(2))
	for k, side := range []int32{2, 1} {
		if m.engine < 500 {
			m.put(uint32(1))
		}
		m.bulk(bytes.Repeat([]byte{10, 20, 30, 40}, int(side*side)), outside && k == 0)
		m.put(side, side)
		if m.engine >= 420 {
			m.put(int32(1))
		}
	}
	if m.engine >= 423 {
		m.put(uint32(0))
	}
	end := int64(m.Len())
	b := m.Bytes()
	switch {
	case m.engine >= 500:
		binary.LittleEndian.PutUint64(b[at:], uint64(end)-uint64(at))
	case m.engine >= 420:
		binary.LittleEndian.PutUint64(b[at:], uint64(end+m.start))
	default:
		binary.LittleEndian.PutUint32(b[at:], uint32(end+m.start))
	}
	m.put(int32(0), int32(0))
}

// made returns a package with one export of a class.
func made(class string, e property.Engine, data []byte) *media.Package {
	f := &unreal.PackageFacts{Engine: "UE4", Flags: 0x80000200, Name: "/Game/P", HeaderSize: 100, Unversioned: true}
	if e >= 500 {
		f.Engine = "UE5"
	}
	for _, n := range names() {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	f.NameCount = len(f.Names)
	at := func(n string) unreal.ObjectName { return unreal.ObjectName{Index: int32(slices.Index(names(), n))} }
	f.Imports = []unreal.PackageImport{{Name: at("/Script/Engine"), Class: at("Package")}, {Name: at(class), Outer: -1, Class: at("Class")}}
	f.Exports = []unreal.PackageExport{{Class: -2, Name: at("None"), Offset: 100, Size: int64(len(data))}}
	f.ExportCount, f.ImportCount = 1, 2
	return &media.Package{PackageFacts: f, Options: property.Options{Engine: e}, Bytes: func(int) ([]byte, error) { return data, nil }}
}

// TestEngines reads a texture as each engine would write it, and without what is stored
// beside the package.
func TestEngines(t *testing.T) {
	for _, e := range []property.Engine{419, 420, 422, 423, 427, 500, 501, 502, 503, 504, 505, 600} {
		for _, outside := range []bool{false, true} {
			m := maker{engine: e, start: 100}
			m.texture(outside)
			p := made("Texture2D", e, m.Bytes())
			x, err := p.Texture(0)
			if err != nil {
				t.Errorf("%s: %v", e, err)
				continue
			}
			if x.Format != "PF_B8G8R8A8" || x.Width != 4 || len(x.Mips) != 2 || x.First != 1 {
				t.Errorf("%s: %+v", e, x)
			}
			out, mip, err := p.Picture(x, media.Which{Mip: -1, Slice: -1})
			want := 0
			if outside {
				want = 1 // what is there
			}
			if err != nil || mip != want || out.Bounds().Dx() != 2>>mip || out.At(0, 0) != (color.NRGBA{30, 20, 10, 40}) {
				t.Errorf("%s, outside %v: mip %d, %v, %v", e, outside, mip, out, err)
			}
			if _, _, err := p.Picture(x, media.Which{Mip: 0, Slice: -1}); outside != errors.Is(err, codecs.ErrNotFound) {
				t.Errorf("%s, outside %v: %v", e, outside, err)
			}
			p.Open = func(media.File) (io.ReaderAt, int64, error) { return bytes.NewReader(make([]byte, 16)), 16, nil }
			if _, mip, err := p.Picture(x, media.Which{Mip: -1, Slice: 0}); err != nil || mip != 0 {
				t.Errorf("%s: mip %d, %v", e, mip, err)
			}
			if _, _, err := p.Picture(x, media.Which{Mip: 0, Slice: 1 << 30}); !errors.Is(err, codecs.ErrNotFound) {
				t.Errorf("%s: %v", e, err)
			}
		}
	}
}

// TestMutations: whatever is damaged, an error or a picture. Of 10,000 mutations each of
// the fixtures' textures gets its share.
func TestMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := zenPackages(t, fixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc")
	var packages []*media.Package
	for name, p := range all {
		if strings.HasPrefix(name, "T_") {
			packages = append(packages, p)
		}
	}
	n := testkit.Of(1000, 10_000)
	for k := range n {
		p := *packages[k%len(packages)]
		original := p.Bytes
		p.Bytes = func(i int) ([]byte, error) {
			data, err := original(i)
			data = slices.Clone(data)
			for range 1 + rnd.IntN(4) {
				at := rnd.IntN(min(len(data), 600))
				data[at] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rnd.Uint32())}[rnd.IntN(6)]
			}
			if rnd.IntN(8) == 0 {
				data = data[:rnd.IntN(len(data))]
			}
			return data, err
		}
		for i := range p.Exports {
			if !media.IsTexture(p.ClassOf(i)) {
				continue
			}
			if x, err := p.Texture(i); err == nil && k%10 == 0 {
				_, _, _ = p.Picture(x, media.Which{Mip: -1, Slice: -1})
			}
		}
	}
}

// FuzzTexture: class data of any kind is an error or a texture, whose pixels are an error
// or a picture.
func FuzzTexture(f *testing.F) {
	engines := []property.Engine{419, 423, 427, 500, 505, 600}
	for i, e := range engines {
		m := maker{engine: e, start: 100}
		m.texture(i%2 == 0)
		f.Add(uint8(i), m.Bytes())
	}
	f.Fuzz(func(_ *testing.T, engine uint8, data []byte) {
		p := made("Texture2D", engines[int(engine)%len(engines)], data)
		p.Open = func(media.File) (io.ReaderAt, int64, error) { return bytes.NewReader(data), int64(len(data)), nil }
		if x, err := p.Texture(0); err == nil {
			_, _, _ = p.Picture(x, media.Which{Mip: -1, Slice: -1})
		}
	})
}
