package texture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/texture"
	"pakdb/codecs/retropak"
)

var update = flag.Bool("update", false, "rewrite the corpus")

func u16(v int) string { return string(binary.LittleEndian.AppendUint16(nil, uint16(v))) }
func u32(v int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(v))) }

// dds returns the head of a .dds; format is 32 bytes.
func dds(w, h, depth, mips int, format string, caps2 int) string {
	return "DDS " + u32(124) + u32(0) + u32(h) + u32(w) + u32(0) + u32(depth) + u32(mips) + strings.Repeat("\x00", 44) + format + u32(0) + u32(caps2) + strings.Repeat("\x00", 12)
}

func fourCC(text string) string { return u32(32) + u32(4) + text + strings.Repeat("\x00", 20) }

func masks(flags, bits, r, g, b, a int) string {
	return u32(32) + u32(flags) + u32(0) + u32(bits) + u32(r) + u32(g) + u32(b) + u32(a)
}

func tga(kind, hasPalette, colours, paletteBits, w, h, bits, flags int) string {
	return "\x00" + string([]byte{byte(hasPalette), byte(kind)}) + u16(0) + u16(colours) + string([]byte{byte(paletteBits)}) + u16(0) + u16(0) + u16(w) + u16(h) + string([]byte{byte(bits), byte(flags)})
}

func txtr(format, w, h, mips int) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(format))
	b = binary.BigEndian.AppendUint16(b, uint16(w))
	b = binary.BigEndian.AppendUint16(b, uint16(h))
	return string(binary.BigEndian.AppendUint32(b, uint32(mips)))
}

const (
	red   = "\x00\xf8\x00\x00\x00\x00\x00\x00" // a block of BC1
	green = "\xe0\x07\x00\x00\x00\x00\x00\x00"
	zeros = "\x00\x00\x00\x00\x00\x00\x00\x00"
)

// files are pictures, and the colours of their first row.
var files = []struct {
	name, kind, body string
	mip, slice       int
	want             string
}{
	{"dxt1", texture.DDS, dds(4, 4, 0, 1, fourCC("DXT1"), 0) + red, 0, 0, "ff0000ff ff0000ff ff0000ff ff0000ff"},
	{"second mip", texture.DDS, dds(8, 4, 0, 2, fourCC("DXT1"), 0) + red + red + green, 1, 0, "00ff00ff 00ff00ff 00ff00ff 00ff00ff"},
	{"cube", texture.DDS, dds(4, 4, 0, 1, fourCC("DXT1"), 0x200) + red + red + red + red + red + green, 0, 5, "00ff00ff 00ff00ff 00ff00ff 00ff00ff"},
	{"volume", texture.DDS, dds(4, 4, 2, 2, fourCC("DXT1"), 0x200000) + red + red + green, 1, 0, "00ff00ff 00ff00ff"},
	{"dx10", texture.DDS, dds(4, 4, 0, 1, fourCC("DX10"), 0) + u32(71) + u32(3) + u32(0) + u32(2) + u32(0) + red + green, 0, 1, "00ff00ff 00ff00ff 00ff00ff 00ff00ff"},
	{"argb", texture.DDS, dds(1, 1, 0, 0, masks(0x41, 32, 0xff0000, 0xff00, 0xff, 0xff000000), 0) + "\x01\x02\x03\x04", 0, 0, "03020104"},
	{"xrgb", texture.DDS, dds(1, 1, 0, 1, masks(0x40, 32, 0xff0000, 0xff00, 0xff, 0), 0) + "\x01\x02\x03\x00", 0, 0, "030201ff"},
	{"rgb", texture.DDS, dds(1, 1, 0, 1, masks(0x40, 24, 0xff0000, 0xff00, 0xff, 0), 0) + "\x01\x02\x03", 0, 0, "030201ff"},
	{"colours", texture.TGA, tga(2, 0, 0, 0, 2, 1, 24, 32) + "\x01\x02\x03\x04\x05\x06", 0, 0, "030201ff 060504ff"},
	{"from below", texture.TGA, tga(2, 0, 0, 0, 1, 2, 24, 0) + "\x01\x02\x03\x04\x05\x06", 0, 0, "060504ff"},
	{"from the right", texture.TGA, tga(2, 0, 0, 0, 2, 1, 24, 48) + "\x01\x02\x03\x04\x05\x06", 0, 0, "060504ff 030201ff"},
	{"opacity", texture.TGA, tga(2, 0, 0, 0, 1, 1, 32, 40) + "\x01\x02\x03\x04", 0, 0, "03020104"},
	{"no opacity", texture.TGA, tga(2, 0, 0, 0, 1, 1, 32, 32) + "\x01\x02\x03\x00", 0, 0, "030201ff"},
	{"five bits", texture.TGA, tga(2, 0, 0, 0, 1, 1, 16, 32) + "\x1f\x7c", 0, 0, "ff00ffff"},
	{"grey", texture.TGA, tga(3, 0, 0, 0, 2, 1, 8, 32) + "\x10\x20", 0, 0, "101010ff 202020ff"},
	{"palette", texture.TGA, tga(1, 1, 2, 24, 2, 1, 8, 32) + "\x01\x02\x03\x04\x05\x06\x01\x00", 0, 0, "060504ff 030201ff"},
	{"runs", texture.TGA, tga(10, 0, 0, 0, 4, 1, 24, 32) + "\x81\x01\x02\x03\x01\x04\x05\x06\x07\x08\x09", 0, 0, "030201ff 030201ff 060504ff 090807ff"},
	{"I4", texture.TXTR, txtr(0, 2, 1, 1) + "\x1f" + strings.Repeat("\x00", 31), 0, 0, "111111ff ffffffff"},
	{"I8", texture.TXTR, txtr(1, 2, 1, 1) + "\x10\x20" + strings.Repeat("\x00", 30), 0, 0, "101010ff 202020ff"},
	{"IA4", texture.TXTR, txtr(2, 1, 1, 1) + "\x1f" + strings.Repeat("\x00", 31), 0, 0, "ffffff11"},
	{"IA8", texture.TXTR, txtr(3, 1, 1, 1) + "\x10\x20" + strings.Repeat("\x00", 30), 0, 0, "20202010"},
	{"C4", texture.TXTR, txtr(4, 2, 1, 1) + "\x00\x00\x00\x01\x00\x02\x00\x01\xf8\x00\x00\x1f" + "\x10" + strings.Repeat("\x00", 31), 0, 0, "0000ffff ff0000ff"},
	{"C8", texture.TXTR, txtr(5, 2, 1, 1) + "\x00\x00\x00\x02\x00\x01\x00\x02\xfc\x00\x7f\xff" + "\x01\x00" + strings.Repeat("\x00", 30), 0, 0, "ffffffff ff0000ff"},
	{"RGB565", texture.TXTR, txtr(7, 1, 1, 1) + "\xf8\x00" + strings.Repeat("\x00", 30), 0, 0, "ff0000ff"},
	{"RGB5A3", texture.TXTR, txtr(8, 2, 1, 1) + "\xfc\x00\x1f\x00" + strings.Repeat("\x00", 28), 0, 0, "ff0000ff ff000024"},
	{"RGBA8", texture.TXTR, txtr(9, 1, 1, 1) + "\x04\x01" + strings.Repeat("\x00", 30) + "\x02\x03" + strings.Repeat("\x00", 30), 0, 0, "01020304"},
	{"CMPR", texture.TXTR, txtr(10, 8, 1, 1) + "\xf8\x00\x00\x00\x1b\x00\x00\x00" + "\x07\xe0\x00\x00\x00\x00\x00\x00" + zeros + zeros, 0, 0,
		"ff0000ff 000000ff 9f0000ff 5f0000ff 00ff00ff 00ff00ff 00ff00ff 00ff00ff"},
	{"CMPR, second mip", texture.TXTR, txtr(10, 8, 8, 2) + strings.Repeat(zeros, 4) + "\x00\x00\xf8\x00\xc0\x00\x00\x00" + strings.Repeat(zeros, 3), 1, 0, "80000000 000000ff 000000ff 000000ff"},
}

func firstRow(i image.Image) string {
	var row []string
	for x := range i.Bounds().Dx() {
		c := color.NRGBAModel.Convert(i.At(x, 0)).(color.NRGBA)
		row = append(row, fmt.Sprintf("%02x%02x%02x%02x", c.R, c.G, c.B, c.A))
	}
	return strings.Join(row, " ")
}

func TestContainerDecode(t *testing.T) {
	for _, c := range files {
		p, err := texture.Read(c.kind, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		i, err := p.Decode(c.mip, c.slice)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := firstRow(i); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if _, err := p.Decode(p.Mips, 0); !errors.Is(err, codecs.ErrNotFound) {
			t.Errorf("%s: mip %d: %v", c.name, p.Mips, err)
		}
		if _, err := p.Decode(0, p.Slices); !errors.Is(err, codecs.ErrNotFound) {
			t.Errorf("%s: slice %d: %v", c.name, p.Slices, err)
		}
		// Cut anywhere, it is an error.
		for n := range len(c.body) {
			if p, err := texture.Read(c.kind, []byte(c.body[:n])); err == nil {
				if _, err := p.Decode(c.mip, c.slice); err == nil && n < len(strings.TrimRight(c.body, "\x00")) {
					t.Errorf("%s: cut to %d of %d bytes: no error", c.name, n, len(c.body))
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, kind, body string
		want             error
	}{
		{"FourCC", texture.DDS, dds(4, 4, 0, 1, fourCC("WXYZ"), 0), errors.ErrUnsupported},
		{"DXGI", texture.DDS, dds(4, 4, 0, 1, fourCC("DX10"), 0) + u32(999) + u32(3) + u32(0) + u32(1) + u32(0), errors.ErrUnsupported},
		{"masks", texture.DDS, dds(4, 4, 0, 1, masks(0x40, 32, 1, 2, 3, 0), 0), errors.ErrUnsupported},
		{"large", texture.DDS, dds(65536, 65536, 0, 1, fourCC("DXT1"), 0), codecs.ErrLimit},
		{"slices", texture.DDS, dds(4, 4, 0, 1, fourCC("DX10"), 0) + u32(71) + u32(3) + u32(0) + u32(1<<31) + u32(0), codecs.ErrLimit},
		{"mips", texture.DDS, dds(4, 4, 0, 1<<30, fourCC("DXT1"), 0), codecs.ErrLimit},
		{"no DDS", texture.DDS, strings.Repeat("x", 128), codecs.ErrCorrupt},
		{"kind", texture.TGA, tga(32, 0, 0, 0, 1, 1, 24, 0), errors.ErrUnsupported},
		{"bits", texture.TGA, tga(2, 0, 0, 0, 1, 1, 12, 0), errors.ErrUnsupported},
		{"no pixels", texture.TGA, tga(2, 0, 0, 0, 0, 1, 24, 0), codecs.ErrLimit},
		{"format", texture.TXTR, txtr(11, 1, 1, 1), errors.ErrUnsupported},
		{"C14X2", texture.TXTR, txtr(6, 1, 1, 1), errors.ErrUnsupported},
		{"colours", texture.TXTR, txtr(4, 1, 1, 1) + "\x00\x00\x00\x09\x00\x01\x00\x01", codecs.ErrCorrupt},
		{"no kind", "bmp", "", errors.ErrUnsupported},
	} {
		if _, err := texture.Read(c.kind, []byte(c.body)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p, err := texture.Read(texture.TGA, []byte(tga(1, 1, 2, 24, 1, 1, 8, 32)+"\x01\x02\x03\x04\x05\x06\x07"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Decode(0, 0); !errors.Is(err, codecs.ErrCorrupt) {
		t.Errorf("a colour outside of the palette: %v", err)
	}
}

// TestSamples: the head of each TXTR of the samples and its mips fill the file, but for
// padding.
func TestSamples(t *testing.T) {
	n := 0
	for _, name := range []string{"mp1_small.pak", "mp3_small.pak"} {
		a := codecstest.Open(t, retropak.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "retro-pak", name)), &codecs.Options{})
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if texture.KindOf(e.Name, e.Type) == "" {
				continue
			}
			b, err := codecstest.ReadEntry(t.Context(), a, e)
			if err != nil {
				t.Fatal(err)
			}
			p, err := texture.Read(texture.TXTR, b)
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
			n++
			for mip := range p.Mips {
				i, err := p.Decode(mip, 0)
				if err != nil || i.Bounds().Dx() != max(1, p.Width>>mip) {
					t.Errorf("%s, mip %d: %v", e.Name, mip, err)
				}
			}
			if p, err = texture.Read(texture.TXTR, bytes.TrimRight(b, "\xff")[:12]); err != nil {
				t.Error(err)
			} else if _, err := p.Decode(0, 0); !errors.Is(err, codecs.ErrTruncated) {
				t.Errorf("%s without pixels: %v", e.Name, err)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d pictures", n)
	}
}

// TestCorpus writes the corpus of the fuzz target, or compares it.
func TestCorpus(t *testing.T) {
	for _, c := range files {
		codecstest.Corpus(t, *update, "FuzzContainerDecode", strings.ReplaceAll(c.name, " ", "_"), fmt.Sprintf("string(%q)", c.kind), fmt.Sprintf("[]byte(%q)", c.body))
	}
}

func FuzzContainerDecode(f *testing.F) {
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		p, err := texture.Read(kind, body)
		if err != nil || p.Width*p.Height > 1<<18 {
			return
		}
		for mip := range p.Mips {
			for _, slice := range []int{0, p.Slices - 1} {
				if _, err := p.Decode(mip, slice); err != nil {
					break
				}
			}
		}
	})
}
