package coder_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"pakdb/diff/ship/internal/coder"
)

// content is a part of a stream: new as a version of old.
type content struct{ old, new []byte }

func encode(e *coder.Encoder, contents ...content) []byte {
	e.Reset()
	for _, c := range contents {
		e.Number(1, uint64(len(c.new)))
		x := coder.NewIndex(c.old)
		for at := 0; at < len(c.new) || at == 0; at += coder.MaxContent {
			e.Content(c.new[at:min(at+coder.MaxContent, len(c.new))], x, int64(at), int64(len(c.old)))
		}
	}
	return bytes.Clone(e.Bytes())
}

func decode(stream []byte, contents ...content) error {
	return decodeBy(new(coder.Decoder), stream, contents...)
}

func decodeBy(d *coder.Decoder, stream []byte, contents ...content) error {
	d.Reset(stream)
	for _, c := range contents {
		n := d.Number(1)
		if n != uint64(len(c.new)) {
			return coder.ErrCorrupt
		}
		for at := 0; at < len(c.new) || at == 0; at += coder.MaxContent {
			want := c.new[at:min(at+coder.MaxContent, len(c.new))]
			got, err := d.Content(len(want), bytes.NewReader(c.old), int64(at), int64(len(c.old)))
			if err != nil {
				return err
			}
			if !bytes.Equal(got, want) {
				return errors.New("decodes to something else")
			}
		}
	}
	return d.Err()
}

// noise is deterministic, as all contents of these tests are.
func noise(seed uint64, n int) []byte {
	r, b := rand.New(rand.NewPCG(seed, 7)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// records look like tables of numbers: most bytes are zero.
func records(seed uint64, n int) []byte {
	r, b := rand.New(rand.NewPCG(seed, 9)), make([]byte, n)
	for i := 0; i < n; i += 4 {
		b[i] = byte(r.Uint32() % 40)
	}
	return b
}

// references look like an Unreal map: names, zeros, objects and floats. Names and objects
// from a number on are greater by 1 and 3; from 0, none.
func references(n, from uint32) []byte {
	r, b := rand.New(rand.NewPCG(5, 9)), []byte(nil)
	grown := func(v, by uint32) uint32 {
		if from > 0 && v >= from {
			return v + by
		}
		return v
	}
	for range n / 4 {
		b = binary.LittleEndian.AppendUint32(b, grown(r.Uint32N(2000), 1))
		b = binary.LittleEndian.AppendUint32(b, 0)
		b = binary.LittleEndian.AppendUint32(b, grown(r.Uint32N(4000), 3))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.Float32()))
	}
	return b
}

// compact is references with the compact indices of the first engine.
func compact(n, from uint32) (b []byte) {
	r := rand.New(rand.NewPCG(5, 10))
	for range n / 4 {
		v := 64 + r.Uint32N(2000)
		if from > 0 && v >= from {
			v++
		}
		b = append(b, 6, byte(v&0x3f|0x40), byte(v>>6), byte(r.Uint32N(8)), 0x24, byte(r.Uint32()), byte(r.Uint32()))
	}
	return b
}

func edited(b []byte, every int) []byte {
	b = bytes.Clone(b)
	for i := every / 2; i < len(b); i += every {
		b[i] += 3
	}
	return b
}

func TestSizes(t *testing.T) {
	base := noise(1, 300_000)
	for _, c := range []struct {
		name     string
		contents []content
		atMost   int
	}{
		{"nothing", []content{{nil, nil}}, 4},
		{"equal", []content{{base, base}}, 12},
		{"an edit every 1,000 bytes", []content{{base, edited(base, 1000)}}, 300 * 4},
		{"an insertion", []content{{base, append(append(bytes.Clone(base[:1000]), "inserted"...), base[1000:]...)}}, 40},
		{"halves swapped", []content{{base, append(bytes.Clone(base[150_000:]), base[:150_000]...)}}, 40},
		{"two halves in one", []content{{base[:150_000], base[:150_000]}, {base[150_000:], base[150_000:]}}, 20},
		{"new, twice", []content{{nil, base[:9000]}, {nil, base[:9000]}}, 9000 + 40},
		{"zeros", []content{{nil, make([]byte, 1<<20)}}, 30},
		{"larger than what is indexed closely", []content{{noise(2, 5<<20), edited(noise(2, 4<<20), 1<<16)}}, 600},
		{"beyond the window", []content{{nil, noise(3, 3<<20)}, {nil, noise(4, 3<<20)}}, 6<<20 + 1000},
		{"references, all grown", []content{{references(20_000, 0), references(20_000, 1)}}, 400},
		{"references, some grown", []content{{references(20_000, 0), references(20_000, 700)}}, 360},
		{"compact references", []content{{compact(20_000, 0), compact(20_000, 70)}}, 310},
		{"records", []content{{records(1, 40_000), records(2, 40_000)}}, 8800},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := encode(new(coder.Encoder), c.contents...)
			t.Logf("%d bytes", len(stream))
			if len(stream) > c.atMost {
				t.Errorf("%d bytes, at most %d expected", len(stream), c.atMost)
			}
			if err := decode(stream, c.contents...); err != nil {
				t.Error(err)
			}
		})
	}
}

// An encoder gives the same stream whatever it encoded before: publications share them, and the
// order of their work is not the same twice.
func TestReused(t *testing.T) {
	used := new(coder.Encoder)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		old := records(uint64(i), 200+rnd.IntN(4000))
		new := edited(old, 20+rnd.IntN(200))
		if i%3 == 0 {
			new = append(bytes.Clone(new[:len(new)/2]), records(uint64(i)+100, 2000)...)
		}
		c := content{old, new}
		used.Best = i%2 == 0
		if fresh := encode(&coder.Encoder{Best: used.Best}, c); !bytes.Equal(encode(used, c), fresh) {
			t.Errorf("content %d: another stream than that of a new encoder", i)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	e := new(coder.Encoder)
	rapid.Check(t, func(t *rapid.T) {
		var contents []content
		for range rapid.IntRange(0, 4).Draw(t, "contents") {
			old := rapid.SliceOfN(rapid.ByteMax(3), 0, 300).Draw(t, "old")
			var c []byte
			for range rapid.IntRange(0, 5).Draw(t, "runs") {
				if at := rapid.IntRange(0, len(old)).Draw(t, "at"); rapid.Bool().Draw(t, "copied") {
					c = append(c, old[at:rapid.IntRange(at, len(old)).Draw(t, "to")]...)
				} else {
					c = append(c, rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "fresh")...)
				}
			}
			contents = append(contents, content{old, c})
		}
		if err := decode(encode(e, contents...), contents...); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRoundTripOfNumbers draws what corrections are for: numbers in place of the same ones again
// and again, which sometimes are others.
func TestRoundTripOfNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var old, new []byte
		grow := rapid.SliceOfN(rapid.Uint32Max(600), 6, 6).Draw(t, "grow")
		for range rapid.IntRange(1, 200).Draw(t, "numbers") {
			v := rapid.Uint32Max(5).Draw(t, "v")
			skipped := rapid.SliceOfN(rapid.ByteMax(2), 0, 3).Draw(t, "between")
			old = append(binary.LittleEndian.AppendUint32(old, v<<6), skipped...)
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				grow[v] = rapid.Uint32Max(600).Draw(t, "other")
			}
			new = append(binary.LittleEndian.AppendUint32(new, v<<6+grow[v]), skipped...)
		}
		c := []content{{old, new}, {old, new[rapid.IntRange(0, len(new)).Draw(t, "from"):]}, {new, old}}
		e := &coder.Encoder{Best: rapid.Bool().Draw(t, "best")}
		if err := decode(encode(e, c...), c...); err != nil {
			t.Fatal(err)
		}
	})
}

// TestParts codes a content in parts, each with a guess of its own.
func TestParts(t *testing.T) {
	old := noise(6, 100_000)
	new := append([]byte("in front"), old...)
	var e coder.Encoder
	e.Reset()
	x := coder.NewIndex(old)
	for at := 0; at < len(new); at += 30_000 {
		e.Content(new[at:min(at+30_000, len(new))], x, int64(at)-8, int64(len(old)))
	}
	stream := bytes.Clone(e.Bytes())
	if len(stream) > 60 {
		t.Errorf("%d bytes", len(stream))
	}
	var d coder.Decoder
	d.Reset(stream)
	for at := 0; at < len(new); at += 30_000 {
		want := new[at:min(at+30_000, len(new))]
		got, err := d.Content(len(want), bytes.NewReader(old), int64(at)-8, int64(len(old)))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("part at %d: %v", at, err)
		}
	}
}

// TestAlike: the longest run is found among thousands of places that begin alike.
func TestAlike(t *testing.T) {
	const n, size = 1_000, 64
	data := noise(8, n*size)
	for i := range data {
		data[i] = 'a' + data[i]&1
	}
	var again []byte
	for _, i := range rand.New(rand.NewPCG(8, 8)).Perm(n) {
		again = append(again, data[i*size:][:size]...)
	}
	first, both := content{nil, data}, []content{{nil, data}, {nil, again}}
	e := coder.Encoder{Best: true}
	alone := len(encode(&e, first))
	stream := encode(&e, both...)
	if err := decode(stream, both...); err != nil {
		t.Fatal(err)
	}
	// A place among 1,000 takes 10 bits, 64 bits by themselves 8 bytes.
	if each := float64(len(stream)-alone) / n; each > 4 {
		t.Errorf("%.1f bytes for each run that there is", each)
	}
}

func TestNumbers(t *testing.T) {
	var e coder.Encoder
	rapid.Check(t, func(t *rapid.T) {
		type number struct {
			Context int
			V       uint64
		}
		list := rapid.SliceOf(rapid.Custom(func(t *rapid.T) number {
			return number{rapid.IntRange(0, 31).Draw(t, "context"), rapid.Uint64().Draw(t, "v") >> rapid.IntRange(0, 63).Draw(t, "shift")}
		})).Draw(t, "numbers")
		e.Reset()
		for _, n := range list {
			e.Number(n.Context, n.V)
		}
		var d coder.Decoder
		d.Reset(bytes.Clone(e.Bytes()))
		for _, n := range list {
			if v := d.Number(n.Context); v != n.V {
				t.Fatalf("%d became %d", n.V, v)
			}
		}
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDamage(t *testing.T) {
	old := noise(1, 4000)
	c := content{old, append(edited(old, 100), "behind"...)}
	stream := encode(new(coder.Encoder), c)
	for i := range stream {
		bad := bytes.Clone(stream)
		bad[i] ^= 1 << (i % 8)
		if err := decode(bad, c); err == nil && i < len(stream)-5 { // the last bits need not matter
			t.Fatalf("byte %d changed, and nobody noticed", i)
		}
	}
	if err := decode(stream[:len(stream)/2], c); !errors.Is(err, coder.ErrCorrupt) {
		t.Errorf("half a stream: %v", err)
	}
	var d coder.Decoder
	d.Reset(nil)
	for _, n := range []int{-1, coder.MaxContent + 1} {
		if _, err := d.Content(n, bytes.NewReader(nil), 0, 0); !errors.Is(err, coder.ErrCorrupt) {
			t.Errorf("content of %d bytes: %v", n, err)
		}
	}
	// An old content that is shorter than it says is no reason to go on.
	d.Reset(encode(new(coder.Encoder), content{old, old}))
	d.Number(1)
	if _, err := d.Content(len(old), liar{bytes.NewReader(old[:10])}, 0, 4000); err == nil {
		t.Error("an old content that ends early was read to its end")
	}
}

type liar struct{ *bytes.Reader }

func (liar) Size() int64 { return 4000 }

func FuzzDecode(f *testing.F) {
	old := noise(1, 1000)
	f.Add(encode(new(coder.Encoder), content{old, edited(old, 90)}))
	f.Add(encode(new(coder.Encoder), content{old, noise(2, 300)}))
	f.Add(encode(new(coder.Encoder), content{old, nil}, content{old, old[500:]}))
	var d coder.Decoder // a megabyte, for all executions: Reset leaves nothing of the one before
	f.Fuzz(func(t *testing.T, stream []byte) {
		d.Reset(stream)
		for range 4 {
			n := d.Number(1) % (1 << 16)
			if _, err := d.Content(int(n), bytes.NewReader(old), int64(int32(d.Number(2))), int64(int32(d.Number(3)))); err != nil {
				if !errors.Is(err, coder.ErrCorrupt) {
					t.Fatal(err)
				}
				return
			}
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	e := new(coder.Encoder)
	d := new(coder.Decoder)
	f.Add([]byte("one content and"), []byte("another content and more"))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		if len(old)+len(new) > 16<<10 {
			return // more of the same, slowly
		}
		c := content{old, new}
		if err := decodeBy(d, encode(e, c, c), c, c); err != nil {
			t.Fatal(err)
		}
	})
}

var pairs = []struct {
	name string
	content
}{
	{"edit1000", content{noise(1, 2<<20), edited(noise(1, 2<<20), 1000)}},
	{"edit50", content{records(1, 2<<20), edited(records(1, 2<<20), 50)}},
	{"records", content{records(1, 1<<20), records(2, 1<<20)}},
	{"noise", content{noise(1, 1<<20), noise(2, 1<<20)}},
	{"large", content{noise(1, 8<<20), edited(noise(1, 4<<20), 5000)}},
}

func BenchmarkEncode(b *testing.B) {
	e := new(coder.Encoder)
	for _, p := range pairs {
		b.Run(p.name, func(b *testing.B) {
			b.SetBytes(int64(len(p.new)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = len(encode(e, p.content))
			}
			b.ReportMetric(float64(n), "stream-bytes")
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	e := new(coder.Encoder)
	for _, p := range pairs {
		b.Run(p.name, func(b *testing.B) {
			stream := encode(e, p.content)
			b.SetBytes(int64(len(p.new)))
			b.ReportAllocs()
			for b.Loop() {
				if err := decode(stream, p.content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
