package compress_test

import (
	"bytes"
	"compress/flate"
	stdzlib "compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/internal/testkit"
)

// zlibDraw makes data of any length up to 200,000 bytes out of runs, copies from
// near and far, and noise over alphabets of any size: what decides between
// lazy and greedy, short and far, stored, fixed and dynamic.
func zlibDraw(r *rand.Rand) []byte {
	n := pick(r, 0, 1, 2, 3, 4, 10, 100, 262, 263, 300, 1000, 5000, 40000, 65536, 70000, 200000)
	if r.IntN(2) == 0 {
		n = r.IntN(n + 1)
	}
	alphabet := pick(r, 1, 2, 4, 16, 64, 256)
	noise := func(b []byte, n int) []byte {
		for range n {
			b = append(b, byte(r.IntN(alphabet)))
		}
		return b
	}
	var b []byte
	for len(b) < n {
		switch kind := r.IntN(40); {
		case len(b) == 0 || kind < 16:
			b = noise(b, r.IntN(40))
		case kind == 16:
			b = noise(b, r.IntN(30_000))
		default:
			distance := 1 + r.IntN(min(len(b), pick(r, 4, 100, 5000, 40_000)))
			for range r.IntN(pick(r, 6, 12, 400)) {
				b = append(b, b[len(b)-distance])
			}
		}
	}
	return b[:n]
}

func pick(r *rand.Rand, of ...int) int { return of[r.IntN(len(of))] }

func drawParams(r *rand.Rand) compress.ZlibParams {
	p := compress.ZlibParams{
		Level:      uint8(r.IntN(10)),
		MemLevel:   uint8(1 + r.IntN(9)),
		WindowBits: uint8(8 + r.IntN(8)),
		Raw:        r.IntN(2) == 0,
	}
	if r.IntN(3) == 0 {
		p.Strategy = compress.ZlibStrategy(r.IntN(4)) // Fixed is not what it was in 1.2.11
	}
	if p.Raw {
		p.WindowBits = max(p.WindowBits, 9)
	}
	return p
}

// compare encodes src and reports where the result parts from zlib's.
func compare(t *testing.T, e *compress.ZlibEncoder, src []byte, p compress.ZlibParams, want []byte) {
	t.Helper()
	got, err := e.Encode([]byte("head"), src, p)
	if err != nil {
		t.Fatal(err)
	}
	if got = got[4:]; bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	t.Errorf("%v of %d bytes: %d bytes, zlib has %d; they differ from byte %d on", p, len(src), len(got), len(want), at)
}

func TestZlib1211(t *testing.T) {
	rounds := testkit.Of(30, 750)
	var e compress.ZlibEncoder
	for i := range rounds {
		r := rand.New(rand.NewPCG(uint64(i), 0))
		p, src, piece := drawParams(r), zlibDraw(r), 0
		if p.Level > 0 && r.IntN(4) == 0 {
			piece = 1 + r.IntN(1000) // zlib is drained in pieces: the bits stay
		}
		compare(t, &e, src, p, oracle(t, src, p, piece))
	}
}

// Each level with each size of the tables, over the same data.
func TestEveryParameter(t *testing.T) {
	var e compress.ZlibEncoder
	r := rand.New(rand.NewPCG(7, 7))
	src := zlibDraw(r)
	for len(src) < 100_000 {
		src = append(src, zlibDraw(r)...)
	}
	src = src[:100_000]
	for level := range uint8(10) {
		for mem := range uint8(9) {
			if of := uint8(testkit.Of(8, 1)); mem%of != level%of {
				continue
			}
			p := compress.ZlibParams{Level: level, MemLevel: mem + 1, WindowBits: 15 - mem%7}
			compare(t, &e, src, p, oracle(t, src, p, 0))
		}
	}
}

// Windows move many times, and positions of many inputs pile up in one Encoder.
func TestLargeInput(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var src []byte
	for len(src) < testkit.Of(150<<10, 1500<<10) {
		src = append(src, zlibDraw(r)...)
	}
	var e compress.ZlibEncoder
	for _, p := range []compress.ZlibParams{
		compress.ZlibDefault, {Level: 1}, {Level: 9, MemLevel: 9}, {Level: 4, WindowBits: 10, MemLevel: 1}, {},
	} {
		full := p
		if full.MemLevel == 0 {
			full.MemLevel = 8
		}
		if full.WindowBits == 0 {
			full.WindowBits = 15
		}
		compare(t, &e, src, p, oracle(t, src, full, 0))
	}
}

func TestStandardLibraryReadsIt(t *testing.T) {
	var e compress.ZlibEncoder
	for i := range testkit.Of(100, 300) {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		src, p := zlibDraw(r), drawParams(r)
		if i%5 == 0 {
			p.Strategy = compress.ZlibFixed
		}
		b, err := e.Encode(nil, src, p)
		if err != nil {
			t.Fatal(err)
		}
		var z io.Reader = flate.NewReader(bytes.NewReader(b))
		if !p.Raw {
			if z, err = stdzlib.NewReader(bytes.NewReader(b)); err != nil {
				t.Fatalf("%v: %v", p, err)
			}
		}
		if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%v: %d of %d bytes: %v", p, len(got), len(src), err)
		}
	}
}

func TestZlibParams(t *testing.T) {
	var e compress.ZlibEncoder
	for _, p := range []compress.ZlibParams{
		{Level: 10}, {MemLevel: 10}, {WindowBits: 7}, {WindowBits: 16}, {WindowBits: 8, Raw: true}, {Strategy: 5},
	} {
		if b, err := e.Encode([]byte("x"), nil, p); !errors.Is(err, compress.ErrZlibParams) || string(b) != "x" {
			t.Errorf("%+v: %q, %v", p, b, err)
		}
	}
	for p, want := range map[compress.ZlibParams]string{
		compress.ZlibDefault:               "zlib 6/8/15",
		{}:                                 "zlib 0/8/15",
		{Level: 9, Raw: true}:              "zlib 9/8/15 raw",
		{Strategy: 3, MemLevel: 1}:         "zlib 0/1/15 strategy 3",
		{Level: 1, WindowBits: 8}:          "zlib 1/8/8",
		{Level: 6, Strategy: 5}:            "zlib 6/8/15 strategy 5",
		{Level: 2, MemLevel: 9, Raw: true}: "zlib 2/9/15 raw",
	} {
		if p.String() != want {
			t.Errorf("%q, want %q", p, want)
		}
	}
}

// The bytes that every zlib stream of a level begins with, and what little
// inputs become, are well known.
func TestKnownStreams(t *testing.T) {
	for _, tt := range []struct {
		level uint8
		src   string
		want  string
	}{
		{6, "", "789c030000000001"},
		{1, "", "7801030000000001"},
		{9, "", "78da030000000001"},
		{0, "", "7801010000ffff00000001"},
		{5, "", "785e030000000001"},
		{6, "hello", "789ccb48cdc9c907" + "00062c0215"},
		{0, "hello", "7801010500faff68656c6c6f062c0215"},
	} {
		var e compress.ZlibEncoder
		b, err := e.Encode(nil, []byte(tt.src), compress.ZlibParams{Level: tt.level})
		if err != nil || fmt.Sprintf("%x", b) != tt.want {
			t.Errorf("level %d %q: %x, %v; want %s", tt.level, tt.src, b, err, tt.want)
		}
	}
}

// An Encoder that has room allocates nothing.
func TestZlibNoAllocation(t *testing.T) {
	var e compress.ZlibEncoder
	src := zlibDraw(rand.New(rand.NewPCG(5, 5)))
	dst, err := e.Encode(make([]byte, 0, 2*len(src)+1000), src, compress.ZlibDefault)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10, func() { dst, _ = e.Encode(dst[:0], src, compress.ZlibDefault) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzZlibEncode compares with zlib whatever the input.
func FuzzZlibEncode(f *testing.F) {
	f.Add([]byte("Calligraphy/Calligraphy/Calligraphy/Curve.directory"), uint8(6), uint8(8), uint8(15), uint8(0), uint16(1))
	f.Add([]byte{0, 0, 0, 0, 1, 1, 1, 0, 0, 0}, uint8(1), uint8(1), uint8(9), uint8(1), uint16(400))
	f.Add(bytes.Repeat([]byte("abcdefgh"), 100), uint8(9), uint8(9), uint8(12), uint8(2), uint16(3))
	f.Fuzz(func(t *testing.T, piece []byte, level, mem, window, strategy uint8, repeat uint16) {
		p := compress.ZlibParams{
			Level: level % 10, MemLevel: 1 + mem%9, WindowBits: 9 + window%7,
			Strategy: compress.ZlibStrategy(strategy % 4), Raw: strategy&4 != 0,
		}
		var src []byte
		for i := 0; i <= int(repeat)%500 && len(src) < 100_000; i++ {
			src = append(src, piece...)
			if len(piece) > 0 {
				src = append(src, piece[i%len(piece)]^byte(i)) // not quite a repetition
			}
		}
		var e compress.ZlibEncoder
		compare(t, &e, src, p, oracle(t, src, p, 0))
	})
}
