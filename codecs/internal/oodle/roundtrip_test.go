package oodle_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/internal/oodle"
	"pakdb/internal/testkit"
)

// sample makes n bytes with literals, short and long matches at all kinds of distances.
func sample(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]byte, 0, n)
	for len(out) < n {
		k := 1 << r.IntN(1+r.IntN(14))
		k = min(r.IntN(k)+1, n-len(out))
		switch r.IntN(6) {
		case 0:
			for range k {
				out = append(out, byte(r.Uint32()))
			}
		case 1:
			for i := range k {
				out = append(out, "entity component transform "[i%27])
			}
		default:
			if len(out) < 16 {
				continue
			}
			d := min(1+r.IntN(1<<r.IntN(24)), len(out))
			for range k {
				out = append(out, out[len(out)-d])
			}
		}
	}
	return out
}

// streams calls f with streams of all codecs and forms for data.
func streams(data []byte, f func(name string, src []byte)) {
	for mode := range 2 {
		for _, scale := range []int{0, 1, 2, 7, 128} {
			f(fmt.Sprintf("Kraken/mode=%d,scale=%d", mode, scale), encode(data, 6, kraken, variant{mode: mode, scale: scale}))
		}
		for _, coded := range []bool{false, true} {
			f(fmt.Sprintf("Mermaid/mode=%d,coded=%v", mode, coded), encode(data, 10, mermaid, variant{mode: mode, second: coded}))
		}
	}
	for mode := range 6 {
		for _, eight := range []bool{false, true} {
			v := variant{mode: mode, scale: mode % 3, second: eight}
			if mode == 3 {
				v.scale = 1
			}
			if v.scale == 0 {
				v.scale = 4
			}
			f(fmt.Sprintf("Leviathan/mode=%d,eight=%v", mode, eight), encode(data, 12, leviathan, v))
		}
	}
}

func TestRoundTrip(t *testing.T) {
	var d oodle.Decoder
	sizes := []int{1, 7, 8, 31, 40, 100, 1000, 5000, 65535, 65536, 65537, 0x20000, 0x20001, 0x40009, 700_000}
	if !testkit.Deep() {
		sizes = append(sizes[:11], 0x20001)
	}
	for _, n := range sizes {
		data := sample(uint64(n), n)
		streams(data, func(name string, src []byte) {
			dst := make([]byte, n)
			if got, err := d.Decode(dst, src); got != n || err != nil {
				t.Errorf("%s, %d bytes: %d, %v", name, n, got, err)
			} else if !bytes.Equal(dst, data) {
				t.Errorf("%s, %d bytes: wrong bytes", name, n)
			}
		})
	}
}

// TestFarOffsets decodes matches from more than 12 MiB back, for which the offset codings have forms of their own.
func TestFarOffsets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const at = 0xD40000
	data := make([]byte, at+0x18000)
	head := sample(9, 0x20000)
	copy(data, head)
	r := rand.New(rand.NewPCG(9, 9))
	for o := at; o < len(data)-500; o += 40 + r.IntN(500) {
		n := 20 + r.IntN(400)
		copy(data[o:o+n], head[r.IntN(len(head)-n):])
	}
	for _, c := range []struct {
		codec byte
		chunk chunkEncoder
		v     variant
	}{{6, kraken, variant{mode: 1}}, {6, kraken, variant{scale: 3}}, {10, mermaid, variant{}}, {12, leviathan, variant{mode: 2, scale: 1}}} {
		src := append([]byte{0xCC, c.codec}, data[:0x40000]...)
		for range at/0x40000 - 1 {
			src = append(src, 0x0C, c.codec, 0x07, 0xFF, 0xFF, 0x00)
		}
		src = append(src, 0x0C, c.codec)
		plain := len(src)
		src = append(src, quantum(data, at, c.chunk, c.v)...)
		dst := make([]byte, len(data))
		if n, err := oodle.Decode(dst, src); n != len(data) || err != nil {
			t.Errorf("codec %d: %d, %v", c.codec, n, err)
		} else if !bytes.Equal(dst, data) {
			t.Errorf("codec %d: wrong bytes", c.codec)
		}
		t.Logf("codec %d: %d bytes", c.codec, len(src)-plain)
	}
}

// smallSample makes n bytes that compress in every quantum, and whose quanta 6 to 11 repeat earlier bytes.
func smallSample(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var out []byte
	for len(out) < n {
		k := 1 + r.IntN(1<<r.IntN(10))
		switch r.IntN(4) {
		case 0:
			for range min(k, 20) {
				out = append(out, byte(r.Uint32()))
			}
		case 1:
			for i := range k {
				out = append(out, "entity component transform "[i%27])
			}
		default:
			d := min(1+r.IntN(1<<r.IntN(20)), len(out))
			for i := 0; i < k && d > 0; i++ {
				out = append(out, out[len(out)-d])
			}
		}
	}
	out = out[:n]
	for i, dist := range []int{0x8000, 0x8001, 0x8004, 0x18003} {
		if at := (6 + i) * 0x4000; at+0x4000 <= n {
			copy(out[at:at+0x4000], out[at-dist:])
		}
	}
	if n > 0x30000 {
		clear(out[0x2C000:0x30000])
	}
	return out
}

func TestRoundTripSmall(t *testing.T) {
	var d oodle.Decoder
	for _, n := range []int{5, 17, 100, 1000, 0x4000, 0x4005, 100_000, 0x40000, 900_000} {
		if !testkit.Deep() && n > 100_000 {
			break
		}
		data := smallSample(uint64(n), n)
		for codec, name := range map[byte]string{5: "LZNA", 11: "BitKnit"} {
			for restart := range 3 {
				src := encodeSmall(data, codec, restart)
				dst := make([]byte, n)
				if got, err := d.Decode(dst, src); got != n || err != nil {
					t.Errorf("%s, %d bytes: %d, %v", name, n, got, err)
				} else if !bytes.Equal(dst, data) {
					t.Errorf("%s, %d bytes: wrong bytes", name, n)
				} else {
					t.Logf("%s: %d -> %d", name, len(src), n)
				}
			}
		}
	}
}

// TestWholeMatch decodes quanta of LZNA and BitKnit that are a copy of earlier bytes, from distances of all forms.
func TestWholeMatch(t *testing.T) {
	head := smallSample(4, 0x4000)
	const forms = 0x8001 // distances from here on have a number of several bytes
	for _, dist := range []int{1, 0x4000, forms - 1, forms, forms + 0x7FFF, forms + 0x7F<<15, forms + 0x80<<15 - 1, forms + 0x80<<15, forms + 0x90<<15 + 7} {
		for _, codec := range []byte{5, 11} {
			var src []byte
			var want []byte
			for len(want) < dist || len(want) == 0 {
				if len(want)%0x40000 == 0 {
					src = append(src, 0x0C, codec)
				}
				if len(want)%0x18000 == 0 {
					src = append(append(src, 0xBF, 0xFF), head...)
					want = append(want, head...)
				} else {
					src = append(src, 0x7F, 0xFF, byte(len(want)>>14))
					want = append(want, bytes.Repeat([]byte{byte(len(want) >> 14)}, 0x4000)...)
				}
			}
			if len(want)%0x40000 == 0 {
				src = append(src, 0x0C, codec)
			}
			src = append(append(src, 0x3F, 0xFF), matchNumber(dist)...)
			for range 0x4000 {
				want = append(want, want[len(want)-dist])
			}
			dst := make([]byte, len(want))
			if n, err := oodle.Decode(dst, src); n != len(want) || err != nil || !bytes.Equal(dst, want) {
				t.Errorf("codec %d, distance %#x: %d of %d, %v", codec, dist, n, len(want), err)
			}
		}
	}
}
