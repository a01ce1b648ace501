package picture_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"pakdb/internal/picture"
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

func TestSmall(t *testing.T) {
	for _, c := range []struct{ w, h, toW, toH int }{{10, 20, 10, 20}, {512, 256, 256, 128}, {10000, 1, 256, 1}, {1, 700, 1, 256}, {300, 299, 256, 255}} {
		got := picture.Small(filled(c.w, c.h, color.NRGBA{1, 2, 3, 255}), 256)
		if size := got.Bounds().Size(); size != (image.Point{X: c.toW, Y: c.toH}) || got.NRGBAAt(0, size.Y-1) != (color.NRGBA{1, 2, 3, 255}) {
			t.Errorf("%d x %d: %v, %v", c.w, c.h, size, got.At(0, 0))
		}
	}
	// What is invisible has no part in the mean of colours.
	half := filled(512, 512, color.NRGBA{200, 0, 0, 255})
	for i := 0; i < 512; i += 2 {
		for y := range 512 {
			half.SetNRGBA(i, y, color.NRGBA{0, 255, 0, 0})
		}
	}
	if got := picture.Small(half, 256).NRGBAAt(7, 7); got != (color.NRGBA{200, 0, 0, 127}) {
		t.Errorf("got %v", got)
	}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		env  string
		want picture.Protocol
	}{
		{"", picture.None}, {"TERM=xterm-256color", picture.None}, {"TERM=xterm-kitty", picture.Kitty}, {"TERM=xterm-256color KITTY_WINDOW_ID=1", picture.None}, {"TERM=dumb TERM_PROGRAM=iTerm.app", picture.None},
		{"TERM=xterm TERM_PROGRAM=ghostty", picture.Kitty}, {"TERM=xterm TERM_PROGRAM=iTerm.app", picture.ITerm}, {"TERM=xterm TERM_PROGRAM=WezTerm", picture.ITerm},
		{"TERM=foot", picture.Sixel}, {"TERM=xterm-sixel", picture.Sixel}, {"TERM=xterm-kitty TMUX=/tmp/x", picture.None},
		{"TERM=tmux-256color TERM_PROGRAM=iTerm.app", picture.None}, {"TERM=xterm-kitty PAKDB_PICTURES=none", picture.None},
		{"PAKDB_PICTURES=Sixel TMUX=1", picture.Sixel}, {"PAKDB_PICTURES=nonsense TERM=foot-extra", picture.Sixel},
	} {
		env := map[string]string{}
		for _, pair := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		if got := picture.Of(func(name string) string { return env[name] }); got != c.want {
			t.Errorf("%s: %s, want %s", c.env, got, c.want)
		}
	}
}

func drawn(t *testing.T, i image.Image, p picture.Protocol) string {
	t.Helper()
	var b bytes.Buffer
	if err := picture.Draw(&b, i, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDraw(t *testing.T) {
	noise := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i*i>>3 | 1)
	}
	// The chunks of kitty, put together, are the picture.
	text := drawn(t, noise, picture.Kitty)
	var data strings.Builder
	parts := strings.Split(strings.TrimSuffix(text, "\x1b\\\n"), "\x1b\\")
	for i, part := range parts {
		head, body, _ := strings.Cut(strings.TrimPrefix(part, "\x1b_G"), ";")
		if want := map[bool]string{true: "a=T,f=100,", false: ""}[i == 0] + map[bool]string{true: "m=0", false: "m=1"}[i == len(parts)-1]; head != want || len(body) > 4096 {
			t.Errorf("chunk %d: %s of %d bytes", i, head, len(body))
		}
		data.WriteString(body)
	}
	same(t, noise, data.String())
	text = drawn(t, noise, picture.ITerm)
	_, body, _ := strings.Cut(strings.TrimSuffix(text, "\a\n"), ":")
	same(t, noise, body)
	if got, want := drawn(t, filled(5, 7, color.NRGBA{255, 0, 0, 255}), picture.Sixel), "#180!5~$-#180!5@$-\x1b\\\n"; !strings.HasPrefix(got, "\x1bPq\"1;1;5;7#0;2;0;0;0") || !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
	if got := drawn(t, noise, picture.None); got != "" {
		t.Errorf("got %q", got)
	}
}

func same(t *testing.T, want *image.NRGBA, text string) {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if got.(*image.NRGBA).NRGBAAt(9, 9) != want.NRGBAAt(9, 9) || got.Bounds() != want.Bounds() {
		t.Error("another picture")
	}
}
