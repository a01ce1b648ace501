package lzo_test

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
	"pakdb/internal/testkit"
)

func encode(t testing.TB, e *lzo.Encoder, src []byte, level int) []byte {
	t.Helper()
	b, err := e.Encode(nil, src, level)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// All levels make streams that decode, and recognise what they made.
func TestExactRoundTrip(t *testing.T) {
	var e lzo.Encoder
	for i := range testkit.Of(2, 20) {
		src := newDrawer(i, 3).draw()
		for _, level := range lzo.Levels() {
			b := encode(t, &e, src, level)
			got := make([]byte, len(src))
			if err := compress.Decode(compress.LZO1X, got, b); err != nil || !bytes.Equal(got, src) {
				t.Fatalf("round %d, level %d: %v", i, level, err)
			}
			if found, ok := e.Recognize(b, src, level); !ok || found != level {
				t.Errorf("round %d, level %d is recognised as %v, %v", i, level, found, ok)
			}
			if found, ok := e.Recognize(b, src); !ok || !bytes.Equal(encode(t, &e, src, found), b) {
				t.Errorf("round %d, level %d: recognised as %v, %v", i, level, found, ok)
			}
			if e.Makes(b[:len(b)-1], src, level) || e.Makes(append(b, 0x11, 0, 0), src, level) {
				t.Errorf("round %d, level %d: another stream is recognised", i, level)
			}
		}
	}
}

// A byte of a stream that is another is seen, wherever it is.
func TestMakesAll(t *testing.T) {
	var e lzo.Encoder
	src := newDrawer(7, 4).phrases()[:3000]
	b := encode(t, &e, src, 8)
	for i := range b {
		b[i] ^= 1
		if e.Makes(b, src, 8) {
			t.Fatalf("byte %d of %d is not looked at", i, len(b))
		}
		b[i] ^= 1
	}
}

// The levels differ: otherwise they would not be needed.
func TestLevelsDiffer(t *testing.T) {
	var e lzo.Encoder
	made := map[string]int{}
	for _, level := range lzo.Levels() {
		all := ""
		for i := range 12 {
			all += string(encode(t, &e, newDrawer(i, 5).draw(), level))
		}
		if same, ok := made[all]; ok {
			t.Errorf("levels %d and %d make the same", level, same)
		}
		made[all] = level
	}
}

func TestEdges(t *testing.T) {
	var e lzo.Encoder
	for want, src := range map[string]string{
		"\x11\x00\x00":                  "",
		"\x12a\x11\x00\x00":             "a",
		"\x14abc\x11\x00\x00":           "abc",
		"\x12a\x3e\x00\x00\x11\x00\x00": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	} {
		if got := encode(t, &e, []byte(src), 8); string(got) != want {
			t.Errorf("%q becomes %x, want %x", src, got, want)
		}
	}
	if b := encode(t, &e, []byte("a"), 9); !e.Makes(b, []byte("a"), 9) || e.Makes(b, []byte("b"), 9) || e.Makes(nil, nil, 9) {
		t.Error("a letter is not recognised, or another one is, or nothing")
	}
	for _, level := range []int{-1, 0, 10} {
		b, err := e.Encode([]byte("x"), nil, level)
		if !errors.Is(err, lzo.ErrLevel) || string(b) != "x" {
			t.Errorf("level %d: %q, %v", level, b, err)
		}
		if e.Makes([]byte{0x11, 0, 0}, nil, level) {
			t.Errorf("level %d makes something", level)
		}
	}
	if b, err := e.Encode([]byte("x"), []byte("a"), 8); err != nil || string(b) != "x\x12a\x11\x00\x00" {
		t.Errorf("appended: %x, %v", b, err)
	}
}

// Work is bounded: where there are very many candidates for every match, the
// reference goes on and on.
func TestWork(t *testing.T) {
	src := newDrawer(7, 7).letters(50_000, 2)
	var e lzo.Encoder
	b, err := e.Encode([]byte("x"), src, 9)
	if !errors.Is(err, lzo.ErrWork) || string(b) != "x" {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if e.Makes(encode(t, &e, src, 5), src, 9) {
		t.Error("recognised what it cannot make")
	}
	if b := encode(t, &e, src, 7); !e.Makes(b, src, 7) {
		t.Error("the encoder does not recover")
	}
}

func TestNoAllocation(t *testing.T) {
	var e lzo.Encoder
	src := newDrawer(5, 5).phrases()[:3000]
	dst := append(encode(t, &e, src, 1), make([]byte, 2*len(src))...)
	if n := testing.AllocsPerRun(10, func() { dst, _ = e.Encode(dst[:0], src, 8) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzEncode: what is made decodes, and is recognised.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("TXTR, CMDL, CSKR, ANCS, ANIM"), uint8(0), uint16(3))
	f.Add([]byte{0, 0, 0, 0, 1, 1, 1}, uint8(4), uint16(9000))
	f.Fuzz(func(t *testing.T, piece []byte, level uint8, repeat uint16) {
		var src []byte
		for i := 0; i <= int(repeat) && len(src) < 60_000; i++ {
			src = append(src, piece...)
			if len(piece) > 0 {
				src = append(src, piece[i%len(piece)]^byte(i))
			}
		}
		list := lzo.Levels()
		l := list[int(level)%len(list)]
		var e lzo.Encoder
		b, err := e.Encode(nil, src, l)
		if errors.Is(err, lzo.ErrWork) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(src))
		if err := compress.Decode(compress.LZO1X, got, b); err != nil || !bytes.Equal(got, src) {
			t.Fatal(err)
		}
		if !e.Makes(b, src, l) {
			t.Error("not recognised")
		}
	})
}
