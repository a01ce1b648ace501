package maker

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

// TestTrust: blocks of one recipe in a row are believed; and a belief that is
// wrong costs time and nothing else.
func TestTrust(t *testing.T) {
	testkit.NotShort(t)
	content := deltatest.Noisy(1, 1<<20)
	for i := range content {
		content[i] &= 0x7f // so that it is compressed, by a little
	}
	edited := bytes.Clone(content)
	for i := 0; i < len(edited); i += 10_000 {
		edited[i]++
	}
	o := &codecs.CreateOptions{Method: compress.Zlib, BlockSize: 64 << 10}
	old, new := deltatest.PakWith(t, o, content), deltatest.PakWith(t, o, edited)
	right, wrong := delta.Recipe{Method: compress.Zlib, Params: [4]uint8{6, 8, 15}}, delta.Recipe{Method: compress.Zlib, Params: [4]uint8{6, 9, 15}}
	for _, c := range []struct {
		name  string
		trust trust
		used  bool // at the end
	}{
		{"none", trust{}, false},
		{"some", trust{wanted: true}, true},
		{"from the first block on", trust{wanted: true, recipe: right, run: knownBlocks}, true},
		// Its blocks are longer than theirs, so that the same symbols come first.
		{"misplaced", trust{wanted: true, recipe: wrong, run: knownBlocks}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			f, err := os.Create(dir + "/p")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			_, s, err := makeProved(context.Background(), f, []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)}, dir,
				&MakeOptions{Registry: deltatest.Paks()}, &c.trust)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Made) != 1 || s.Made[right] < 800<<10 || c.used != (c.trust.used > 0) {
				t.Errorf("made %v, believed %d", s.Made, c.trust.used)
			}
			if _, err := f.Seek(0, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			p, err := io.ReadAll(f)
			if err != nil {
				t.Fatal(err)
			}
			if files, err := rounds().Try(t, p, old); err != nil || len(files) != 1 {
				t.Fatal(err, files)
			}
		})
	}
}
