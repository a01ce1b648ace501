package apply

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
)

// FuzzReader reads a patch whose header has the right hash, up to its end.
func FuzzReader(f *testing.F) {
	p := newPairOf(f, 6000)
	r, err := delta.NewReader(bytes.NewReader(p.patch))
	if err != nil {
		f.Fatal(err)
	}
	stream, _, err := r.Segment()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(byte(delta.Version), append(r.Header.Columns(), r.Header.Sums()...), stream)
	f.Add(byte(delta.Version|delta.FrameListed), append(r.Header.Columns(), r.Header.Sums()...), stream)
	f.Fuzz(func(t *testing.T, how byte, body, rest []byte) {
		frame := (&delta.Header{}).Frame(how, body, rest)
		r, err := delta.NewReader(bytes.NewReader(append(frame, rest...)))
		for err == nil {
			_, _, err = r.Segment()
		}
		_ = err // of any class: what ends well is io.EOF
	})
}

// FuzzMinisign reads keys and signatures; what is read is written and read again.
func FuzzMinisign(f *testing.F) {
	key := &delta.SecretKey{ID: [8]byte{1}}
	f.Add(key.String(), "message")
	f.Add(key.Public().String(), "message")
	f.Add(key.Sign([]byte("message"), "comment"), "message")
	f.Add("untrusted comment: x\nRWQ\ntrusted comment: y\n\n", "")
	f.Fuzz(func(t *testing.T, text, message string) {
		if p, err := delta.ParsePublicKey(text); err == nil {
			if again, err := delta.ParsePublicKey(p.String()); err != nil || *again != *p {
				t.Errorf("%v is not read again: %v", p, err)
			}
		} else if !errors.Is(err, delta.ErrKey) {
			t.Error(err)
		}
		if s, err := delta.ParseSecretKey(text); err == nil {
			if again, err := delta.ParseSecretKey(s.String()); err != nil || *again != *s {
				t.Errorf("a secret key is not read again: %v", err)
			}
		}
		if _, err := key.Public().Verify([]byte(message), text); err != nil && !errors.Is(err, delta.ErrSignature) {
			t.Error(err)
		}
	})
}

// FuzzProgress reads what an interrupted call left, with the right hashes.
func FuzzProgress(f *testing.F) {
	h := &delta.Header{Files: delta.Files{Old: make([]delta.File, 2), New: make([]delta.File, 3)}}
	var seed []byte
	for _, n := range []uint64{1, 2, 30, 1, 7, 1, 1, 2, 3, 4, 5, 1} {
		seed = binary.AppendUvarint(seed, n)
	}
	f.Add(append(seed, make([]byte, 2*len(delta.Sum{}))...))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append(bytes.Clone(h.RootHash[:]), body...)
		sum := blake3.Sum256(b)
		p, ok := parseProgress(h, append(b, sum[:]...))
		if ok && (len(p.sums) != p.file || p.pos < 0) {
			t.Errorf("%+v", p)
		}
		for _, c := range p.copies {
			if ok && (c.Off < 0 || c.N < 0 || c.At < 0) {
				t.Errorf("%+v", c)
			}
		}
	})
}
