package maker

import (
	"bytes"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

// TestPlain: what is known of small archives never makes a patch longer, nor does
// it where it makes it shorter go unused.
func TestPlain(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	text := string(deltatest.Words(1, 40_000))
	stored := func(contents ...string) []delta.Input {
		var list [][]byte
		for _, c := range contents {
			list = append(list, []byte(c))
		}
		return []delta.Input{deltatest.Input("x.pak", deltatest.PakWith(t, &codecs.CreateOptions{}, list...))}
	}
	won := map[bool]bool{}
	for _, c := range []struct{ old, new []delta.Input }{
		{[]delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, []byte(text)))}, []delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, []byte(text[:20_000]+"!"+text[20_000:])))}},
		{stored(text[:900], text[1000:1900]), stored(text[:900], text[1000:1700]+"!"+text[1700:1900])},
		{stored("a", "b", "c"), deltatest.Files("abc")},
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
