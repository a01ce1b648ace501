package unrealpak_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
)

// TestWriterForgets: a writer keeps the buffers of small contents for the next ones, and
// not those of contents that are too large for that.
func TestWriterForgets(t *testing.T) {
	testkit.NotShort(t)
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	out := filepath.Join(t.TempDir(), "Game.pak")
	err := codecs.WriteFile(t.Context(), out, unrealpak.Format(), &codecs.CreateOptions{Method: compress.LZ4}, func(w codecs.Writer) error {
		add := func(name string, size, n int) error {
			for i := range n {
				e := &codecs.Entry{Name: fmt.Sprint(name, i), Size: int64(size)}
				if err := w.Add(t.Context(), e, bytes.NewReader(make([]byte, size))); err != nil {
					return err
				}
			}
			return nil
		}
		before := inUse()
		for _, err := range []error{add("small", 40_000, 200), add("large", 900_000, 100), add("small again", 40_000, 5)} {
			if err != nil {
				return err
			}
		}
		if more := int64(inUse()) - int64(before); more > 32<<20 {
			t.Errorf("%d bytes more are in use after 100 contents of 900,000", more)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
