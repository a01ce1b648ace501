package media_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image/color"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
)

// compact writes a compact index below 8192.
func compact(n int) []byte {
	if n < 64 {
		return []byte{byte(n)}
	}
	return []byte{byte(n&63) | 0x40, byte(n >> 6)}
}

// ue1 returns a package of UE1 with a texture of 2 x 2 indices into a palette.
func ue1(palette unreal.ObjectRef) *media.Package {
	f := &unreal.PackageFacts{Engine: "UE1", Version: 69}
	for _, n := range strings.Fields("None Texture Palette Engine T P Class Package Core bMasked Other") {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	f.NameCount = len(f.Names)
	name := func(k int32) unreal.ObjectName { return unreal.ObjectName{Index: k} }
	f.Imports = []unreal.PackageImport{{Name: name(3), Class: name(7)}, {Name: name(1), Outer: -1, Class: name(6)}, {Name: name(2), Outer: -1, Class: name(6)},
		{Name: name(10), Class: name(7)}, {Name: name(5), Outer: -4, Class: name(2)}}
	f.Exports = []unreal.PackageExport{{Class: -2, Name: name(4)}, {Class: -3, Name: name(5)}}
	f.ImportCount, f.ExportCount = len(f.Imports), 2
	var x, p bytes.Buffer
	ref := byte(palette)
	if palette < 0 {
		ref = byte(-palette) | 0x80
	}
	x.Write([]byte{2, 0x05, ref, 9, 0xd3, 0, 0}) // Palette: an object; bMasked: true; None
	x.Write(compact(1))
	x.Write([]byte{0, 0, 0, 0, 4, 0, 1, 1, 2})
	_ = binary.Write(&x, binary.LittleEndian, []int32{2, 2})
	x.Write([]byte{1, 1})
	p.Write([]byte{0})
	p.Write(compact(256))
	p.Write([]byte{9, 9, 9, 0, 255, 0, 0, 0, 0, 0, 255, 0})
	p.Write(make([]byte, 253*4))
	return &media.Package{PackageFacts: f, Bytes: func(i int) ([]byte, error) { return [][]byte{x.Bytes(), p.Bytes()}[i], nil }}
}

// TestPalette reads a picture whose palette is of its own package, and of another one.
func TestPalette(t *testing.T) {
	other := ue1(-5)
	if _, err := other.Texture(0); !errors.Is(err, codecs.ErrNotFound) {
		t.Errorf("without the other package: %v", err)
	}
	other.Package = func(name string) (*media.Package, error) {
		if name != "Other" {
			return nil, codecs.ErrNotFound
		}
		return ue1(2), nil
	}
	for _, p := range []*media.Package{ue1(2), other} {
		x, err := p.Texture(0)
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := p.Picture(x, media.Which{Mip: 0, Slice: -1})
		if err != nil || x.Format != "PF_P8" || x.Width != 2 {
			t.Fatalf("%+v, %v", x, err)
		}
		var got []color.Color
		for k := range 4 {
			got = append(got, out.At(k%2, k/2))
		}
		red := color.NRGBA{255, 0, 0, 255}
		if want := []color.Color{color.NRGBA{}, red, red, color.NRGBA{0, 0, 255, 255}}; !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// ue3 returns a package of UE3 with a texture of 8 x 8 pixels, one mip of which is compressed.
func ue3(t testing.TB, m compress.Method, flags uint32) *media.Package {
	t.Helper()
	f := &unreal.PackageFacts{Engine: "UE3", Version: 864}
	for _, n := range strings.Fields("None Texture2D Engine T Class Package Core Format ByteProperty EPixelFormat PF_DXT1 SizeX IntProperty SizeY") {
		f.Names = append(f.Names, unreal.PackageName{Text: n})
	}
	f.NameCount = len(f.Names)
	name := func(k int32) unreal.ObjectName { return unreal.ObjectName{Index: k} }
	f.Imports = []unreal.PackageImport{{Name: name(2), Class: name(5)}, {Name: name(1), Outer: -1, Class: name(4)}}
	f.Exports = []unreal.PackageExport{{Class: -2, Name: name(3)}}
	f.ImportCount, f.ExportCount = 2, 1
	w := &maker{}
	w.put(int32(-1)) // net index
	w.put(int32(7), int32(0), int32(8), int32(0), int32(8), int32(0), int32(9), int32(0), int32(10), int32(0))
	for _, k := range []int32{11, 13} {
		w.put(k, int32(0), int32(12), int32(0), int32(4), int32(0), int32(8))
	}
	w.put(int32(0), int32(0))
	w.put(int32(0), int32(0), int32(0), int32(0)) // no source
	w.put(int32(2))
	pixels := bytes.Repeat([]byte{0, 0xf8, 0, 0xf8, 0, 0, 0, 0}, 4)      // red
	packed := slices.Concat([]byte{17 + 32}, pixels, []byte{0x11, 0, 0}) // LZO: literals, and the end
	if m != compress.LZO1X {
		var err error
		if packed, err = compress.Encode(m, nil, pixels); err != nil {
			t.Fatal(err)
		}
	}
	w.put(flags, int32(len(pixels)), int32(24+len(packed)), int32(0))
	w.put(uint32(0x9E2A83C1), int32(0x20000), int32(len(packed)), int32(len(pixels)), int32(len(packed)), int32(len(pixels)), packed)
	w.put(int32(8), int32(8))
	w.put(uint32(1), int32(8), int32(8), int32(0), int32(4), int32(4)) // in a .tfc
	w.put(make([]byte, 16+4+4+4+16+4))
	return &media.Package{PackageFacts: f, Bytes: func(int) ([]byte, error) { return w.Bytes(), nil }}
}

func TestCompressedMips(t *testing.T) {
	for m, flags := range map[compress.Method]uint32{compress.Zlib: 2, compress.LZO1X: 0x10} {
		p := ue3(t, m, flags)
		x, err := p.Texture(0)
		if err != nil {
			t.Fatal(err)
		}
		out, mip, err := p.Picture(x, media.Which{Mip: -1, Slice: -1})
		if err != nil || mip != 0 || out.At(7, 7) != (color.NRGBA{255, 0, 0, 255}) || x.Width != 8 || len(x.Mips) != 2 {
			t.Errorf("%s: %+v, %v", m, x, err)
		}
	}
	if p := ue3(t, compress.Zlib, 0x80); true {
		x, err := p.Texture(0)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.Picture(x, media.Which{Mip: 0, Slice: -1}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("LZX: %v", err)
		}
	}
}

// TestEditorTexture reads a texture of a real game's interface.
func TestEditorTexture(t *testing.T) {
	data, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "GUI_v859.upk"))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := pkg.Read(context.Background(), bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	p := &media.Package{PackageFacts: &pkg.PackageFacts, Bytes: func(i int) ([]byte, error) {
		r, err := pkg.OpenExport(i, nil)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}}
	eachTexture(t, map[string]*media.Package{"GUI": p}, func(_ string, _ *media.Package, x *media.Texture) {
		out, _, err := p.Picture(x, media.Which{Mip: -1, Slice: -1})
		if err != nil || out.Bounds().Dx() != 1024 || x.Width != 1024 {
			t.Errorf("%+v, %v", x, err)
		}
	})
}

// FuzzOldTexture is [FuzzTexture] of UE1 and UE3.
func FuzzOldTexture(f *testing.F) {
	for _, p := range []*media.Package{ue1(2), ue3(f, compress.Zlib, 2)} {
		data, _ := p.Bytes(0)
		f.Add(p.Version > 100, data)
	}
	f.Fuzz(func(t *testing.T, third bool, data []byte) {
		p := ue1(2)
		if third {
			p = ue3(t, compress.Zlib, 2)
		}
		own := p.Bytes
		p.Bytes = func(i int) ([]byte, error) {
			if i == 0 {
				return data, nil
			}
			return own(i)
		}
		if x, err := p.Texture(0); err == nil {
			_, _, _ = p.Picture(x, media.Which{Mip: -1, Slice: -1})
		}
	})
}
