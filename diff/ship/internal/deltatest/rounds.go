package deltatest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"pakdb/diff/ship/delta"
)

// Files returns inputs that are called by their numbers.
func Files(contents ...string) (list []delta.Input) {
	for i, c := range contents {
		list = append(list, Input(fmt.Sprint(i), []byte(c)))
	}
	return list
}

// Tiny returns n small files, of which some differ.
func Tiny(n, differ int) []delta.Input {
	r := rand.New(rand.NewPCG(1, 1))
	contents := make([]string, n)
	for i := range contents {
		v := r.IntN(1000)
		if i%(n/max(differ, 1)) == 1 && differ > 0 {
			v++
		}
		contents[i] = fmt.Sprintf(`{"id": %d, "value": %d}`, i, v)
	}
	return Files(contents...)
}

// Rounds makes patches and applies them. The functions are those of packages maker and
// apply, whose own tests import this package.
type Rounds struct {
	Make  func(ctx context.Context, old, new []delta.Input, out io.Writer, temp string) error
	Find  func(ctx context.Context, h *delta.Header, old []delta.Input) error
	Apply func(ctx context.Context, r *delta.Reader, old []io.ReaderAt, dir *os.Root) error
}

// Patch returns the patch from old files to new ones, or fails the test.
func (r Rounds) Patch(t testing.TB, old, new []delta.Input) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := r.Make(context.Background(), old, new, &out, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Check applies a patch, and fails the test unless the new files come out.
func (r Rounds) Check(t testing.TB, patch []byte, old, new []delta.Input) {
	t.Helper()
	dir := t.TempDir()
	if err := r.apply(patch, old, dir); err != nil {
		t.Fatal(err)
	}
	for _, in := range new {
		want, err := io.ReadAll(io.NewSectionReader(in, 0, in.Size))
		if err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := root.ReadFile(in.Name)
		if err := root.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes, %v", in.Name, len(got), err)
		}
	}
}

// Try looks for the old file of a patch and applies it. It returns the error, and what
// is in the folder then.
func (r Rounds) Try(t testing.TB, patch, old []byte) ([]os.DirEntry, error) {
	t.Helper()
	dir := t.TempDir()
	err := r.apply(patch, []delta.Input{Input("x.pak", old)}, dir)
	files, errDir := os.ReadDir(dir)
	if errDir != nil {
		t.Fatal(errDir)
	}
	return files, err
}

func (r Rounds) apply(patch []byte, old []delta.Input, dir string) error {
	ctx := context.Background()
	reader, err := delta.NewReader(bytes.NewReader(patch))
	if err != nil {
		return err
	}
	if err := r.Find(ctx, reader.Header, old); err != nil {
		return err
	}
	var from []io.ReaderAt
	for _, in := range old {
		from = append(from, in.ReaderAt)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return r.Apply(ctx, reader, from, root)
}
