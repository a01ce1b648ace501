//go:build unix

package stored_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pakdb/internal/stored"
)

func TestOpenRefusesPipes(t *testing.T) {
	dir := t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	if err := errors.Join(os.Symlink(pipe, link), os.WriteFile(file, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, os.DevNull} {
		f, err := stored.Open(path)
		if !errors.Is(err, stored.ErrNotRegular) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", path, f, err)
		}
	}
	for _, path := range []string{dir, file} {
		f, err := stored.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if _, err := stored.Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
