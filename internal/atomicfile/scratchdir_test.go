package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
)

// A folder in use stays, what dead processes left of the same kind goes, and what
// belongs to others stays.
func TestScratchDir(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	faulttest.Tree{".pakdb-sip-1/.lock": "", ".pakdb-sip-1/pak.sip": "x", ".pakdb-diff-1/.lock": "", ".pakdb-sip-2/of an older version": ""}.Write(t, temp)
	if err := os.Mkdir(filepath.Join(temp, ".pakdb-sip-3"), 0o700); err != nil {
		t.Fatal(err)
	}
	first, err := atomicfile.NewScratchDir("sip")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(first.Path(), "pak.sip"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := atomicfile.NewScratchDir("sip")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		first.Path(): true, second.Path(): true, filepath.Join(temp, ".pakdb-sip-1"): false, filepath.Join(temp, ".pakdb-sip-2"): true,
		filepath.Join(temp, ".pakdb-sip-3"): false, filepath.Join(temp, ".pakdb-diff-1"): true,
	} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, ".pakdb-sip-*")); len(left) != 1 {
		t.Error(left)
	}
}
