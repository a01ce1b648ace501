package codecs_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
)

var errDisk = errors.New("disk full")

// add is a fill function of one entry.
func add(w codecs.Writer) error {
	return w.Add(context.Background(), &codecs.Entry{Name: "A/b"}, strings.NewReader("content"))
}

// folder returns a folder with an archive in it, and a check that the folder
// holds just that, unchanged.
func folder(t *testing.T) (path string, untouched func()) {
	dir := t.TempDir()
	path = filepath.Join(dir, "game.sip")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	return path, func() {
		t.Helper()
		left, err := os.ReadDir(dir)
		if err != nil || len(left) != 1 {
			t.Errorf("folder holds %v, %v", left, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "old" {
			t.Errorf("old file is now %q, %v", b, err)
		}
	}
}

func TestWriteFile(t *testing.T) {
	path, _ := folder(t)
	if err := codecs.WriteFile(context.Background(), path, gpak.Format(), nil, add); err != nil {
		t.Fatal(err)
	}
	got := codecstest.Contents(t, codecstest.Open(t, gpak.Format(), codecstest.OpenFile(t, path), nil))
	if len(got) != 1 || string(got["A/b"]) != "content" {
		t.Errorf("read back %q", got)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("folder holds %v, %v", left, err)
	}
}

func TestWriteFileInTheCurrentFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := codecs.WriteFile(context.Background(), "game.sip", gpak.Format(), nil, add); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("game.sip"); err != nil {
		t.Fatal(err)
	}
}

// Whatever goes wrong, the old file stays and nothing is left beside it.
func TestWriteFileFails(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		f    *codecs.Format
		o    *codecs.CreateOptions
		fill func(codecs.Writer) error
		want error
	}{
		{name: "read-only format", f: codecs.Loose(), want: codecs.ErrReadOnly},
		{name: "create", f: gpak.Format(), o: &codecs.CreateOptions{Version: "9"}, want: errors.ErrUnsupported},
		{name: "fill", f: gpak.Format(), fill: func(codecs.Writer) error { return errDisk }, want: errDisk},
		{name: "fill ignores an error", f: gpak.Format(), want: codecs.ErrName, fill: func(w codecs.Writer) error {
			_ = w.Add(context.Background(), &codecs.Entry{Name: `\`}, strings.NewReader(""))
			return nil
		}},
		{name: "cancelled", ctx: cancelled, f: gpak.Format(), want: context.Canceled},
		{name: "cancelled while adding", ctx: cancelled, f: gpak.Format(), want: context.Canceled, fill: func(w codecs.Writer) error {
			return w.Add(cancelled, &codecs.Entry{Name: "a"}, strings.NewReader(""))
		}},
		{name: "does not open", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return nil, errDisk }), want: codecs.ErrReadBack},
		{name: "other count", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return twice{a}, nil }), want: codecs.ErrReadBack},
		{name: "content does not open", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return locked{a}, nil }), want: codecs.ErrReadBack},
		{name: "another content", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return flipped{a}, nil }), want: codecs.ErrReadBack},
		{name: "another content beside one that was taken over", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return flipped{a}, nil }),
			want: codecs.ErrReadBack, fill: func(w codecs.Writer) error {
				raw := &codecs.Entry{Name: "A/c", Method: compress.LZ4, Stored: 4, Size: 3}
				return errors.Join(w.AddRaw(context.Background(), raw, strings.NewReader("\x30abc")), add(w))
			}},
		{name: "content too short", f: liar(func(a codecs.Archive) (codecs.Archive, error) { return short{a}, nil }), want: codecs.ErrReadBack},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, untouched := folder(t)
			if tt.ctx == nil {
				tt.ctx = context.Background()
			}
			if tt.fill == nil {
				tt.fill = add
			}
			if err := codecs.WriteFile(tt.ctx, path, tt.f, tt.o, tt.fill); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			untouched()
		})
	}
}

func TestWriteFileWithoutFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "game.sip")
	if err := codecs.WriteFile(context.Background(), path, gpak.Format(), nil, add); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A folder in place of the file: the rename fails after everything else.
func TestWriteFileOverAFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game.sip")
	if err := os.MkdirAll(filepath.Join(path, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := codecs.WriteFile(context.Background(), path, gpak.Format(), nil, add); err == nil {
		t.Error("replaced a folder")
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("folder holds %v, %v", left, err)
	}
}

// An abandoned writer gives back what it holds.
func TestWriteFileAborts(t *testing.T) {
	path, untouched := folder(t)
	aborted := 0
	f := *gpak.Format()
	create := f.Create
	f.Create = func(out io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
		w, err := create(out, o)
		return &aborter{w, &aborted}, err
	}
	err := codecs.WriteFile(context.Background(), path, &f, nil, func(codecs.Writer) error { return errDisk })
	if !errors.Is(err, errDisk) || aborted != 1 {
		t.Errorf("%v, aborted %d times", err, aborted)
	}
	untouched()
}

type aborter struct {
	codecs.Writer
	n *int
}

func (a *aborter) Abort() error {
	*a.n++
	return a.Writer.(codecs.Aborter).Abort()
}

// liar is gpak with what Open returns replaced.
func liar(lie func(codecs.Archive) (codecs.Archive, error)) *codecs.Format {
	f := *gpak.Format()
	open := f.Open
	f.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		a, err := open(ctx, src, o)
		if err != nil {
			return nil, err
		}
		return lie(a)
	}
	return &f
}

// twice lists every entry two times.
type twice struct{ codecs.Archive }

func (a twice) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for e, err := range a.Archive.Entries() {
			for range 2 {
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

// flipped has the right number of other bytes.
type flipped struct{ codecs.Archive }

func (a flipped) Open(_ context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(strings.Repeat("x", int(e.Size)))), nil
}

type locked struct{ codecs.Archive }

func (locked) Open(context.Context, *codecs.Entry) (io.ReadCloser, error) { return nil, errDisk }

type short struct{ codecs.Archive }

func (short) Open(context.Context, *codecs.Entry) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(nil)), nil
}
