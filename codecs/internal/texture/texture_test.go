package texture_test

import (
	"bytes"
	"errors"
	"image"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/internal/texture"
)

// Each format has a size; a picture of it has the sides that were asked for, or the
// format is named as one that cannot be decoded.
func TestFormats(t *testing.T) {
	for _, name := range []string{"PF_DXT1", "PF_DXT5", "PF_BC4", "PF_BC5", "PF_BC6H", "PF_BC7", "PF_B8G8R8A8", "PF_G8", "PF_G16", "PF_R16F", "PF_FloatRGBA",
		"PF_A32B32G32R32F", "PF_R32_FLOAT", "PF_G16R16F", "PF_V8U8", "PF_PVRTC4"} {
		f, err := texture.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		size, ok := f.Size(6, 5)
		src := bytes.Repeat([]byte{0x35}, int(size))
		out, err := f.Decode(src, 6, 5)
		switch {
		case !ok:
			t.Errorf("%s has no size", name)
		case name == "PF_PVRTC4":
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || out.Bounds() != image.Rect(0, 0, 6, 5):
			t.Errorf("%s: %v", name, err)
		default:
			if _, err := f.Decode(src[1:], 6, 5); !errors.Is(err, codecs.ErrTruncated) {
				t.Errorf("%s cut: %v", name, err)
			}
			if _, err := f.Decode(nil, 60_000, 60_000); !errors.Is(err, codecs.ErrLimit) {
				t.Errorf("%s too large: %v", name, err)
			}
			both, err := texture.Below([]image.Image{out, out})
			if err != nil || both.Bounds().Dy() != 10 || both.At(3, 7) != out.At(3, 2) {
				t.Errorf("%s twice: %v", name, err)
			}
		}
	}
	if _, err := texture.Named("PF_Unknown"); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}
