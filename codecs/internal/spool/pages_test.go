package spool_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"pakdb/codecs/internal/spool"
	"pakdb/internal/bin"
)

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// released returns a region of r that holds nothing.
func released(b []byte, r io.ReaderAt, off int64) *spool.Region {
	g := spool.RegionAgain(b, true, r, off)
	g.Release()
	return g
}

// A region of a file has the bytes of its twin in memory, whoever asks for them.
func TestAt(t *testing.T) {
	all := noise(3_000_000)
	const off, size = 1000, 2_500_000
	twin := spool.RegionAgain(all[off:off+size], false, nil, 0)
	file := spool.RegionAgain(all[off:off+size], true, bytes.NewReader(all), off)
	file.Release()
	twin.Release()
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, seed))
			for range 1000 {
				n := int64(r.IntN(1 << r.IntN(19)))
				pos := r.Int64N(size - n + 1)
				a, err := file.At(pos, n)
				b, err2 := twin.At(pos, n)
				if err != nil || err2 != nil || int64(len(a)) < n || !bytes.HasPrefix(b, a) {
					t.Errorf("%d bytes at %d: %d of them: %v, %v", n, pos, len(a), err, err2)
					return
				}
			}
		})
	}
	wg.Wait()
	if file.Err() != nil || twin.Err() != nil {
		t.Error(file.Err(), twin.Err())
	}
}

func TestOutside(t *testing.T) {
	all := noise(100)
	for _, g := range []*spool.Region{released(all[10:90], bytes.NewReader(all), 10), spool.RegionHeld(all[10:90]), spool.RegionHeld(nil)} {
		for _, c := range [][2]int64{{-1, 1}, {0, 81}, {81, 0}, {80, 1}, {1, -1}, {1 << 62, 1 << 62}} {
			if b, err := g.At(c[0], c[1]); !errors.Is(err, bin.ErrShort) {
				t.Errorf("%d bytes at %d: %d bytes, %v", c[1], c[0], len(b), err)
			}
		}
	}
}

// counted counts what is read of it.
type counted struct {
	bytes.Reader
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.n += len(p)
	return c.Reader.ReadAt(p, off)
}

// A region is read once by who goes through it, and five times at most in any order.
func TestRead(t *testing.T) {
	const size = 2_000_000
	all := noise(size)
	var c counted
	c.Reset(all)
	g := released(all, &c, 0)
	for pos := int64(0); pos < size; pos += 40 {
		if b, err := g.At(pos, 4); err != nil || !bytes.Equal(all[pos:pos+4], b[:4]) {
			t.Fatal(pos, err)
		}
	}
	if c.n != size {
		t.Errorf("%d of %d bytes read", c.n, size)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 20_000 {
		pos := r.Int64N(size - 4)
		if b, err := g.At(pos, 4); err != nil || !bytes.Equal(all[pos:pos+4], b[:4]) {
			t.Fatal(pos, err)
		}
	}
	if c.n > 5*size {
		t.Errorf("%d of %d bytes read", c.n, size)
	}
}

// A file that was cut since is an error, which stays for those who could not tell it.
func TestCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, noise(300_000), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	g := released(make([]byte, 300_000), f, 0)
	if _, err := g.At(0, 4); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 1000); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int64{{70_000, 4}, {1000, 200_000}} {
		if _, err := g.At(c[0], c[1]); !errors.Is(err, bin.ErrShort) {
			t.Errorf("%d bytes at %d: %v", c[1], c[0], err)
		}
	}
	if !errors.Is(g.Err(), bin.ErrShort) {
		t.Error(g.Err())
	}
}
