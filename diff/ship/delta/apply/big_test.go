package apply

import (
	"bytes"
	"context"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

// TestBigBlocks: blocks larger than a segment, which can and which cannot be made
// from their content.
func TestBigBlocks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seven megabytes of text and noise")
	}
	text, noise := deltatest.Words(1, 1<<20), bytes.Repeat(deltatest.Noisy(2, 70<<10), 70) // too late for zlib, and soon coded
	if testkit.All() {
		noise = deltatest.Noisy(2, 4900<<10) // half a minute
	}
	for i := range noise {
		noise[i] &= 0x7f // so that it is compressed, by a little
	}
	changed := append(bytes.Clone(text[:1<<19]), text[1<<18:]...)
	old, new := bigPak(t, text, []byte("x")), bigPak(t, changed, noise)
	var out bytes.Buffer
	_, s, err := maker.Make(context.Background(), []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)}, &out, t.TempDir(),
		&maker.MakeOptions{Registry: deltatest.Paks()})
	if err != nil {
		t.Fatal(err)
	}
	made := int64(0)
	for _, n := range s.Made {
		made += n
	}
	if made == 0 || made+s.Raw < 4<<20 {
		t.Errorf("%+v", s)
	}
	if files, err := rounds().Try(t, out.Bytes(), old); err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
}

func bigPak(t *testing.T, contents ...[]byte) []byte {
	t.Helper()
	return deltatest.PakWith(t, &codecs.CreateOptions{Method: "zlib", BlockSize: 8 << 20}, contents...)
}
