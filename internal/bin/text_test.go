package bin_test

import (
	"testing"

	"pakdb/internal/bin"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "[1]": "[1]",
		"\xef\xbb\xbf[1,]":             "[1,]",
		"\xff\xfe[\x00\xe9\x00]\x00":   "[é]",
		"\xfe\xff\x00[\x00,\x00]":      "[,]",
		"\xff\xfe\x3d\xd8\x00\xde\x41": "😀", // half a unit is left out
	} {
		if got := string(bin.Text([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
