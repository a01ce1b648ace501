package unrealpak_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// gone is a file that cannot be read any more from some time on.
type gone struct {
	io.ReaderAt
	now bool
}

var errGone = errors.New("the file is gone")

func (g *gone) ReadAt(p []byte, off int64) (int, error) {
	if g.now {
		return 0, errGone
	}
	return g.ReaderAt.ReadAt(p, off)
}

// The index is read again where entries are listed. If it cannot be, every entry has the
// error: none is listed without its name.
func TestIndexGone(t *testing.T) {
	for _, version := range []string{"3", "9", "10", "11", "12"} {
		var out codecstest.Buffer
		w, err := unrealpak.Format().Create(&out, &codecs.CreateOptions{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.txt", "b/c.txt"} {
			if err := w.Add(t.Context(), &codecs.Entry{Name: name}, strings.NewReader("content")); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f := &gone{ReaderAt: bytes.NewReader(out.Bytes())}
		a := codecstest.Open(t, unrealpak.Format(), codecs.Source{ReaderAt: f, Name: "x.pak", Size: int64(len(out.Bytes()))}, nil)
		f.now = true
		n := 0
		for e, err := range a.Entries() {
			if n++; !errors.Is(err, errGone) {
				t.Errorf("version %s: %v: %v", version, e, err)
			}
		}
		if n != 2 {
			t.Errorf("version %s: %d entries", version, n)
		}
	}
}
