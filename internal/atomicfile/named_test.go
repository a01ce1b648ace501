package atomicfile_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pakdb/internal/atomicfile"
)

// Errors about a file name it as people do, not by its temporary name.
func TestErrorsNameTheFile(t *testing.T) {
	for _, kind := range []atomicfile.Kind{atomicfile.OpWrite, atomicfile.OpTruncate, atomicfile.OpSync} {
		ctx := atomicfile.WithGuard(context.Background(), func(op atomicfile.Op) error {
			if op.Kind == kind {
				return syscall.ENOSPC
			}
			return nil
		})
		dir := t.TempDir()
		f, err := atomicfile.Create(ctx, filepath.Join(dir, "a"), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.WriteString("x")
		for _, more := range []func() error{func() error { return f.Truncate(0) }, f.Commit} {
			if err == nil {
				err = more()
			}
		}
		if want := filepath.Join(dir, "a") + ": "; err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), atomicfile.Prefix) {
			t.Errorf("%s: %v, want %q", kind, err, want)
		}
		if err := f.Discard(); err != nil {
			t.Error(err)
		}
	}
}

func TestReplace(t *testing.T) {
	d, err := atomicfile.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "one", "another"} {
		if err := d.Replace("a", []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, err := d.ReadFile("a"); err != nil || string(b) != text {
			t.Errorf("%q, %v", b, err)
		}
	}
	if left, err := os.ReadDir(d.Name()); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	if err := d.Replace("none/a", nil); err == nil {
		t.Error("a file in a folder that is not there was written")
	}
}
