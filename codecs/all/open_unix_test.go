//go:build unix

package all_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pakdb/codecs/all"
)

// A named pipe without a writer would block for ever.
func TestOpenFileRefusesPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.pak")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := all.OpenFile(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}
