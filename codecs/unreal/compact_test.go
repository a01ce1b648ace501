package unreal_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

func read(b []byte) (int32, int, error) {
	r := bin.NewReader(b, 0, binary.LittleEndian)
	v := unreal.CompactIndex(r)
	return v, r.Pos(), r.Err()
}

func TestCompactIndex(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
		want int32
		n    int
	}{
		{"zero", []byte{0}, 0, 1},
		{"minus zero", []byte{0x80}, 0, 1},
		{"largest of one byte", []byte{0x3F}, 63, 1},
		{"smallest of two", []byte{0x40, 0x01}, 64, 2},
		{"negative", []byte{0xC0, 0x01}, -64, 2},
		{"three bytes", []byte{0x40, 0x80, 0x01}, 1 << 13, 3},
		{"four bytes", []byte{0x40, 0x80, 0x80, 0x01}, 1 << 20, 4},
		{"five bytes", []byte{0x40, 0x80, 0x80, 0x80, 0x01}, 1 << 27, 5},
		{"largest", []byte{0x7F, 0xFF, 0xFF, 0xFF, 0x0F}, math.MaxInt32, 5},
		{"smallest", []byte{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, -math.MaxInt32, 5},
		{"bits above the fifth byte's five are ignored", []byte{0x41, 0x80, 0x80, 0x80, 0xE0}, 1, 5},
		{"no sixth byte is read", []byte{0x41, 0x80, 0x80, 0x80, 0x80, 0x7F}, 1, 5},
		{"over-long zero", []byte{0x40, 0x80, 0x00}, 0, 3},
	} {
		v, n, err := read(c.in)
		if err != nil || v != c.want || n != c.n {
			t.Errorf("%s: %x = %d in %d bytes, %v; want %d in %d", c.name, c.in, v, n, err, c.want, c.n)
		}
	}
}

func TestCompactIndexRefuses(t *testing.T) {
	if _, _, err := read([]byte{0x40, 0x80, 0x80, 0x80, 0x10}); !errors.Is(err, unreal.ErrIndex) {
		t.Errorf("1<<31: %v, want ErrIndex", err)
	}
	for n := range 5 {
		if _, _, err := read([]byte{0x40, 0x80, 0x80, 0x80, 0x01}[:n]); !errors.Is(err, bin.ErrShort) {
			t.Errorf("first %d of 5 bytes: %v, want ErrShort", n, err)
		}
	}
}

func TestAppendCompactIndex(t *testing.T) {
	for shift := range 31 {
		for _, d := range []int32{-1, 0, 1} {
			for _, sign := range []int32{1, -1} {
				v := sign * (int32(1)<<shift + d)
				b := unreal.AppendCompactIndex(nil, v)
				if got, n, err := read(b); got != v || n != len(b) || err != nil {
					t.Errorf("%d written as %x reads %d, %d bytes, %v", v, b, got, n, err)
				}
			}
		}
	}
}

func FuzzCompactIndex(f *testing.F) {
	f.Add([]byte{0x40, 0x80, 0x80, 0x80, 0x0F})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n, err := read(b)
		if err != nil {
			return
		}
		again := unreal.AppendCompactIndex(nil, v)
		if w, _, err := read(again); w != v || err != nil || len(again) > n {
			t.Fatalf("%x = %d, written as %x = %d, %v", b[:n], v, again, w, err)
		}
		if bytes.HasPrefix(b, again) && n != len(again) {
			t.Fatalf("%x read as %d bytes, written as %d", b, n, len(again))
		}
	})
}

func BenchmarkCompactIndex(b *testing.B) {
	var buf []byte
	for i := range int32(4096) {
		buf = unreal.AppendCompactIndex(buf, i*i)
	}
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		r := bin.NewReader(buf, 0, binary.LittleEndian)
		for range 4096 {
			unreal.CompactIndex(r)
		}
	}
}
