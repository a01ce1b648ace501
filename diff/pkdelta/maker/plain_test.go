package maker

import (
	"bytes"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
)

// TestPlain: what is known of small archives never makes a patch longer, nor does
// it where it makes it shorter go unused.
func TestPlain(t *testing.T) {
	t.Parallel()
	text := string(pkdeltatest.Words(1, 40_000))
	stored := func(contents ...string) []pkdelta.Input {
		var list [][]byte
		for _, c := range contents {
			list = append(list, []byte(c))
		}
		return []pkdelta.Input{pkdeltatest.Input("x.pak", pkdeltatest.PakWith(t, &codecs.CreateOptions{}, list...))}
	}
	won := map[bool]bool{}
	for _, c := range []struct{ old, new []pkdelta.Input }{
		{[]pkdelta.Input{pkdeltatest.Input("x.pak", pkdeltatest.PakOf(t, []byte(text)))}, []pkdelta.Input{pkdeltatest.Input("x.pak", pkdeltatest.PakOf(t, []byte(text[:20_000]+"!"+text[20_000:])))}},
		{stored(text[:900], text[1000:1900]), stored(text[:900], text[1000:1700]+"!"+text[1700:1900])},
		{stored("a", "b", "c"), pkdeltatest.Files("abc")},
		{stored(text), stored(text, "a", text[7:900], "b")},
	} {
		known := rounds().Patch(t, c.old, c.new)
		var plain bytes.Buffer
		if _, _, err := Make(t.Context(), c.old, c.new, &plain, t.TempDir(), nil); err != nil {
			t.Fatal(err)
		}
		rounds().Check(t, known, c.old, c.new)
		won[len(known) < plain.Len()] = true
		if t.Logf("%d bytes, %d without formats", len(known), plain.Len()); len(known) > plain.Len() {
			t.Error("formats make it longer")
		}
	}
	if !won[true] || !won[false] {
		t.Errorf("one-sided: %v", won)
	}
}
