package maker_test

import (
	"context"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unrealpak"
)

// TestTablesOfSamples removes every tenth entry from archives that the engine's
// own packer made: what is left is copied, and what the tables say of it follows.
func TestTablesOfSamples(t *testing.T) {
	for _, c := range []struct {
		format     *codecs.Format
		path, file string
		atMost     int
	}{
		{iostore.Format(), "iostore/cue4parse-ue5.8/Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows.utoc", "x.utoc", 300}, // 112 chunks
		{unrealpak.Format(), "unreal-pak/pairs/sandboxutilities_new_P.pak", "x.pak", 300},
	} {
		path := codecstest.Sample(t, c.path)
		size := roundTrip(t, []string{without(t, c.format, path, c.file, 1<<30)}, []string{without(t, c.format, path, c.file, 10)})
		t.Logf("%s: %d", c.path, size)
		if size > c.atMost {
			t.Errorf("%s: %d bytes, at most %d expected", c.path, size, c.atMost)
		}
	}
}

// without rewrites an archive without every n-th entry.
func without(t *testing.T, f *codecs.Format, path, file string, n int) string {
	t.Helper()
	a := codecstest.Open(t, f, codecstest.OpenFile(t, path), nil)
	o, err := f.Like(a)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	err = codecs.WriteFile(context.Background(), filepath.Join(dir, file), f, o, func(w codecs.Writer) error {
		i := 0
		for e, err := range a.Entries() {
			if err != nil {
				return err
			}
			if i++; i%n == 0 {
				continue
			}
			raw, err := a.OpenRaw(e)
			if err != nil {
				return err
			}
			if err := w.AddRaw(context.Background(), e, raw); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
