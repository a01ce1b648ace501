package texture

import (
	"encoding/hex"
	"fmt"
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
		got := make([]byte, 2*plainFormats[c.format].pixel)
		if plainDecode(got, src, c.format); hex.EncodeToString(got) != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%d of %s: %x; want %s", c.format, c.src, got, c.want)
		}
	}
}

func TestPalette(t *testing.T) {
	got := make([]byte, 12)
	plainDecodePalette(got, []byte{1, 0, 7}, bytesOf(t, "01020304 05060708"))
	if hex.EncodeToString(got) != "050607080102030400000000" {
		t.Errorf("%x", got)
	}
}

// FuzzPlainDecode: whatever the bytes are, there is a picture.
func FuzzPlainDecode(f *testing.F) {
	for format := plainBGRA8; format <= plainP8; format++ {
		f.Add(uint8(format), []byte(strings.Repeat("0123456789", 10)))
	}
	f.Fuzz(func(_ *testing.T, format uint8, src []byte) {
		f := plainFormat(format)
		if f < plainBGRA8 || f > plainP8 {
			return
		}
		pixels := len(src) / plainFormats[f].stored
		dst, src := make([]byte, pixels*plainFormats[f].pixel), src[:pixels*plainFormats[f].stored]
		if f == plainP8 {
			plainDecodePalette(dst, src, src)
			return
		}
		plainDecode(dst, src, f)
	})
}

func BenchmarkPlainDecode(b *testing.B) {
	const pixels = 512 * 512
	for format := plainBGRA8; format < plainP8; format++ {
		b.Run(fmt.Sprint(format), func(b *testing.B) {
			src, dst := make([]byte, pixels*plainFormats[format].stored), make([]byte, pixels*plainFormats[format].pixel)
			for i := range src {
				src[i] = byte(i * 7)
			}
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				plainDecode(dst, src, format)
			}
		})
	}
}
