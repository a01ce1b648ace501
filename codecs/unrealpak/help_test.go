package unrealpak_test

import (
	"crypto/sha1"
	"io"
	"testing"
)

func sha1Of(t testing.TB, r io.Reader) []byte {
	t.Helper()
	h := sha1.New()
	if _, err := io.Copy(h, r); err != nil {
		t.Fatal(err)
	}
	return h.Sum(nil)
}
