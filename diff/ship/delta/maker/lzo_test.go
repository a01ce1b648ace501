package maker_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/retropak"
	"pakdb/diff/ship/delta"
	"pakdb/internal/testkit"
)

// cooked is a texture as Retro's tools store it: a CMPD of its header, stored as
// it is, and of the pixels, in segments that LZO1X-999 made.
func cooked(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	const header = 12
	var pixels []byte
	var e compress.LZOEncoder
	for left := content[header:]; len(left) > 0; {
		n := min(len(left), 16<<10)
		at := len(pixels)
		var err error
		if pixels, err = e.Encode(append(pixels, 0, 0), left[:n], level); err != nil {
			t.Fatal(err)
		}
		if size := len(pixels) - at - 2; size < n {
			binary.BigEndian.PutUint16(pixels[at:], uint16(size))
		} else {
			pixels = append(binary.BigEndian.AppendUint16(pixels[:at], uint16(-n)), left[:n]...)
		}
		left = left[n:]
	}
	b := binary.BigEndian.AppendUint32([]byte("CMPD"), 2)
	for _, v := range []int{header, header, 0xa0<<24 | len(pixels), len(content) - header} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = append(append(b, content[:header]...), pixels...)
	for len(b)%64 != 0 {
		b = append(b, 0xff)
	}
	return b
}

// strips are vertices of a mesh in rows of indices, more or less: phrases of
// some hundred kinds, and one part of noise that does not compress.
func strips(seed uint64, n int) (b []byte) {
	r := rand.New(rand.NewPCG(seed, 9))
	var phrases [400][]byte
	for i := range phrases {
		phrases[i] = noise(r, 3+r.IntN(9))
	}
	for len(b) < n {
		if len(b) > n/2 && len(b) < n/2+20<<10 {
			b = append(b, noise(r, 512)...)
		}
		b = append(b, phrases[r.IntN(len(phrases))]...)
	}
	return b[:n]
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func writeRetro(t testing.TB, contents [][]byte, level int) string {
	t.Helper()
	dir := t.TempDir()
	opt := codecs.CreateOptions{Version: "MP3"}
	err := codecs.WriteFile(context.Background(), filepath.Join(dir, "x.pak"), retropak.Format(), &opt, func(w codecs.Writer) error {
		for i, c := range contents {
			stored := cooked(t, c, level)
			e := &codecs.Entry{Type: "TXTR", ID: codecs.ID64(uint64(i+1) * 0x9e3779b97f4a7c15), Method: compress.LZO1X, Stored: int64(len(stored))}
			if err := w.AddRaw(context.Background(), e, bytes.NewReader(stored)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLZO: what changed in an entry of a pak with LZO1X costs about what it is,
// although all segments behind it are others. The new parts are 400 bytes of
// noise; 13 segments are made, in operations of their own.
func TestLZO(t *testing.T) {
	testkit.NotShort(t)
	var contents [][]byte
	for i := range 6 {
		contents = append(contents, strips(uint64(i), 200_000+i*1000))
	}
	changed := slices.Clone(contents)
	changed[2] = slices.Concat(contents[2][:50_000], strips(77, 300), contents[2][50_300:])
	changed[4] = slices.Concat(contents[4][:30_000], strips(78, 100), contents[4][30_000:])
	for _, level := range testkit.Some([]int{8, 1}, 1) {
		old, new := writeRetro(t, contents, level), writeRetro(t, changed, level)
		if size := roundTrip(t, []string{old}, []string{new}); size > 1000 {
			t.Errorf("level %d: %d bytes", level, size)
		}
	}
}

// A recipe of a level that is none makes nothing, and has a name all the same.
func TestLZOLevels(t *testing.T) {
	var c delta.Coder
	for _, level := range []uint8{0, 10, 255} {
		r := delta.Recipe{Method: compress.LZO1X, Params: [4]uint8{level}}
		if b, err := c.Encode(nil, []byte("abc"), r); !errors.Is(err, compress.ErrLZOLevel) || b != nil {
			t.Errorf("%v: %q, %v", r, b, err)
		}
	}
	r, ok := c.Recognize(compress.LZO1X, []byte("\x14abc\x11\x00\x00"), []byte("abc"), nil)
	if !ok || r.String() != "lzo1x-999 8" {
		t.Errorf("%v, %v", r, ok)
	}
	if r, ok := c.Recognize(compress.LZO1X, []byte("\x14abd\x11\x00\x00"), []byte("abc"), nil); ok {
		t.Errorf("another content: %v", r)
	}
}
