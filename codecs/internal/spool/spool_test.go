package spool_test

import (
	"bytes"
	"io"
	"testing"

	"pakdb/codecs/internal/spool"
)

// Both ways, in memory and by a file, and again after each.
func TestSpool(t *testing.T) {
	var s spool.Spool
	for _, n := range []int{0, 10, 70, 10} {
		piece := bytes.Repeat([]byte{byte(n)}, 1<<19)
		for range n {
			if _, err := s.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		if s.Size() != int64(n)<<19 {
			t.Errorf("size %d", s.Size())
		}
		if n > 0 {
			p := make([]byte, 3)
			if k, err := s.ReadAt(p, s.Size()-2); k != 2 || err != io.EOF || p[1] != byte(n) {
				t.Errorf("%d pieces: the end reads %v, %v", n, p[:k], err)
			}
		}
		var out counter
		if k, err := s.WriteTo(&out); err != nil || k != int64(n)<<19 || out.n != k || out.other(byte(n)) {
			t.Errorf("%d pieces: %d bytes, %v", n, k, err)
		}
		if s.Size() != 0 {
			t.Error("not empty afterwards")
		}
	}
	if _, err := io.WriteString(&s, "left"); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(); err != nil || s.Size() != 0 {
		t.Errorf("reset: %d bytes left, %v", s.Size(), err)
	}
}

type counter struct {
	n    int64
	seen [256]int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	for _, b := range p {
		c.seen[b]++
	}
	return len(p), nil
}

func (c *counter) other(b byte) bool { return c.seen[b] != c.n }
