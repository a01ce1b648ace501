package media_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal/media"
)

// eachTexture calls do with each texture of packages.
func eachTexture(t testing.TB, all map[string]*media.Package, do func(name string, p *media.Package, x *media.Texture)) {
	t.Helper()
	for name, p := range all {
		for i := range p.Exports {
			if !media.IsTexture(p.ClassOf(i)) {
				continue
			}
			x, err := p.Texture(i)
			if err != nil {
				t.Errorf("%s: export %d, %s: %v", name, i, p.ClassOf(i), err)
				continue
			}
			do(name, p, x)
		}
	}
}

// truth is how far pixels may be from the picture that a texture was made of: the mean
// of the worst channel, and the worst pixel.
type truth struct {
	source   string // "" for a formula
	mean     float64
	worst    int
	channels int // that count
}

func truths() map[string]truth {
	return map[string]truth{
		"T_BC1": {"rgb", 0.78, 4, 3}, "T_Mips": {"rgb", 0.78, 4, 3}, "T_BC3": {"rgba", 0.64, 8, 4}, "T_BC4": {"grayscale", 0.73, 10, 3},
		"T_BC5": {"normal", 0, 0, 2}, "T_BC7": {"rgba", 0.51, 4, 4}, "T_BGRA8": {"rgba", 0, 0, 4}, "T_G8": {"grayscale", 0, 0, 3},
		"T_Streaming": {"streaming", 0.84, 35, 3}, "T_Virtual": {"streaming", 0.84, 35, 3}, "T_UDIM": {"udim", 0.85, 66, 3},
		"T_Cube": {"", 0, 0, 4}, "T_Array": {"", 0, 0, 4}, "T_CubeArray": {"", 0, 0, 4}, "T_Volume": {"", 0, 0, 4},
		"T_ETC2_RGB": {"rgb", 0.52, 3, 3}, "T_ETC2_RGBA": {"rgba", 0.21, 55, 4}, "T_EAC_R11": {"grayscale", 0.52, 6, 3}, "T_EAC_RG11": {"normal", 0, 0, 2},
		"T_ASTC_4x4": {"rgba", 0.48, 6, 4}, "T_ASTC_6x6": {"rgba", 2.1, 15, 4}, "T_ASTC_8x8": {"rgba", 2.39, 12, 4},
		"T_ASTC_10x10": {"rgba", 4.57, 176, 4}, "T_ASTC_12x12": {"rgba", 5.92, 110, 4}, "T_ASTC_Normal": {"normal", 0.02, 1, 2},
		"T_BC6H": {"ramp", 1.35, 65, 3},
	}
}

// at returns the pixel of the source of a texture.
func (c *truth) at(t testing.TB, width, height int) func(x, y int) color.NRGBA {
	t.Helper()
	switch c.source {
	case "":
		return func(x, y int) color.NRGBA {
			s := y / width
			y %= width
			return color.NRGBA{uint8(17*x + 41*s), uint8(29*y + 67*s), uint8(11*(x+y) + 97*s), uint8(255 - (3*x+5*y+7*s)&127)}
		}
	case "ramp":
		cut := func(v, most int) uint8 { return uint8(min(float64(v)/float64(most), 1)*255 + 0.5) }
		return func(x, y int) color.NRGBA { return color.NRGBA{cut(16*x, 63), cut(8*y, 63), cut(4*(x+y), 126), 255} }
	case "udim":
		parts := [2][2]image.Image{{source(t, "udim.1001"), source(t, "udim.1002")}, {source(t, "udim.1011"), source(t, "udim.1012")}}
		return func(x, y int) color.NRGBA { return nrgba(parts[2*y/height][2*x/width], x%(width/2), y%(height/2)) }
	}
	p := source(t, c.source)
	return func(x, y int) color.NRGBA { return nrgba(p, x, y) }
}

func source(t testing.TB, name string) image.Image {
	t.Helper()
	f, err := os.Open(codecstest.Sample(t, "unreal-media", "SourceTextures", name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func nrgba(p image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(p.At(x, y)).(color.NRGBA)
}

func differ(p image.Image, want func(x, y int) color.NRGBA, channels int) (mean float64, worst int) {
	b := p.Bounds()
	var sums [4]float64
	for y := range b.Dy() {
		for x := range b.Dx() {
			g, w := nrgba(p, x, y), want(x, y)
			for c, d := range [4]int{int(g.R) - int(w.R), int(g.G) - int(w.G), int(g.B) - int(w.B), int(g.A) - int(w.A)} {
				if c >= channels {
					break
				}
				sums[c] += math.Abs(float64(d))
				worst = max(worst, d, -d)
			}
		}
	}
	for _, s := range sums {
		mean = max(mean, s/float64(b.Dx()*b.Dy()))
	}
	return mean, worst
}

// TestPixels compares all textures of the fixtures with the pictures that they were made
// of. With PAKDB_PICTURES it writes them to that folder.
func TestPixels(t *testing.T) {
	limits := truths()
	compared := map[string]bool{}
	for variant, all := range variants(t) {
		eachTexture(t, all, func(name string, p *media.Package, x *media.Texture) {
			out, mip, err := p.Picture(x, media.Which{Mip: -1, Slice: -1})
			if errors.Is(err, errors.ErrUnsupported) || err != nil && len(x.Mips) > 0 && x.Mips[0].Size == 0 && !x.Virtual() {
				t.Logf("%s %s: %v", variant, name, err)
				return
			}
			if err != nil {
				t.Errorf("%s %s: %v", variant, name, err)
				return
			}
			write(t, variant+" "+x.Name, out)
			limit, ok := limits[x.Name]
			if !ok {
				return
			}
			mean, worst := differ(out, limit.at(t, x.Mips[mip].Width, x.Mips[mip].Height), limit.channels)
			t.Logf("%s %s %s: %v, %d mips: mean %.2f, worst %d", variant, x.Name, x.Format, out.Bounds().Size(), len(x.Mips), mean, worst)
			if mean > limit.mean || worst > limit.worst || mip != 0 {
				t.Errorf("%s %s: mip %d: mean %.2f, worst %d; at most %.2f, %d", variant, x.Name, mip, mean, worst, limit.mean, limit.worst)
			}
			compared[x.Name] = true
		})
	}
	for name := range limits {
		if !compared[name] {
			t.Errorf("%s was not compared", name)
		}
	}
}

func write(t testing.TB, name string, p image.Image) {
	t.Helper()
	dir := os.Getenv("PAKDB_PICTURES")
	if dir == "" {
		return
	}
	f, err := os.Create(filepath.Join(dir, strings.ReplaceAll(name, "/", "_")+".png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, p), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestTextureFacts: what a texture is, in each way of cooking.
func TestTextureFacts(t *testing.T) {
	want := map[string]string{
		"T_Streaming": "PF_DXT1 512 x 512, 1 slices, 10 mips, TEXTUREGROUP_World TC_Default, map[:2744 .ubulk:172032]",
		"T_Cube":      "PF_B8G8R8A8 16 x 16, 6 slices, 1 mips, TEXTUREGROUP_World TC_VectorDisplacementmap, map[:6144]",
		"T_BC5":       "PF_BC5 64 x 64, 1 slices, 1 mips, TEXTUREGROUP_World TC_Normalmap, map[:4096]",
		"T_UDIM":      "PF_DXT1 256 x 256, 1 slices, 9 mips, TEXTUREGROUP_World TC_Default, map[.ubulk:110980]",
	}
	for variant, all := range variants(t) {
		eachTexture(t, all, func(_ string, _ *media.Package, x *media.Texture) {
			got := fmt.Sprintf("%s %d x %d, %d slices, %d mips, %s %s, %v", x.Format, x.Width, x.Height, x.Slices, len(x.Mips), x.Group, x.Kind, x.Bytes())
			t.Logf("%s: %s %s: %s, srgb %v", variant, x.Name, x.Class, got, x.SRGB)
			if w, ok := want[x.Name]; ok && got != w && x.Why == nil {
				t.Errorf("%s %s:\n got %s\nwant %s", variant, x.Name, got, w)
			}
		})
	}
}
