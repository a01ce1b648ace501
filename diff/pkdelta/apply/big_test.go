package apply

import (
	"bytes"
	"context"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
)

// TestBigBlocks: blocks larger than a segment, which can and which cannot be made
// from their content.
func TestBigBlocks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("seven megabytes of text and noise")
	}
	text, noise := pkdeltatest.Words(1, 1<<20), pkdeltatest.Noisy(2, 4900<<10)
	for i := range noise {
		noise[i] &= 0x7f // so that it is compressed, by a little
	}
	changed := append(bytes.Clone(text[:1<<19]), text[1<<18:]...)
	old, new := bigPak(t, text, []byte("x")), bigPak(t, changed, noise)
	var out bytes.Buffer
	_, s, err := maker.Make(context.Background(), []pkdelta.Input{pkdeltatest.Input("x.pak", old)}, []pkdelta.Input{pkdeltatest.Input("x.pak", new)}, &out, t.TempDir(),
		&maker.MakeOptions{Registry: pkdeltatest.Paks()})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Made) == 0 || s.Raw < 4<<20 {
		t.Errorf("%+v", s)
	}
	if files, err := rounds().Try(t, out.Bytes(), old); err != nil || len(files) != 1 {
		t.Fatal(err, files)
	}
}

func bigPak(t *testing.T, contents ...[]byte) []byte {
	t.Helper()
	return pkdeltatest.PakWith(t, &codecs.CreateOptions{Method: "zlib", BlockSize: 8 << 20}, contents...)
}
