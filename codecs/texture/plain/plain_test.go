package plain_test

import (
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"pakdb/codecs/texture/plain"
)

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Two pixels of each format.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		format    plain.Format
		src, want string
	}{
		{plain.BGRA8, "01020304 fffefdfc", "03020104 fdfefffc"},
		{plain.RGBA8, "01020304 fffefdfc", "01020304 fffefdfc"},
		{plain.BGR8, "010203 fffefd", "030201ff fdfeffff"},
		{plain.RGB565, "00f8 1f00", "ff0000ff 0000ffff"},
		{plain.G8, "01 ff", "01 ff"},
		{plain.G16, "3412 ff00", "1234 00ff"},
		{plain.R16F, "0038 003c", "80 ff"}, // 0.5, 1
		{plain.R16F, "00c0 007e", "00 00"}, // -2, no number
		{plain.R16F, "007c 0040", "ff ff"}, // infinity, 2
		{plain.R32F, "0000003f 0000c07f", "80 00"},
		{plain.RG16F, "0038003c 00000038", "80ff00ff 008000ff"},
		{plain.RGBA16F, "0038003c00000038 0000000000000000", "80ff0080 00000000"},
		{plain.RGBA32F, "0000003f0000803f000000000000003f 00000000000000000000000000000040", "80ff0080 000000ff"},
		{plain.V8U8, "0000 7f00", "8080feff ff8080ff"},
	} {
		src := bytesOf(t, c.src)
		got := make([]byte, 2*c.format.PixelSize())
		if err := plain.Decode(got, src, c.format, 2, 1); err != nil || hex.EncodeToString(got) != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s of %s: %x, %v; want %s", c.format, c.src, got, err, c.want)
		}
		if err := plain.Decode(got, src[:len(src)-1], c.format, 2, 1); !errors.Is(err, plain.ErrSize) {
			t.Errorf("%s cut: %v", c.format, err)
		}
	}
}

func TestPalette(t *testing.T) {
	got := make([]byte, 12)
	err := plain.DecodePalette(got, []byte{1, 0, 7}, bytesOf(t, "01020304 05060708"), 3, 1)
	if err != nil || hex.EncodeToString(got) != "050607080102030400000000" {
		t.Errorf("%x, %v", got, err)
	}
}

func TestSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {math.MaxInt32, math.MaxInt32}} {
		if _, ok := plain.BGRA8.Size(c[0], c[1]); ok {
			t.Errorf("%v has a size", c)
		}
	}
	if err := plain.Decode(make([]byte, 3), make([]byte, 4), plain.BGRA8, 1, 1); !errors.Is(err, plain.ErrSize) {
		t.Error(err)
	}
	if err := plain.Decode(nil, nil, plain.Format(99), 1, 1); !errors.Is(err, plain.ErrSize) {
		t.Error(err)
	}
	if err := plain.Decode(make([]byte, 4), make([]byte, 4), plain.P8, 1, 1); !errors.Is(err, plain.ErrSize) {
		t.Error(err)
	}
}

// FuzzDecode: whatever the sides and the bytes are, an error or a picture.
func FuzzDecode(f *testing.F) {
	for format := plain.BGRA8; format <= plain.P8; format++ {
		f.Add(uint8(format), 3, 2, []byte(strings.Repeat("0123456789", 10)))
	}
	f.Fuzz(func(_ *testing.T, format uint8, width, height int, src []byte) {
		fmt := plain.Format(format)
		if size, ok := fmt.Size(width, height); !ok || size > len(src) {
			_ = plain.Decode(nil, src, fmt, width, height)
			return
		}
		dst := make([]byte, width*height*fmt.PixelSize())
		_ = plain.Decode(dst, src, fmt, width, height)
		_ = plain.DecodePalette(dst, src, src, width, height)
	})
}

func BenchmarkDecode(b *testing.B) {
	const side = 512
	for format := plain.BGRA8; format < plain.P8; format++ {
		b.Run(format.String(), func(b *testing.B) {
			size, _ := format.Size(side, side)
			src, dst := make([]byte, size), make([]byte, side*side*format.PixelSize())
			for i := range src {
				src[i] = byte(i * 7)
			}
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := plain.Decode(dst, src, format, side, side); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
