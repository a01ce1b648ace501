package coder

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestReady: while a content is decoded, more and more of it is told, which is right.
func TestReady(t *testing.T) {
	t.Parallel()
	content := make([]byte, 100_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range content {
		content[i] = byte(r.IntN(7))
	}
	var e Encoder
	e.Reset()
	e.Content(content, NewIndex(nil), 0, 0)
	var d Decoder
	calls, before := 0, 0
	d.Ready = func(p []byte) {
		if calls++; len(p) <= before || !bytes.HasPrefix(content, p) {
			t.Errorf("call %d: %d bytes after %d, or wrong ones", calls, len(p), before)
		}
		before = len(p)
	}
	d.Reset(e.Bytes())
	if _, err := d.Content(len(content), bytes.NewReader(nil), 0, 0); err != nil {
		t.Fatal(err)
	}
	if calls < len(content)/blockSize || before != len(content) {
		t.Errorf("told %d times, up to %d", calls, before)
	}
}
