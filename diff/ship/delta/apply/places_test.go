package apply

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
)

// contentsOf returns what the files of a folder have, by their names.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string]string{}
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		contents[f.Name()] = string(b)
	}
	return contents
}

// failing is a file that ends a context, or fails, when it is read at a place.
type failing struct {
	io.ReaderAt
	do func() error
}

func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if err := f.do(); err != nil {
		return 0, err
	}
	return f.ReaderAt.ReadAt(p, off)
}

// TestPlaces: in each place, an update that only shows what it would do, one whose old
// file cannot be read, and one that is cancelled leave the folder as it was. After
// these an update makes what it should.
func TestPlaces(t *testing.T) {
	v := deltatest.Versions(t, nil)
	patch := rounds().Patch(t, []delta.Input{deltatest.Input("x.pak", v[0])}, []delta.Input{deltatest.Input("x.pak", v[1])})
	lost := errors.New("the disk is gone")
	for name, o := range map[string]ApplyOptions{
		"fresh":    {},
		"in place": {Mode: InPlace},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inFolder(t, v[0])
			before := contentsOf(t, dir)
			run := func(ctx context.Context, o ApplyOptions, do func() error) error {
				root, err := os.OpenRoot(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = root.Close() }()
				r, err := delta.NewReader(bytes.NewReader(patch))
				if err != nil {
					t.Fatal(err)
				}
				return Apply(ctx, r, []io.ReaderAt{&failing{bytes.NewReader(v[0]), do}}, root, &o)
			}
			dry := o
			dry.DryRun = true
			ctx, cancel := context.WithCancel(context.Background())
			for _, c := range []struct {
				what string
				o    ApplyOptions
				do   func() error
				want error
			}{
				{"a dry run", dry, func() error { return nil }, nil},
				{"an old file that fails", o, func() error { return lost }, lost},
				{"an end from outside", o, func() error { cancel(); return nil }, context.Canceled},
			} {
				if err := run(ctx, c.o, c.do); !errors.Is(err, c.want) {
					t.Errorf("%s: %v", c.what, err)
				}
				if !maps.Equal(contentsOf(t, dir), before) {
					t.Errorf("%s changed the folder", c.what)
				}
			}
			if err := run(context.Background(), o, func() error { return nil }); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "x.pak")); err != nil || !bytes.Equal(got, v[1]) {
				t.Errorf("%d bytes, which are not the new file: %v", len(got), err)
			}
		})
	}
}
