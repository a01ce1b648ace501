package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/gpak"
	"pakdb/internal/process"
)

// A command that panics ends as one that fails: what it had begun is gone, one line
// says what and where, a hint says what to do, and the exit code is 4.
func TestPanicEndsInOrder(t *testing.T) {
	none := []int{}
	for name, strike := range map[string]func(context.Context, string) error{
		"at once": func(context.Context, string) error { none[0]++; return nil },
		"while an archive is written": func(ctx context.Context, path string) error {
			return codecs.WriteFile(ctx, path, gpak.Format(), nil, func(codecs.Writer) error { none[1]++; return nil })
		},
		"in a worker": func(ctx context.Context, path string) error {
			return codecs.WriteFile(ctx, path, gpak.Format(), nil, func(codecs.Writer) error {
				one := func(yield func(int, error) bool) { yield(1, nil) }
				return process.InOrder(ctx, one, 2, 2, func(context.Context, int) { none[2]++ }, func(int) error { return nil }, func(int) {})
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			dir := t.TempDir()
			a := New(strings.NewReader(""), &out, &errs, all.Registry)
			code := a.finish(func() error { return strike(t.Context(), filepath.Join(dir, "a.sip")) })
			if code != 4 {
				t.Errorf("exit code %d", code)
			}
			lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "pakdb: internal error: ") || !strings.Contains(lines[0], "cli/panic_test.go:") ||
				!strings.HasPrefix(lines[1], "hint: ") || !strings.Contains(lines[1], "report") {
				t.Errorf("%q", errs.String())
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}
