package iostore_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
)

// rewrite passes every chunk of a container through, in the order of the data.
func rewrite(t *testing.T, a codecs.Archive) func(codecs.Writer) error {
	t.Helper()
	var entries []*codecs.Entry
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(x, y *codecs.Entry) int { return cmp.Compare(x.Offset, y.Offset) })
	return func(w codecs.Writer) error {
		for _, e := range entries {
			raw, err := a.OpenRaw(e)
			if err != nil {
				return err
			}
			if err := w.AddRaw(context.Background(), e, raw); err != nil {
				return err
			}
		}
		return nil
	}
}

// What the engine wrote comes out byte for byte, both files.
func TestRewriteSamples(t *testing.T) {
	for _, path := range samples(t) {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			a := codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, path), nil)
			o, err := iostore.Format().Like(a)
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), name)
			if err := codecs.WriteFile(context.Background(), out, iostore.Format(), o, rewrite(t, a)); err != nil {
				t.Fatal(err)
			}
			for _, ext := range []string{".ucas", ".utoc"} {
				want, got := read(t, strings.TrimSuffix(path, ".utoc")+ext), read(t, strings.TrimSuffix(out, ".utoc")+ext)
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %d bytes, %d in the original, differing at 0x%x", ext, len(got), len(want), firstDiff(got, want))
				}
			}
		})
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func firstDiff(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

var _ = errors.Is
var _ = io.EOF
