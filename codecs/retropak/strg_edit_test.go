package retropak_test

import (
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/retropak"
)

// A text is set and set back: the bytes are those from before.
func TestSetText(t *testing.T) {
	padded := files["prime"] + strings.Repeat("\xff", 32-len(files["prime"])%32)
	for name, body := range map[string]string{"prime": files["prime"], "two languages": files["two languages"], "padded": padded} {
		first, err := retropak.ReadTexts([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range first.Strings {
			for _, text := range []string{"", "a longer text ☃ 🚀", "x"} {
				language, number := first.Languages[s.Language], int(s.Number)
				out, err := retropak.SetText([]byte(body), language, number, text)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if name == "padded" && len(out)%32 != 0 {
					t.Errorf("%d bytes", len(out))
				}
				back, err := retropak.SetText(out, language, number, first.Texts[s.Text])
				for name != "padded" && len(back) > 0 && back[len(back)-1] == 0xff {
					back = back[:len(back)-1] // it had 64 bytes
				}
				if err != nil || string(back) != body {
					t.Errorf("%s: %q, %v, want %q", name, back, err, body)
				}
			}
		}
	}
}

func TestSetTextRefused(t *testing.T) {
	shared := strings.Replace(files["prime"], "\x00\x00\x00\x08\x00\x00\x00\x1e", "\x00\x00\x00\x08\x00\x00\x00\x08", 1)
	for name, c := range map[string]struct {
		body, language, text string
		number               int
		class                error
	}{
		"corruption": {files["corruption"], "ENGL", "a", 0, errors.ErrUnsupported},
		"language":   {files["prime"], "GERM", "a", 0, codecs.ErrNotFound},
		"number":     {files["prime"], "ENGL", "a", 2, codecs.ErrNotFound},
		"NUL":        {files["prime"], "ENGL", "a\x00b", 0, codecs.ErrName},
		"tail":       {files["prime"] + "tail", "ENGL", "a", 0, errors.ErrUnsupported},
		"shared":     {shared, "ENGL", "a", 0, errors.ErrUnsupported},
	} {
		if _, err := retropak.SetText([]byte(c.body), c.language, c.number, c.text); !errors.Is(err, c.class) {
			t.Errorf("%s: %v, want %v", name, err, c.class)
		}
	}
}
