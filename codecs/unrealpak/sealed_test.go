package unrealpak_test

import (
	"context"
	"errors"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// Stored bytes under AES-CTR are of no use without the IV in their index: who
// passes them on must not get a pak that reads as noise.
func TestSealedBytesAreNotTakenOver(t *testing.T) {
	for _, ctr := range []bool{false, true} {
		pak := buildModern(t, 15, ctr)
		a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("x.pak", pak), keyed(t, cueKey))
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if e.Flags&codecs.Deleted != 0 {
				continue
			}
			if sealed := e.Flags&codecs.Sealed != 0; sealed != ctr {
				t.Errorf("ctr %t: %s: sealed %t", ctr, e.Name, sealed)
			}
			raw, err := a.OpenRaw(e)
			if err != nil {
				t.Fatal(err)
			}
			w, err := unrealpak.Format().Create(new(discard), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.AddRaw(context.Background(), e, raw); errors.Is(err, errors.ErrUnsupported) != ctr || !ctr && err != nil {
				t.Errorf("ctr %t: %s: %v", ctr, e.Name, err)
			}
		}
	}
}

// discard is an io.WriteSeeker that keeps nothing.
type discard struct{}

func (*discard) Write(p []byte) (int, error)          { return len(p), nil }
func (*discard) Seek(off int64, _ int) (int64, error) { return off, nil }
