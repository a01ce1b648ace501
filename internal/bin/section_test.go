package bin_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"

	"pakdb/internal/bin"
)

func TestRange(t *testing.T) {
	tests := []struct {
		off, n, size int64
		ok           bool
		have         int64
	}{
		{0, 0, 0, true, 0},
		{0, 10, 10, true, 0},
		{10, 0, 10, true, 0},
		{4, 6, 10, true, 0},
		{4, 7, 10, false, 6},
		{11, 0, 10, false, 0},
		{-1, 1, 10, false, 11},
		{1, -1, 10, false, 9},
		{math.MaxInt64, math.MaxInt64, 10, false, 0},
		{1, math.MaxInt64, 10, false, 9},
		{1, math.MaxInt64, math.MaxInt64, false, math.MaxInt64 - 1},
		{0, 0, -1, false, 0},
	}
	for _, test := range tests {
		err := bin.Range(test.off, test.n, test.size)
		if test.ok {
			if err != nil {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		wantError(t, err, bin.Error{Off: test.off, Need: test.n, Have: test.have, Err: bin.ErrShort})
	}
}

func TestSection(t *testing.T) {
	src := bytes.NewReader([]byte("0123456789"))
	if b, err := bin.Section(src, 2, 3, 10, 3); err != nil || string(b) != "234" {
		t.Errorf("%q, %v", b, err)
	}
	_, err := bin.Section(src, 2, 4, 10, 3)
	wantError(t, err, bin.Error{Off: 2, Need: 4, Have: 3, Err: bin.ErrLimit})
	_, err = bin.Section(src, 8, 3, 10, 100)
	wantError(t, err, bin.Error{Off: 8, Need: 3, Have: 2, Err: bin.ErrShort})
	// A size that the source does not have: it became shorter.
	_, err = bin.Section(src, 8, 3, 20, 100)
	wantError(t, err, bin.Error{Off: 8, Need: 3, Have: 2, Err: bin.ErrShort})
}

// Range and limit are looked at before anything is allocated or read.
func TestSectionReadsNothingInVain(t *testing.T) {
	src := readerAt(func([]byte, int64) (int, error) { t.Error("read"); return 0, io.EOF })
	for _, n := range []int64{-1, 1 << 40, math.MaxInt64} {
		if allocs := testing.AllocsPerRun(10, func() { _, _ = bin.Section(src, 0, n, math.MaxInt64, 1<<20) }); allocs > 1 {
			t.Errorf("%d bytes: %v allocations", n, allocs)
		}
	}
}

type readerAt func(p []byte, off int64) (int, error)

func (f readerAt) ReadAt(p []byte, off int64) (int, error) { return f(p, off) }

func TestFill(t *testing.T) {
	disk := errors.New("disk")
	tests := []struct {
		name  string
		n     int
		err   error
		class error // nil: none
	}{
		{"all", 4, nil, nil},
		{"all, and the end", 4, io.EOF, nil},
		{"all, and an error that came too late", 4, disk, nil},
		{"less", 3, io.EOF, bin.ErrShort},
		{"less, by another word", 3, io.ErrUnexpectedEOF, bin.ErrShort},
		{"less without a reason", 3, nil, bin.ErrShort},
		{"nothing", 0, io.EOF, bin.ErrShort},
		{"a failing disk", 2, disk, disk},
		{"a timeout", 2, iotest.ErrTimeout, iotest.ErrTimeout},
	}
	for _, test := range tests {
		src := readerAt(func(p []byte, off int64) (int, error) { return test.n, test.err })
		err := bin.Fill(src, make([]byte, 4), 16)
		switch {
		case !errors.Is(err, test.class) || test.class == nil && err != nil:
			t.Errorf("%s: %v, want %v", test.name, err, test.class)
		case test.class == bin.ErrShort:
			wantError(t, err, bin.Error{Off: 16, Need: 4, Have: int64(test.n), Err: bin.ErrShort})
		}
	}
}
