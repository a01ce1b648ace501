package compress_test

import (
	"bytes"
	stdzlib "compress/zlib"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/internal/testkit"
)

// What is recognised makes the stream; with the stream's own parameters in
// hand, they are what is found.
func TestRecognize(t *testing.T) {
	var e compress.ZlibEncoder
	for i := range testkit.Of(6, 150) {
		r := rand.New(rand.NewPCG(uint64(i), 4))
		p, src := drawParams(r), zlibDraw(r)
		p.Strategy = compress.ZlibDefaultStrategy
		stored, err := e.Encode(nil, src, p)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Begins(stored, src, p) {
			t.Errorf("%v of %d bytes: its own begin is not recognised", p, len(src))
		}
		found, ok := e.Recognize(stored, src)
		if !ok {
			t.Errorf("%v of %d bytes, %d stored, is not recognised", p, len(src), len(stored))
			continue
		}
		if again, err := e.Encode(nil, src, found); err != nil || !bytes.Equal(again, stored) {
			t.Errorf("%v found for %v makes another stream", found, p)
		}
		if found, ok = e.Recognize(stored, src, compress.ZlibDefault, p); !ok || found != p && !e.Makes(stored, src, compress.ZlibDefault) {
			t.Errorf("%v found with %v in hand: %v", found, p, ok)
		}
		if len(src) > 0 && e.Makes(stored, src[:len(src)-1], p) {
			t.Errorf("%v: made from other content", p)
		}
	}
}

// Large inputs come out differently with every level: the right one is found.
func TestRecognizeLevel(t *testing.T) {
	var e compress.ZlibEncoder
	r := rand.New(rand.NewPCG(7, 7))
	var src []byte
	for len(src) < 200_000 {
		src = append(src, zlibDraw(r)...)
	}
	for level := range uint8(10) {
		for _, mem := range testkit.Some([]uint8{8, 1, 9}, 1) {
			p := compress.ZlibParams{Level: level, MemLevel: mem, WindowBits: 15, Raw: level%2 == 0}
			stored, err := e.Encode(nil, src, p)
			if err != nil {
				t.Fatal(err)
			}
			if found, ok := e.Recognize(stored, src); !ok || found != p && level > 0 {
				t.Errorf("%v is recognised as %v, %v", p, found, ok)
			}
		}
	}
}

// Streams of other encoders, damaged streams and other contents are not
// recognised, and cost little.
func TestNotRecognized(t *testing.T) {
	var e compress.ZlibEncoder
	src := bytes.Repeat(zlibDraw(rand.New(rand.NewPCG(8, 8))), 2)
	src = append(src, "some more text, some more text"...)
	var b bytes.Buffer
	w := stdzlib.NewWriter(&b)
	if _, err := w.Write(src); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	foreign := b.Bytes()
	own, err := e.Encode(nil, src, compress.ZlibDefault)
	if err != nil {
		t.Fatal(err)
	}
	for name, stored := range map[string][]byte{
		"the standard library's":       foreign,
		"bare, the standard library's": foreign[2 : len(foreign)-4],
		"cut":                          own[:len(own)-1],
		"longer":                       append(bytes.Clone(own), 0),
		"nothing":                      nil,
		"header":                       own[:2],
	} {
		if p, ok := e.Recognize(stored, src); ok {
			t.Errorf("%s is recognised as %v", name, p)
		}
		if len(stored) < len(own)-1 && e.Begins(stored, src, compress.ZlibDefault) {
			t.Errorf("%s begins as zlib's", name)
		}
	}
	for range 60 {
		r := rand.New(rand.NewPCG(9, uint64(len(own))))
		bad := bytes.Clone(own)
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		if p, ok := e.Recognize(bad, src); ok {
			t.Errorf("damaged, and recognised as %v", p)
		}
	}
}

// FuzzRecognize: whatever the stream, there is an answer, and when it is yes the
// answer is right.
func FuzzRecognize(f *testing.F) {
	src := []byte("Calligraphy/Calligraphy/Calligraphy/Curve.directory")
	var e compress.ZlibEncoder
	for _, p := range []compress.ZlibParams{compress.ZlibDefault, {Level: 1, Raw: true}, {}} {
		b, err := e.Encode(nil, src, p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, src)
	}
	f.Fuzz(func(t *testing.T, stored, decoded []byte) {
		if len(decoded) > 1<<10 || len(stored) > 2<<10 {
			return // each of 720 guesses encodes it; longer ones are recognized by other tests
		}
		p, ok := e.Recognize(stored, decoded)
		if again, err := e.Encode(nil, decoded, p); ok && (err != nil || !bytes.Equal(again, stored)) {
			t.Errorf("%v makes another stream", p)
		}
	})
}
