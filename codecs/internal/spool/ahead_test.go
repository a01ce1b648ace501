package spool_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"pakdb/codecs/internal/spool"
)

// blocks decode to their number, repeated; the stored form is one byte.
type blocks struct {
	n, size            int
	badLoad, badDecode int // -1 none
}

var errLoad, errDecode = errors.New("load"), errors.New("decode")

func (b blocks) Len() int     { return b.n }
func (b blocks) Size(int) int { return b.size }

func (b blocks) Load(i int, buf []byte) ([]byte, error) {
	if i == b.badLoad {
		return nil, errLoad
	}
	return append(buf[:0], byte(i)), nil
}

func (b blocks) Decode(i int, dst, stored []byte) error {
	if i == b.badDecode {
		return errDecode
	}
	if i%3 == 0 {
		runtime.Gosched() // so that later ones are done first
	}
	for k := range dst {
		dst[k] = stored[0]
	}
	return nil
}

func TestReader(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 100} {
		r := spool.NewAhead(context.Background(), blocks{n, 1000, -1, -1})
		got, err := io.ReadAll(r)
		var want []byte
		for i := range n {
			want = append(want, bytes.Repeat([]byte{byte(i)}, 1000)...)
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d blocks: %d bytes, %v", n, len(got), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := r.Read(make([]byte, 1)); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%d blocks: read after Close = %v", n, err)
		}
	}
}

// What stands before a failure is read, and the failure comes in its place.
func TestFailures(t *testing.T) {
	for _, n := range []int{3, 50} {
		for want, b := range map[error]blocks{errLoad: {n, 10, 2, -1}, errDecode: {n, 10, -1, 2}} {
			r := spool.NewAhead(context.Background(), b)
			got, err := io.ReadAll(r)
			if len(got) != 20 || !errors.Is(err, want) {
				t.Errorf("%d blocks: %d bytes, %v; want 20, %v", n, len(got), err, want)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestCancelledAndAbandoned(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(context.Background())
	r := spool.NewAhead(ctx, blocks{1000, 10, -1, -1})
	if _, err := io.ReadFull(r, make([]byte, 25)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	never := spool.NewAhead(context.Background(), blocks{1000, 10, -1, -1})
	if err := never.Close(); err != nil {
		t.Error(err)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
