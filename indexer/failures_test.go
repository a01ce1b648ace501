package indexer

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"testing"
	"testing/fstest"

	"pakdb/codecs"
)

// failing is a file, or a folder, that fails in one way.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }
func (f failing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
}

// A failure of the machine is remembered wherever a reader meets it. What is wrong with a
// file is not one.
func TestFailuresOfTheMachine(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{syscall.EMFILE, true},
		{syscall.EIO, true},
		{syscall.EACCES, true},
		{syscall.ENOMEM, true},
		{syscall.ENOENT, false},
		{syscall.ENAMETOOLONG, false},
		{io.ErrUnexpectedEOF, false},
		{codecs.ErrTruncated, false},
	} {
		for name, read := range map[string]func(*failures) error{
			"a file":         func(f *failures) error { _, err := noted{failing{tt.err}, 10, f}.ReadAt(nil, 9); return err },
			"a file beside":  func(f *failures) error { _, err := notedFS{failing{tt.err}, f}.Open("x"); return err },
			"a look beside":  func(f *failures) error { _, err := fs.Stat(notedFS{failing{tt.err}, f}, "x"); return err },
			"a format error": func(f *failures) error { return f.note(&codecs.FormatError{Err: tt.err}) },
		} {
			var f failures
			if err := read(&f); !errors.Is(err, tt.err) {
				t.Errorf("%s: %v: %v", name, tt.err, err)
			}
			if got := f.err() != nil; got != tt.want {
				t.Errorf("%s: %v: remembered %t", name, tt.err, got)
			}
		}
	}
	var f failures
	if _, err := (noted{failing{syscall.EINVAL}, 10, &f}).ReadAt(nil, 1<<62); err == nil || f.err() != nil {
		t.Errorf("an offset behind the end: %v, remembered %v", err, f.err())
	}
}

func TestNotedFilesRead(t *testing.T) {
	var f failures
	b, err := fs.ReadFile(notedFS{fstest.MapFS{"x": {Data: []byte("content")}}, &f}, "x")
	if err != nil || string(b) != "content" || f.err() != nil {
		t.Errorf("%q, %v, %v", b, err, f.err())
	}
	file, err := notedFS{fstest.MapFS{"x": {Data: []byte("content")}}, &f}.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := file.(io.ReaderAt); !ok {
		t.Error("cannot be read at offsets")
	}
}
