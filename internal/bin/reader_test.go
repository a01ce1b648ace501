package bin_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"pakdb/internal/bin"
)

func little(b ...byte) *bin.Reader { return bin.NewReader(b, 0x100, binary.LittleEndian) }

// wantError checks the class of err and all that an Error says.
func wantError(t *testing.T, err error, want bin.Error) {
	t.Helper()
	var at *bin.Error
	if !errors.As(err, &at) || !errors.Is(err, want.Err) || *at != want {
		t.Errorf("error %+v, want %+v", err, &want)
	}
}

func TestIntegers(t *testing.T) {
	b := []byte{1, 2, 0xFE, 4, 5, 6, 7, 0xF8, 9, 10, 11, 12, 13, 14, 15}
	tests := []struct {
		name   string
		read   func(r *bin.Reader) any
		le, be any
		n      int
	}{
		{"U8", func(r *bin.Reader) any { return r.U8() }, uint8(1), uint8(1), 1},
		{"U16", func(r *bin.Reader) any { return r.U16() }, uint16(0x0201), uint16(0x0102), 2},
		{"U32", func(r *bin.Reader) any { return r.U32() }, uint32(0x04FE0201), uint32(0x0102FE04), 4},
		{"U64", func(r *bin.Reader) any { return r.U64() }, uint64(0xF807060504FE0201), uint64(0x0102FE04050607F8), 8},
		{"I16", func(r *bin.Reader) any { r.Skip(2); return r.I16() }, int16(0x04FE), int16(-0x1FC), 4},
		{"I32", func(r *bin.Reader) any { r.Skip(4); return r.I32() }, int32(-0x07F8F9FB), int32(0x050607F8), 8},
		{"I64", func(r *bin.Reader) any { return r.I64() }, int64(-0x07F8F9FAFB01FDFF), int64(0x0102FE04050607F8), 8},
		{"F32", func(r *bin.Reader) any { return r.F32() }, math.Float32frombits(0x04FE0201), math.Float32frombits(0x0102FE04), 4},
		{"F64", func(r *bin.Reader) any { return r.F64() }, math.Float64frombits(0xF807060504FE0201), math.Float64frombits(0x0102FE04050607F8), 8},
	}
	for _, test := range tests {
		for _, order := range []struct {
			order binary.ByteOrder
			want  any
		}{{binary.LittleEndian, test.le}, {binary.BigEndian, test.be}} {
			r := bin.NewReader(b, 0, order.order)
			if got := test.read(r); got != order.want || r.Err() != nil || r.Pos() != test.n {
				t.Errorf("%s, %v: %v at %d, %v; want %v at %d", test.name, order.order, got, r.Pos(), r.Err(), order.want, test.n)
			}
		}
	}
}

// After the first failure everything reads as zero, and the first one stands.
func TestErrorsAreSticky(t *testing.T) {
	r := little(1, 2, 3, 4, 5)
	r.Skip(2)
	if v := r.U32(); v != 0 {
		t.Errorf("a short read gave %d", v)
	}
	first := bin.Error{Off: 0x102, Need: 4, Have: 3, Err: bin.ErrShort}
	wantError(t, r.Err(), first)
	r.Seek(0)
	r.Fail(errors.New("later"))
	if r.U8() != 0 || r.U16() != 0 || r.U64() != 0 || r.Bytes(1) != nil || r.CString() != nil || r.Count(1) != 0 || r.CheckCount(1, 1) != 0 || r.F64() != 0 {
		t.Error("something was read after a failure")
	}
	wantError(t, r.Err(), first)
}

func TestZeroReader(t *testing.T) {
	var r bin.Reader
	if r.Len() != 0 || r.Err() != nil || len(r.Bytes(0)) != 0 {
		t.Errorf("%d bytes, %v", r.Len(), r.Err())
	}
	if r.U32(); !errors.Is(r.Err(), bin.ErrShort) {
		t.Errorf("error %v", r.Err())
	}
}

func TestBytes(t *testing.T) {
	r := little(1, 2, 3, 4)
	b := r.Bytes(2)
	if string(b) != "\x01\x02" || cap(b) != 2 {
		t.Errorf("%v with capacity %d: appending to it would write over what follows", b, cap(b))
	}
	for _, n := range []int{-1, 3, math.MaxInt, math.MinInt} {
		r := little(1, 2, 3, 4)
		r.Skip(2)
		if b := r.Bytes(n); b != nil {
			t.Errorf("%d of 2 bytes: %v", n, b)
		}
		wantError(t, r.Err(), bin.Error{Off: 0x102, Need: int64(n), Have: 2, Err: bin.ErrShort})
	}
}

func TestSeek(t *testing.T) {
	r := little(1, 2, 3)
	r.Seek(3)
	if r.Len() != 0 || r.Off() != 0x103 || r.Err() != nil {
		t.Errorf("at the end: %d left at 0x%x, %v", r.Len(), r.Off(), r.Err())
	}
	if r.Seek(1); r.U8() != 2 {
		t.Error("backwards: not the second byte")
	}
	for _, pos := range []int{-1, 4, math.MaxInt, math.MinInt} {
		r := little(1, 2, 3)
		r.Seek(pos)
		if !errors.Is(r.Err(), bin.ErrShort) || r.Pos() != 0 {
			t.Errorf("to %d: %v at %d", pos, r.Err(), r.Pos())
		}
	}
}

func TestCString(t *testing.T) {
	r := little('a', 'b', 0, 0, 'c')
	if s := r.CString(); string(s) != "ab" || r.Pos() != 3 {
		t.Errorf("%q, then at %d", s, r.Pos())
	}
	if s := r.CString(); s == nil || len(s) != 0 || r.Pos() != 4 {
		t.Errorf("empty: %q, then at %d", s, r.Pos())
	}
	if s := r.CString(); s != nil {
		t.Errorf("without NUL: %q", s)
	}
	wantError(t, r.Err(), bin.Error{Off: 0x104, Need: 2, Have: 1, Err: bin.ErrShort})
}

func TestCounts(t *testing.T) {
	ten := make([]byte, 10)
	tests := []struct {
		name string
		head []byte // before ten more bytes
		read func(r *bin.Reader) int
		want int // -1: an error
		need int64
	}{
		{"fits exactly", []byte{5, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(2) }, 5, 0},
		{"one too many", []byte{6, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(2) }, -1, 6},
		{"all ones", []byte{255, 255, 255, 255}, func(r *bin.Reader) int { return r.Count(1) }, -1, math.MaxUint32},
		{"elements of no size take a byte", []byte{11, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(0) }, -1, 11},
		{"elements of negative size take a byte", []byte{10, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(-5) }, 10, 0},
		{"elements of any size", []byte{1, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(math.MaxInt) }, -1, 1},
		{"none of any size", []byte{0, 0, 0, 0}, func(r *bin.Reader) int { return r.Count(math.MaxInt) }, 0, 0},
		{"16 bits", []byte{3, 0}, func(r *bin.Reader) int { return r.Count16(3) }, 3, 0},
		{"16 bits, too many", []byte{255, 255}, func(r *bin.Reader) int { return r.Count16(3) }, -1, math.MaxUint16},
		{"of elsewhere", nil, func(r *bin.Reader) int { return r.CheckCount(10, 1) }, 10, 0},
		{"negative", nil, func(r *bin.Reader) int { return r.CheckCount(-1, 1) }, -1, -1},
		{"huge", nil, func(r *bin.Reader) int { return r.CheckCount(math.MaxInt64, 1) }, -1, math.MaxInt64},
		{"cut short", []byte{}, func(r *bin.Reader) int { r.Skip(8); return r.Count(1) }, -1, 4},
	}
	for _, test := range tests {
		r := little(append(test.head, ten...)...)
		got := test.read(r)
		switch {
		case test.want >= 0 && (got != test.want || r.Err() != nil):
			t.Errorf("%s: %d, %v; want %d", test.name, got, r.Err(), test.want)
		case test.want < 0:
			var at *bin.Error
			if got != 0 || !errors.As(r.Err(), &at) || at.Need != test.need {
				t.Errorf("%s: %d, %+v; want an error about %d", test.name, got, r.Err(), test.need)
			}
		}
	}
}

func TestFailResetAndOrder(t *testing.T) {
	cause := errors.New("cause")
	r := little(0, 1, 0, 1)
	r.Skip(1)
	r.Fail(cause)
	wantError(t, r.Err(), bin.Error{Off: 0x101, Have: 3, Err: cause})
	r.Reset([]byte{0, 1, 0, 1}, 7, binary.BigEndian)
	if r.Err() != nil || r.Off() != 7 || r.U16() != 1 {
		t.Errorf("after Reset: %v at %d", r.Err(), r.Off())
	}
	r.SetOrder(binary.LittleEndian)
	if r.Order() != binary.LittleEndian || r.U16() != 0x100 {
		t.Error("SetOrder did not change what follows")
	}
}

// Whatever is read in whatever order: no panic, never beyond the data, and what
// one reader gives is what the bytes say.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		r := bin.NewReader(data, 0, binary.LittleEndian)
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			before, n := r.Pos(), rapid.IntRange(-3, 45).Draw(t, "n")
			switch failed := r.Err() != nil; rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				b, want := r.Bytes(n), []byte(nil)
				if !failed && n >= 0 && n <= len(data)-before {
					want = data[before : before+n]
				}
				if !bytes.Equal(b, want) {
					t.Fatalf("Bytes(%d) at %d of %d: %v, %v; want %v", n, before, len(data), b, r.Err(), want)
				}
			case 1:
				r.Seek(n)
			case 2:
				if c := r.Count(n); c > len(data) {
					t.Fatalf("a count of %d", c)
				}
			case 3:
				_ = r.CString()
			case 4:
				_ = r.U64()
			case 5:
				_ = r.U8()
			}
			if r.Pos() < 0 || r.Pos() > len(data) || r.Len() != len(data)-r.Pos() {
				t.Fatalf("at %d of %d with %d left", r.Pos(), len(data), r.Len())
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	data := make([]byte, 24<<10)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	var sum uint64
	for b.Loop() {
		r := bin.NewReader(data, 0, binary.LittleEndian)
		for r.Len() > 0 {
			sum += r.U64() + uint64(r.U32()) + uint64(r.U16()) + uint64(r.U16()) + r.U64()
		}
		if r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
	_ = sum
}
