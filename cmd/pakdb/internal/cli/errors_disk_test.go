package cli

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// Errors of disks say what to do, however deep they lie.
func TestHintsOfDisks(t *testing.T) {
	for class, want := range map[error]string{syscall.ENOSPC: "make room", syscall.EIO: "failing", syscall.EDQUOT: "quota"} {
		err := fmt.Errorf("x.pak: %w", &fs.PathError{Op: "write", Path: "out/.pakdb-x", Err: class})
		if got := Hint(err); !strings.Contains(got, want) {
			t.Errorf("%v: hint %q", err, got)
		}
	}
}
