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
		out := counter{value: byte(n)}
		if k, err := s.WriteTo(&out); err != nil || k != int64(n)<<19 || out.n != k || out.equal != k {
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

// counter counts the bytes that are written to it, and those of one value among them.
type counter struct {
	value    byte
	n, equal int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.equal += int64(bytes.Count(p, []byte{c.value}))
	return len(p), nil
}
