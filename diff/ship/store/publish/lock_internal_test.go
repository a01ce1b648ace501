package publish

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// A store that cannot be locked is not one that somebody else writes.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	if _, err := lock(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "another process") {
		t.Errorf("no folder: %v", err)
	}
	unlock, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if _, err := lock(dir); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("locked: %v", err)
	}
}
