package inflate_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"io"
	"testing"

	kpflate "github.com/klauspost/compress/flate"
	kpzlib "github.com/klauspost/compress/zlib"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/inflate"
)

// peer decodes src with a reader, into exactly size bytes.
func peer(src []byte, size int, open func(io.Reader) (io.Reader, error)) (out []byte, read int, ok bool) {
	in := bytes.NewReader(src)
	r, err := open(in)
	if err != nil {
		return nil, 0, false
	}
	out = make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, 0, false
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, 0, false
	}
	return out, len(src) - in.Len(), true
}

// compare demands what the standard library says, in all that is returned. That
// of klauspost/compress accepts a little more: it decodes a match in a block
// without distances by the distances of the block before.
func compare(t *testing.T, fn func(dst, src []byte) (int, error), size int, src []byte, std, kp func(io.Reader) (io.Reader, error)) {
	got, read, err := decode(t, fn, size, src)
	want, wantRead, ok := peer(src, size, std)
	if ok != (err == nil) || ok && (read != wantRead || !bytes.Equal(got, want)) {
		t.Fatalf("took %d, %v; the standard library %d, %v; equal: %v", read, err, wantRead, ok, bytes.Equal(got, want))
	}
	if more, _, kpOK := peer(src, size, kp); ok && (!kpOK || !bytes.Equal(more, want)) {
		t.Fatalf("klauspost: %v; equal: %v", kpOK, bytes.Equal(more, want))
	}
}

func stdRaw(r io.Reader) (io.Reader, error)  { return flate.NewReader(r), nil }
func kpRaw(r io.Reader) (io.Reader, error)   { return kpflate.NewReader(r), nil }
func stdZlib(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }
func kpZlib(r io.Reader) (io.Reader, error)  { return kpzlib.NewReader(r) }

// zlibOf is a stream of some text by each level and strategy.
func zlibOf(t testing.TB, n int, p compress.ZlibParams) []byte {
	var e compress.ZlibEncoder
	text := bytes.Repeat([]byte("Calligraphy/Powers/Player/Aegis/Beam.prototype\x00\x01\x02"), n/50+1)[:n]
	for i := range text {
		if i%37 < 5 {
			text[i] ^= byte(i * i >> 7)
		}
	}
	b, err := e.Encode(nil, text, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzRaw(f *testing.F) {
	for _, v := range valid {
		f.Add(v.src, uint16(len(v.want)))
	}
	for _, v := range malformed {
		f.Add(v.src, uint16(v.size))
	}
	for level := range uint8(3) {
		f.Add(zlibOf(f, 1200, compress.ZlibParams{Level: level * 3, Raw: true}), uint16(1200))
	}
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		compare(t, new(inflate.Decoder).Raw, int(size), src, stdRaw, kpRaw)
		// With the size that the stream has: more of them come to their end.
		if all, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(src)), 1<<16)); err == nil {
			compare(t, new(inflate.Decoder).Raw, len(all), src, stdRaw, kpRaw)
		}
	})
}

func FuzzZlib(f *testing.F) {
	for _, v := range valid {
		f.Add(zlibbed(v.want, v.src), uint16(len(v.want)))
	}
	f.Add(append(unhex("78 bb 00000001"), zlibbed("", head(last|fixed).fixed(256).b)[2:]...), uint16(0))
	f.Add(zlibOf(f, 1200, compress.ZlibParams{Level: 6}), uint16(1200))
	f.Fuzz(func(t *testing.T, src []byte, size uint16) {
		compare(t, new(inflate.Decoder).Zlib, int(size), src, stdZlib, kpZlib)
	})
}

// TestUsedAgain decodes valid and malformed streams by one decoder: what one
// leaves must not show in another.
func TestUsedAgain(t *testing.T) {
	var d inflate.Decoder
	for range 2 {
		for _, v := range valid {
			for _, m := range malformed {
				if _, _, err := decode(t, d.Raw, m.size, m.src); !errors.Is(err, m.err) {
					t.Fatalf("%s before %s: %v", v.name, m.name, err)
				}
				if got, _, err := decode(t, d.Raw, len(v.want), v.src); err != nil || string(got) != v.want {
					t.Fatalf("%s after %s: %v", v.name, m.name, err)
				}
			}
		}
	}
}
