package safename_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/safename"
)

// Every operation of extracting is killed, and fails: each file is whole or not
// there, and what a killed run left goes with the next.
func TestFaults(t *testing.T) {
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "out")
			faulttest.Tree{"a/one.txt": "older", "mine": "stays"}.Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			d, err := safename.OpenDir(ctx, dir, true)
			if err != nil {
				return err
			}
			for _, name := range []string{"a/one.txt", "a/b/two.txt", "three.txt"} {
				err = errors.Join(err, extractOne(d, name))
			}
			return errors.Join(err, d.Close())
		},
		Mixed: true,
		Lax:   func(string) bool { return true }, // it can be extracted again
	}, 200)
}

func extractOne(d *safename.Dir, name string) (err error) {
	f, err := d.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := io.Copy(f, strings.NewReader("new "+name)); err != nil {
		return err
	}
	return f.Commit(time.Unix(1, 0))
}
