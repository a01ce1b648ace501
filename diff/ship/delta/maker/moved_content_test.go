package maker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/inside"
	"pakdb/internal/testkit"
)

// TestDamagedOld: old blocks that do not decode are no content, of small builds
// and of others.
func TestDamagedOld(t *testing.T) {
	for _, c := range testkit.Some([][2]int{{50_000, 9_000}, {1_500_000, 15_000}}, 1) {
		size, atMost := c[0], c[1]
		text := deltatest.Words(1, size)
		o := &codecs.CreateOptions{Method: compress.Zlib, BlockSize: 64 << 10}
		old, new := bytes.Clone(deltatest.PakWith(t, o, text)), deltatest.PakWith(t, o, append([]byte("x"), text...))
		old[2000] ^= 0xff
		from, to := []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)}
		p := rounds().Patch(t, from, to)
		rounds().Check(t, p, from, to)
		if len(p) > atMost {
			t.Errorf("%d bytes for %d, at most %d expected", len(p), len(new), atMost)
		}
	}
}

// sampled is the index of a build with an entry of noise, of which it decodes a
// share at first.
func sampled(t *testing.T, method compress.Method, share float64) (*chunkIndex, []byte) {
	t.Helper()
	content := deltatest.Noisy(7, 600_000)
	for i := range content {
		content[i] &= 0x3f // so that it is compressed
	}
	pak := deltatest.PakWith(t, &codecs.CreateOptions{Method: method, BlockSize: 64 << 10}, content)
	b, err := inside.NewBuild(context.Background(), []delta.Input{deltatest.Input("x.pak", pak)}, &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}, nil, &delta.KeyRing{})
	if err != nil {
		t.Fatal(err)
	}
	x := newChunkIndex(b, func(*inside.Entry) bool { return false }, &pairing{entries: []int32{0}}, false)
	if x.kinds++; share < 1 {
		_, err = x.add(context.Background(), 0, share)
	}
	if err != nil {
		t.Fatal(err)
	}
	return x, content
}

// TestSampled: what is found by the front of a block is found as a whole.
func TestSampled(t *testing.T) {
	for _, m := range []compress.Method{compress.None, compress.Zlib, compress.LZ4} {
		t.Run(fmt.Sprint("method ", m), func(t *testing.T) {
			x, content := sampled(t, m, 0.25)
			few := len(x.places)
			runs, err := x.find(context.Background(), content[100_000:300_000], window{entry: -1}, nil)
			if err != nil || len(runs) != 1 {
				t.Fatalf("%d runs, %v", len(runs), err)
			}
			if r := runs[0]; r.n < 190_000 || r.from < 100_000 || r.to > 300_000 || r.to-r.from != r.n {
				t.Errorf("%d bytes from %d to %d, of 100000 to 300000", r.n, r.from, r.to)
			}
			if few == 0 || len(x.places) < 3*few {
				t.Errorf("%d places, then %d", few, len(x.places))
			}
		})
	}
}

// TestAlike: entries that are called nearly as the new one are looked at wholly.
func TestAlike(t *testing.T) {
	x, content := sampled(t, compress.Zlib, 0.1)
	x.kinds = 2
	name := x.old.Entries[0].Name
	behind := content[60_000:65_000] // no front
	behind = append(bytes.Clone(behind), deltatest.Noisy(8, 20_000)...)
	for _, c := range []struct {
		name string
		runs int
	}{{"x.pak\x00other.extension", 0}, {"other.pak\x00elsewhere/" + lastName(name), 1}} {
		if runs, err := x.find(context.Background(), behind, window{entry: -1, name: c.name}, nil); err != nil || len(runs) != c.runs {
			t.Errorf("%q: %d runs, %v", c.name, len(runs), err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.add(ctx, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
