//go:build unix

package regular_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"pakdb/internal/regular"
)

// Nobody writes to the pipes: opening one of them would block for ever.
func TestRefusesWhatIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := errors.Join(os.Symlink("pipe", "link"), os.WriteFile("file", []byte("text"), 0o600), os.Mkdir("folder", 0o700)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	in := func(flag int) func(string) (*os.File, error) {
		return func(name string) (*os.File, error) { return regular.OpenIn(root, name, flag, 0o600) }
	}
	files := func(fsys fs.FS) func(string) (*os.File, error) {
		return func(name string) (*os.File, error) {
			f, err := fsys.Open(name)
			if err != nil {
				return nil, err
			}
			return f.(*os.File), nil
		}
	}
	for name, open := range map[string]func(string) (*os.File, error){
		"Open":               regular.Open,
		"OpenIn":             in(os.O_RDONLY),
		"OpenIn for reading": in(os.O_RDONLY | os.O_CREATE),
		"FS":                 files(regular.FS(".")),
		"FSIn":               files(regular.FSIn(root)),
	} {
		for _, path := range []string{"pipe", "link", "socket"} {
			f, err := open(path)
			if !errors.Is(err, regular.ErrNotRegular) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s of %s: %v, %v", name, path, f, err)
			}
		}
		f, err := open("file")
		if err != nil {
			t.Fatal(name, err)
		}
		_ = f.Close()
		if _, err := open("none/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, flag := range []int{os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE | os.O_TRUNC} {
		if f, err := in(flag)("pipe"); !errors.Is(err, regular.ErrNotRegular) {
			t.Errorf("flag %#x: %v, %v", flag, f, err)
		}
	}
	if _, err := regular.Open(os.DevNull); !errors.Is(err, regular.ErrNotRegular) {
		t.Error("a device:", err)
	}
	if _, err := regular.OpenRoot("pipe"); !errors.Is(err, regular.ErrNotRegular) {
		t.Error("OpenRoot:", err)
	}
	if _, err := regular.ReadFile("pipe"); !errors.Is(err, regular.ErrNotRegular) {
		t.Error("ReadFile:", err)
	}
	if b, err := regular.ReadFile("file"); string(b) != "text" || err != nil {
		t.Errorf("ReadFile: %q, %v", b, err)
	}
	for name, want := range map[string]error{"pipe": regular.ErrNotRegular, "file": nil, "folder": nil, "none": nil} {
		if err := regular.Check(name); !errors.Is(err, want) {
			t.Errorf("Check of %s: %v", name, err)
		}
	}
}

// A file that becomes a pipe after it was looked at is refused as well: opening it does
// not wait.
func TestBecomesAPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.Rename("file", "kept")
				_ = os.Rename("pipe", "file")
				_ = os.Rename("file", "pipe")
				_ = os.Rename("kept", "file")
			}
		}
	}()
	for range 2000 {
		if f, err := regular.Open("file"); err == nil {
			if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
				t.Errorf("opened %v, %v", st.Mode(), err)
			}
			_ = f.Close()
		}
	}
	close(stop)
	<-done
}

// A pipe is refused where others get the result, and named elsewhere.
func TestWalkPastPipes(t *testing.T) {
	plant(t, "root/a", "root/l -> pipe")
	if err := syscall.Mkfifo("root/pipe", 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	for p := regular.Read; p <= regular.Own; p++ {
		files, passed, err := regular.Walk(t.Context(), "root", p, nil)
		if p == regular.Ship || p == regular.ShipAll {
			var refused *regular.RefusedError
			if !errors.As(err, &refused) || len(refused.List) != 2 || !errors.Is(err, regular.ErrNotRegular) {
				t.Errorf("policy %d: %v", p, err)
			}
		} else if err != nil || names(files) != "a" || len(passed) != 2 || !errors.Is(passed[1], regular.ErrNotRegular) {
			t.Errorf("policy %d: %q, passed over %v, %v", p, names(files), passed, err)
		}
	}
	if _, _, err := regular.Walk(t.Context(), "root/pipe", regular.Read, nil); !errors.Is(err, regular.ErrNotRegular) {
		t.Error(err)
	}
}
