package lzo_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"pakdb/internal/lzotest"
	"pakdb/internal/testkit"
)

// TestRoundTrip encodes data of random shape: noise, repeats from near and far,
// and runs of one byte, in random order.
func TestRoundTrip(t *testing.T) {
	cases := testkit.Of(30, 200)
	r := rand.New(rand.NewPCG(1, 0x4c5a4f))
	for range cases {
		data := shaped(r, r.IntN(1<<r.IntN(18)))
		roundTrip(t, data, lzotest.LevelFast)
		if len(data) < 1<<16 {
			roundTrip(t, data, lzotest.LevelBest)
		}
	}
}

// TestRoundTripSmall encodes each length that has a form of its own.
func TestRoundTripSmall(t *testing.T) {
	for n := 0; n < 300; n += 1 + n/20 {
		for _, level := range []int{lzotest.LevelFast, lzotest.LevelBest} {
			roundTrip(t, noise(n), level)
			roundTrip(t, make([]byte, n), level)
		}
	}
}

// roundTrip also decodes with bytes after the stream, into a larger slice, and
// appends to what is there.
func roundTrip(t *testing.T, data []byte, level int) {
	t.Helper()
	out, err := lzotest.Encode([]byte("kept"), data, level)
	if err != nil || !bytes.HasPrefix(out, []byte("kept")) {
		t.Fatalf("encode %d bytes at %d: %v", len(data), level, err)
	}
	checkDecode(t, out[4:], data, 0)
	checkDecode(t, out[4:], data, 100)

	out, err = lzotest.EncodeSegmented([]byte("kept"), data, level)
	if err != nil || !bytes.HasPrefix(out, []byte("kept")) {
		t.Fatalf("encode %d bytes at %d: %v", len(data), level, err)
	}
	checkSegmented(t, out[4:], data)
}

func TestEncodeLevel(t *testing.T) {
	for _, level := range []int{-1, 0, 2, 8, 10} {
		out, err := lzotest.Encode([]byte("kept"), []byte("data"), level)
		if !errors.Is(err, errors.ErrUnsupported) || string(out) != "kept" {
			t.Errorf("level %d: %q, %v", level, out, err)
		}
		out, err = lzotest.EncodeSegmented([]byte("kept"), []byte("data"), level)
		if !errors.Is(err, errors.ErrUnsupported) || string(out) != "kept" {
			t.Errorf("segmented level %d: %q, %v", level, out, err)
		}
	}
}

func TestEncodeBestIsSmaller(t *testing.T) {
	data := prose(100000)
	fast, err1 := lzotest.Encode(nil, data, lzotest.LevelFast)
	best, err2 := lzotest.Encode(nil, data, lzotest.LevelBest)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if len(best) >= len(fast) || len(fast) >= len(data) {
		t.Fatalf("%d bytes: fast %d, best %d", len(data), len(fast), len(best))
	}
}

func shaped(r *rand.Rand, size int) []byte {
	out := make([]byte, 0, size)
	for len(out) < size {
		n := 1 + r.IntN(1<<r.IntN(10))
		switch kind := r.IntN(3); {
		case kind == 0 || len(out) == 0:
			for range n {
				out = append(out, byte(r.Uint32()))
			}
		case kind == 1:
			out = copied(out, 1+r.IntN(min(len(out), 1<<r.IntN(17))), n)
		default:
			out = append(out, rep([]byte{byte(r.Uint32())}, n)...)
		}
	}
	return out[:size]
}

// prose returns n bytes of made-up words, the same each time.
func prose(n int) []byte {
	words := []string{"the", "pak", "holds", "entry", "of", "offset", "and", "size", "a", "texture", "\n", "world"}
	r := rand.New(rand.NewPCG(2, 3))
	var out []byte
	for len(out) < n {
		out = append(out, words[r.IntN(len(words))]...)
		out = append(out, ' ')
	}
	return out[:n]
}
