package texture

import (
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"
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
func TestPlainDecode(t *testing.T) {
	for _, c := range []struct {
		format    plainFormat
		src, want string
	}{
		{plainBGRA8, "01020304 fffefdfc", "03020104 fdfefffc"},
		{plainRGBA8, "01020304 fffefdfc", "01020304 fffefdfc"},
		{plainBGR8, "010203 fffefd", "030201ff fdfeffff"},
		{plainRGB565, "00f8 1f00", "ff0000ff 0000ffff"},
		{plainG8, "01 ff", "01 ff"},
		{plainG16, "3412 ff00", "1234 00ff"},
		{plainR16F, "0038 003c", "80 ff"}, // 0.5, 1
		{plainR16F, "00c0 007e", "00 00"}, // -2, no number
		{plainR16F, "007c 0040", "ff ff"}, // infinity, 2
		{plainR32F, "0000003f 0000c07f", "80 00"},
		{plainRG16F, "0038003c 00000038", "80ff00ff 008000ff"},
		{plainRGBA16F, "0038003c00000038 0000000000000000", "80ff0080 00000000"},
		{plainRGBA32F, "0000003f0000803f000000000000003f 00000000000000000000000000000040", "80ff0080 000000ff"},
		{plainV8U8, "0000 7f00", "8080feff ff8080ff"},
	} {
		src := bytesOf(t, c.src)
		got := make([]byte, 2*c.format.PixelSize())
		if err := plainDecode(got, src, c.format, 2, 1); err != nil || hex.EncodeToString(got) != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s of %s: %x, %v; want %s", c.format, c.src, got, err, c.want)
		}
		if err := plainDecode(got, src[:len(src)-1], c.format, 2, 1); !errors.Is(err, errPlainSize) {
			t.Errorf("%s cut: %v", c.format, err)
		}
	}
}

func TestPalette(t *testing.T) {
	got := make([]byte, 12)
	err := plainDecodePalette(got, []byte{1, 0, 7}, bytesOf(t, "01020304 05060708"), 3, 1)
	if err != nil || hex.EncodeToString(got) != "050607080102030400000000" {
		t.Errorf("%x, %v", got, err)
	}
}

func TestPlainSizes(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {math.MaxInt32, math.MaxInt32}} {
		if _, ok := plainBGRA8.Size(c[0], c[1]); ok {
			t.Errorf("%v has a size", c)
		}
	}
	if err := plainDecode(make([]byte, 3), make([]byte, 4), plainBGRA8, 1, 1); !errors.Is(err, errPlainSize) {
		t.Error(err)
	}
	if err := plainDecode(nil, nil, plainFormat(99), 1, 1); !errors.Is(err, errPlainSize) {
		t.Error(err)
	}
	if err := plainDecode(make([]byte, 4), make([]byte, 4), plainP8, 1, 1); !errors.Is(err, errPlainSize) {
		t.Error(err)
	}
}

// FuzzPlainDecode: whatever the sides and the bytes are, an error or a picture.
func FuzzPlainDecode(f *testing.F) {
	for format := plainBGRA8; format <= plainP8; format++ {
		f.Add(uint8(format), 3, 2, []byte(strings.Repeat("0123456789", 10)))
	}
	f.Fuzz(func(_ *testing.T, format uint8, width, height int, src []byte) {
		fmt := plainFormat(format)
		if size, ok := fmt.Size(width, height); !ok || size > len(src) {
			_ = plainDecode(nil, src, fmt, width, height)
			return
		}
		dst := make([]byte, width*height*fmt.PixelSize())
		_ = plainDecode(dst, src, fmt, width, height)
		_ = plainDecodePalette(dst, src, src, width, height)
	})
}

func BenchmarkPlainDecode(b *testing.B) {
	const side = 512
	for format := plainBGRA8; format < plainP8; format++ {
		b.Run(format.String(), func(b *testing.B) {
			size, _ := format.Size(side, side)
			src, dst := make([]byte, size), make([]byte, side*side*format.PixelSize())
			for i := range src {
				src[i] = byte(i * 7)
			}
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := plainDecode(dst, src, format, side, side); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
