package stored_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/internal/stored"
)

func content(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * i >> 7)
	}
	return b
}

func TestReadAtOfShortFiles(t *testing.T) {
	r := bytes.NewReader(content(10))
	for _, c := range []struct {
		off  int64
		n    int
		want error
	}{{0, 10, nil}, {3, 7, nil}, {10, 0, nil}, {3, 8, io.ErrUnexpectedEOF}, {10, 1, io.ErrUnexpectedEOF}, {20, 1, io.ErrUnexpectedEOF}} {
		if err := stored.ReadAt(r, make([]byte, c.n), c.off); !errors.Is(err, c.want) {
			t.Errorf("%d bytes at %d of 10: %v, want %v", c.n, c.off, err, c.want)
		}
	}
}

func TestHash(t *testing.T) {
	for _, n := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 3 << 20} {
		b, p := content(n), &stored.Progress{}
		ctx := stored.WatchProgress(context.Background(), p)
		sum, err := stored.Hash(ctx, bytes.NewReader(b), int64(n))
		if err != nil || sum != blake3.Sum256(b) {
			t.Errorf("%d bytes: %x, %v", n, sum, err)
		}
		if _, done, _ := p.Now(); done != int64(n) {
			t.Errorf("%d bytes: %d counted", n, done)
		}
		if _, err := stored.Hash(ctx, bytes.NewReader(b), int64(n)+1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n+1, n, err)
		}
	}
}

func TestEqual(t *testing.T) {
	a := content(600_000)
	b := append([]byte("behind"), a...)
	same := func(aOff, bOff, n int64) bool {
		ok, err := stored.Equal(context.Background(), bytes.NewReader(a), aOff, bytes.NewReader(b), bOff, n)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !same(0, 6, 600_000) || !same(599_999, 600_005, 1) || !same(5, 2, 0) {
		t.Error("equal bytes differ")
	}
	for _, at := range []int{0, 1 << 18, 599_999} {
		b[6+at] ^= 1
		if same(0, 6, 600_000) {
			t.Errorf("another byte at %d is not seen", at)
		}
		b[6+at] ^= 1
	}
	if _, err := stored.Equal(context.Background(), bytes.NewReader(a), 1, bytes.NewReader(b), 7, 600_000); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("behind the end: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := bytes.NewReader(content(10))
	if _, err := stored.Hash(ctx, r, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: %v", err)
	}
	if _, err := stored.Equal(ctx, r, 0, r, 0, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("Equal: %v", err)
	}
}

func TestSample(t *testing.T) {
	sum := func(b []byte) [32]byte {
		t.Helper()
		s, err := stored.Sample(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, n := range []int{0, 1, 1 << 20, 1<<20 + 1, 5 << 20} {
		b := content(n)
		if _, err := stored.Sample(bytes.NewReader(b), int64(n)+1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d of %d bytes: %v", n, n+1, err)
		}
		before := sum(b)
		for _, at := range []int{0, n - 1} {
			if n == 0 {
				break
			}
			b[at]++
			if sum(b) == before {
				t.Errorf("%d bytes: the one at %d does not count", n, at)
			}
			b[at]--
		}
		if sum(append(b, 0)) == before {
			t.Errorf("%d bytes: the size does not count", n)
		}
	}
}
