package semantic

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/rows"
	"pakdb/codecs/unrealpak"
)

func filled(w, h int, c color.NRGBA) *image.NRGBA {
	i := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			i.SetNRGBA(x, y, c)
		}
	}
	return i
}

func TestPixels(t *testing.T) {
	grey := color.NRGBA{100, 100, 100, 255}
	a, b := filled(8, 4, grey), filled(8, 4, grey)
	if d := compare(a, b); d.String() != "the same pixels" {
		t.Errorf("got %s", &d)
	}
	b.SetNRGBA(3, 2, color.NRGBA{110, 100, 100, 255})
	d := compare(a, b)
	// One of 32 pixels differs by 10 in one of four channels: 10 log10(255^2 * 4 * 32 / 100).
	if want := 10 * math.Log10(255*255*4*32/100.0); math.Abs(d.psnr()-want) > 1e-9 || d.String() != "3.1 % differ, PSNR 49.2 dB" {
		t.Errorf("got %s, %f, want %f", &d, d.psnr(), want)
	}
	if got := difference(a, b).At(3, 2); got != (color.NRGBA{40, 0, 0, 255}) {
		t.Errorf("difference %v", got)
	}
	if got := difference(a, b).At(0, 0); got != (color.NRGBA{0, 0, 0, 255}) {
		t.Errorf("difference %v", got)
	}
	// Of another kind, at another place, and the same.
	other := image.NewGray(image.Rect(5, 5, 13, 9))
	for i := range other.Pix {
		other.Pix[i] = 100
	}
	if d := compare(a, other); d.differ != 0 {
		t.Errorf("got %s", &d)
	}
	deep := image.NewNRGBA64(image.Rect(0, 0, 8, 4))
	if d := compare(a, deep); d.differ != 32 {
		t.Errorf("got %s", &d)
	}
}

func TestHeard(t *testing.T) {
	samples := func(list ...int16) []byte {
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, list)
		return b.Bytes()
	}
	if got := heard(samples(1, 2, 3, 4), samples(1, 2, 3, -32764)); got != "25.0 % differ, by at most 50.0 %, " {
		t.Errorf("got %q", got)
	}
	if got := heard(nil, samples(1)); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestTextures compares a texture with itself, with some blocks changed, and cut short.
func TestTextures(t *testing.T) {
	file := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-properties", "cue4parse-UE5_8", "Legacy-Tagged-Zlib.pak"))
	files := codecstest.Contents(t, codecstest.Open(t, unrealpak.Format(), file, &codecs.Options{}))
	for name, want := range map[string]string{"T_BC6H": "64 x 64 -> 1.6 % differ, PSNR 20.0 dB", "T_Streaming": "512 x 512 -> 3.1 % differ, PSNR "} {
		head, body := files["Textures/"+name+".uasset"], files["Textures/"+name+".uexp"]
		library, err := rows.NewLibrary("", nil)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := library.Open(t.Context(), &rows.Source{Content: bytes.NewReader(head), Size: int64(len(head))})
		if err != nil {
			t.Fatal(err)
		}
		first := p.Exports[0]
		first.Offset -= int64(len(head))
		bulk := files["Textures/"+name+".ubulk"]
		made := func(change func(export, bulk []byte)) *media.Package {
			data := bytes.Clone(body[first.Offset:][:first.Size])
			beside := bytes.Clone(bulk)
			change(data, beside)
			return &media.Package{PackageFacts: p.PackageFacts, Bytes: func(int) ([]byte, error) { return data, nil },
				Open: func(f media.File) (io.ReaderAt, int64, error) {
					if f != ".ubulk" || beside == nil {
						return nil, 0, media.ErrNoBytes
					}
					return bytes.NewReader(beside), int64(len(beside)), nil
				}}
		}
		same := made(func(_, _ []byte) {})
		if got := CompareMedia(same, made(func(_, _ []byte) {})); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
		changed := made(func(export, bulk []byte) {
			at := export[len(export)/2:][:64]
			if bulk != nil {
				at = bulk[2000:][:4000]
			}
			for i := range at {
				at[i] ^= 0x55
			}
		})
		got := CompareMedia(same, changed)
		if len(got) != 1 || got[0].Object != name || got[0].Field != "Texture.Pixels" || !strings.HasPrefix(got[0].Old+" -> "+got[0].New, want) || got[0].Same {
			t.Fatalf("%s: %+v", name, got)
		}
		if p := got[0].Pictures; p == nil || p.Old.Bounds().Dx() > maxSide || p.Difference == nil {
			t.Errorf("%s: %+v", name, p)
		}
		if bulk == nil {
			continue
		}
		if got := CompareMedia(same, made(func(export, _ []byte) { clear(export) })); len(got) != 1 || got[0].Old != "not compared" {
			t.Errorf("damaged: %+v", got)
		}
	}
}
