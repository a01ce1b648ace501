package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/internal/coder"
)

// The name of the coder is a digest of what the decoder makes of noise. When the streams
// change, write what this test computes into version.go.
func TestCoderIsNamedByItsStreams(t *testing.T) {
	const rounds, content = 512, 24
	sum, old := blake3.New(), bytes.NewReader(noise(rounds, 1<<10))
	var d coder.Decoder
	for i := range rounds {
		d.Reset(noise(i, 256))
		_, _ = sum.Write(binary.LittleEndian.AppendUint64(nil, d.Number(i%32)))
		for err := error(nil); err == nil && d.Err() == nil; {
			var b []byte
			b, err = d.Content(content, old, int64(i), old.Size())
			_, _ = sum.Write(append(b, '.'))
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:4]); got != coderID {
		t.Errorf("deltas are coded as %q, and version.go says %q", got, coderID)
	}
}

// noise returns n bytes that follow from a number.
func noise(seed, n int) []byte {
	h := blake3.New()
	_, _ = h.Write(binary.LittleEndian.AppendUint32([]byte("pakdb coder"), uint32(seed)))
	b := make([]byte, n)
	_, _ = h.Digest().Read(b)
	return b
}
