package contents

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzParseList: a list is what newList makes, or an error.
func FuzzParseList(f *testing.F) {
	seen := map[[32]byte]struct{}{}
	for i := range 3 {
		d, _ := content(i)
		seen[d] = struct{}{}
	}
	_, b, err := newList("1.0", seen)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"build":"x","contents":1000000000}` + "\n"))
	f.Add([]byte(`{"build":"x","contents":-1}` + "\n12345678"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var head listHead
		line, _, _ := bytes.Cut(b, []byte("\n"))
		_ = json.Unmarshal(line, &head)
		got, keys, err := parseList(ofLabel(head.Build)+short(b), b)
		if err == nil && (got != head || len(keys) != 8*got.Contents) {
			t.Errorf("%+v with %d bytes", got, len(keys))
		}
		if _, _, err := parseList("x", b); err == nil {
			t.Error("a list of any name")
		}
	})
}
