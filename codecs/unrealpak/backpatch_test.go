package unrealpak

import (
	"bytes"
	"testing"

	"pakdb/codecs/codecstest"
)

// TestPatch: bytes are patched where they are, in memory or in the file, and what
// follows is written behind all of it.
func TestPatch(t *testing.T) {
	for _, flush := range []bool{false, true} {
		var file codecstest.Buffer
		if _, err := file.Write([]byte("before")); err != nil {
			t.Fatal(err)
		}
		w, err := backpatchNew(&file)
		if err != nil {
			t.Fatal(err)
		}
		steps := []func() error{
			func() error { return w.Zeros(5000) },
			func() error { _, err := w.Write([]byte("payload")); return err },
			func() error {
				if flush {
					return w.Flush()
				}
				return nil
			},
			func() error { return w.Patch(4998, []byte("xy")) },
			func() error { _, err := w.Write([]byte("end")); return err },
			w.Flush,
		}
		for i, step := range steps {
			if err := step(); err != nil {
				t.Fatalf("flush %t, step %d: %v", flush, i, err)
			}
		}
		if w.Pos() != 5010 {
			t.Errorf("flush %t: at %d, want 5010", flush, w.Pos())
		}
		want := append(append([]byte("before"), make([]byte, 4998)...), "xypayloadend"...)
		if !bytes.Equal(file.Bytes(), want) {
			t.Errorf("flush %t: %d bytes end in %q", flush, len(file.Bytes()), file.Bytes()[max(0, len(file.Bytes())-20):])
		}
	}
}
