package compress_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/internal/testkit"
)

func encodeLZ4(t testing.TB, e *compress.LZ4Encoder, src []byte, p compress.LZ4Params) []byte {
	t.Helper()
	b, err := e.Encode(nil, src, p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// lz4Draw makes data around the sizes at which the parse changes, out of noise over
// alphabets of any size and copies from near and far.
func lz4Draw(r *rand.Rand) []byte {
	pick := func(of ...int) int { return of[r.IntN(len(of))] }
	n := pick(0, 1, 11, 12, 13, 14, 20, 100, 1000, 20_000, 65_535, 65_546, 65_547, 65_548, 70_000, 300_000)
	if r.IntN(2) == 0 {
		n = r.IntN(n + 1)
	}
	alphabet := pick(1, 2, 4, 16, 64, 256)
	var b []byte
	for len(b) < n {
		if kind := r.IntN(40); len(b) == 0 || kind < 16 {
			for range r.IntN(pick(40, 40, 40, 5000)) {
				b = append(b, byte(r.IntN(alphabet)))
			}
			continue
		}
		distance := 1 + r.IntN(min(len(b), pick(4, 100, 5000, 65_600)))
		for range r.IntN(pick(6, 12, 400, 2000)) {
			b = append(b, b[len(b)-distance])
		}
	}
	return b[:n]
}

// All dialects make blocks that decode, and recognise what they made.
func TestLZ4RoundTrip(t *testing.T) {
	var e compress.LZ4Encoder
	for i := range testkit.Of(15, 200) {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		src := lz4Draw(r)
		for _, d := range compress.LZ4Dialects() {
			p := compress.LZ4Params{Dialect: d, Acceleration: uint16(r.IntN(3))}
			b := encodeLZ4(t, &e, src, p)
			got := make([]byte, len(src))
			if err := compress.Decode(compress.LZ4, got, b); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("round %d, %v: %v", i, p, err)
			}
			found, ok := e.Recognize(b, src, p)
			if !ok || found != p {
				t.Errorf("round %d, %v is recognised as %v, %v", i, p, found, ok)
			}
			if found, ok := e.Recognize(b, src); ok && !bytes.Equal(encodeLZ4(t, &e, src, found), b) {
				t.Errorf("round %d, %v: %v makes another block", i, p, found)
			} else if p.Acceleration < 2 && !ok {
				t.Errorf("round %d, %v is not recognised", i, p)
			}
			if len(b) > 0 && e.Makes(b[:len(b)-1], src, p) || e.Makes(append(b, 0), src, p) {
				t.Errorf("round %d, %v: another block is recognised", i, p)
			}
		}
	}
}

// High compression makes blocks that decode, and recognises what it made.
func TestHighRoundTrip(t *testing.T) {
	var e compress.LZ4Encoder
	for i := range testkit.Of(2, 30) {
		src := lz4Draw(rand.New(rand.NewPCG(uint64(i), 6)))
		src = src[:min(len(src), 20_000)]
		smallest := len(encodeLZ4(t, &e, src, compress.LZ4Params{}))
		for _, p := range compress.LZ4HighLevels() {
			b := encodeLZ4(t, &e, src, p)
			got := make([]byte, len(src))
			if err := compress.Decode(compress.LZ4, got, b); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("round %d, %v: %v", i, p, err)
			}
			if p.Level == 12 && p.Dialect == compress.LZ4Modern && len(b) > smallest {
				t.Errorf("round %d: %d bytes, the fast parse has %d", i, len(b), smallest)
			}
			if found, ok := e.Recognize(b, src); !ok || !bytes.Equal(encodeLZ4(t, &e, src, found), b) {
				t.Errorf("round %d, %v: recognised as %v, %v", i, p, found, ok)
			}
			if !e.Makes(b, src, p) || e.Makes(append(b, 0), src, p) {
				t.Errorf("round %d, %v: does not know its own block, or knows another", i, p)
			}
		}
	}
}

// Work is bounded: where there are very many candidates for every match, the
// reference goes on and on.
func TestHighWork(t *testing.T) {
	var src []byte
	r := rand.New(rand.NewPCG(7, 7))
	for range 60_000 {
		src = append(src, "ab"[r.IntN(2)])
	}
	var e compress.LZ4Encoder
	hard := compress.LZ4Params{Level: 12}
	b, err := e.Encode([]byte("x"), src, hard)
	if !errors.Is(err, compress.ErrWork) || string(b) != "x" {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if e.Makes(encodeLZ4(t, &e, src, compress.LZ4Params{}), src, hard) {
		t.Error("recognised what it cannot make")
	}
	if b, err := e.Encode(nil, src, compress.LZ4Params{Level: 9}); err != nil || !e.Makes(b, src, compress.LZ4Params{Level: 9}) {
		t.Errorf("the encoder does not recover: %v", err)
	}
}

// The dialects differ: otherwise they would not be needed.
func TestDialectsDiffer(t *testing.T) {
	var e compress.LZ4Encoder
	made := map[compress.LZ4Dialect]string{}
	for i := range 60 {
		src := lz4Draw(rand.New(rand.NewPCG(uint64(i), 4)))
		for _, d := range compress.LZ4Dialects() {
			made[d] += string(encodeLZ4(t, &e, src, compress.LZ4Params{Dialect: d}))
		}
	}
	for a, x := range made {
		for b, y := range made {
			if a < b && x == y {
				t.Errorf("%v and %v make the same", a, b)
			}
		}
	}
}

func TestLz4Params(t *testing.T) {
	var e compress.LZ4Encoder
	for _, p := range []compress.LZ4Params{
		{Level: 2}, {Level: 13}, {Dialect: compress.LZ4Release15, Level: 17}, {Dialect: compress.LZ4Release18, Level: 9},
		{Level: 9, Acceleration: 2}, {Level: 9, Stream: true},
	} {
		if _, err := e.Encode(nil, nil, p); !errors.Is(err, compress.ErrLZ4Params) {
			t.Errorf("%v: %v", p, err)
		}
	}
	bad := compress.LZ4Params{Dialect: 99}
	if b, err := e.Encode([]byte("x"), nil, bad); !errors.Is(err, compress.ErrLZ4Params) || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
	if e.Makes([]byte{0}, nil, bad) {
		t.Error("an unknown dialect makes something")
	}
	if b := encodeLZ4(t, &e, nil, compress.LZ4Params{}); !bytes.Equal(b, []byte{0}) {
		t.Errorf("nothing becomes %x", b)
	}
	for want, p := range map[string]compress.LZ4Params{
		"lz4 modern": {}, "lz4 r15": {Dialect: compress.LZ4Release15}, "lz4 dialect 99": bad,
		"lz4 early acceleration 3": {Dialect: compress.LZ4Early, Acceleration: 3},
		"lz4 modern hc 9":          {Level: 9},
	} {
		if p.String() != want {
			t.Errorf("%v, want %s", p, want)
		}
	}
}

func TestLz4NoAllocation(t *testing.T) {
	var e compress.LZ4Encoder
	src := lz4Draw(rand.New(rand.NewPCG(5, 5)))
	src = src[:min(len(src), 10_000)]
	dst := encodeLZ4(t, &e, src, compress.LZ4Params{})
	dst = append(make([]byte, 0, 2*len(src)+100), dst...)
	for _, p := range []compress.LZ4Params{{}, {Level: 9}, {Level: 12}} {
		if n := testing.AllocsPerRun(10, func() { dst, _ = e.Encode(dst[:0], src, p) }); n > 0 {
			t.Errorf("%v: %v allocations", p, n)
		}
	}
}

// FuzzLz4Encode: what is made decodes, and is recognised.
func FuzzLz4Encode(f *testing.F) {
	f.Add([]byte("Calligraphy/Calligraphy/Calligraphy/Curve.directory"), uint8(0), uint16(3))
	f.Add([]byte{0, 0, 0, 0, 1, 1, 1}, uint8(4), uint16(9000))
	f.Fuzz(func(t *testing.T, piece []byte, dialect uint8, repeat uint16) {
		var src []byte
		for i := 0; i <= int(repeat) && len(src) < 100_000; i++ {
			src = append(src, piece...)
			if len(piece) > 0 {
				src = append(src, piece[i%len(piece)]^byte(i))
			}
		}
		list := compress.LZ4HighLevels()
		for _, d := range compress.LZ4Dialects() {
			list = append(list, compress.LZ4Params{Dialect: d})
		}
		p := list[int(dialect)%len(list)]
		var e compress.LZ4Encoder
		b := encodeLZ4(t, &e, src, p)
		got := make([]byte, len(src))
		if err := compress.Decode(compress.LZ4, got, b); err != nil || !bytes.Equal(got, src) {
			t.Fatal(err)
		}
		if !e.Makes(b, src, p) {
			t.Error("not recognised")
		}
	})
}
