package jsonc

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestPlain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{`{"a": [1, 2,], }`, `{"a": [1, 2 ]  }`},
		{"{\"a\": 1, // one\n}", "{\"a\": 1        \n}"},
		{`[1/* , */,2]`, `[1       ,2]`},
		{`["//", "/*", ",]", "\"//", "\\"]`, `["//", "/*", ",]", "\"//", "\\"]`},
		{"\xef\xbb\xbf[1,]", "[1 ]"},
		{"\xff\xfe[\x00\xe9\x00]\x00", "[é]"},
		{"\xfe\xff\x00[\x00,\x00]", "[ ]"},
		{`["open`, `["open`},
		{"[1 /* open", "[1        "},
		{"[1,,]", "[1, ]"},
	} {
		if got := string(Plain([]byte(c.text))); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzPlain: what is JSON means the same, and what is none of length is kept.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{`{"a":[1,"x//",{}]}`, `[1,]`, `"\"/*"`, "[1 // x\n]", "{\"a\":1/*,*/}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		got := Plain(text)
		if !bytes.Equal(text, before) {
			t.Fatal("the text was changed")
		}
		if json.Valid(text) && !bytes.Equal(got, text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
