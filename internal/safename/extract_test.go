package safename_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"pakdb/internal/safename"
)

func write(t *testing.T, d *safename.Dir, name, content string) {
	t.Helper()
	f, err := d.Create(d.Reserve(name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(time.Unix(1717986918, 0)); err != nil {
		t.Fatal(err)
	}
}

func TestCollisions(t *testing.T) {
	dir := t.TempDir()
	d, err := safename.OpenDir(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	for i, name := range []string{"A/x.txt", "a/X.txt", "A/x.txt", "../A/x.txt"} {
		write(t, d, name, string(rune('0'+i)))
	}
	for name, want := range map[string]string{"A/x.txt": "0", "a/X~2.txt": "1", "A/x~3.txt": "2", "A/x~4.txt": "3"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	st, err := os.Stat(filepath.Join(dir, "A/x.txt"))
	if err != nil || st.ModTime().Unix() != 1717986918 {
		t.Errorf("modification time was not kept: %v %v", st, err)
	}
}

func TestNames(t *testing.T) {
	var n safename.Names
	for _, tt := range []struct{ entry, want string }{
		{"A/x.txt", "A/x.txt"},
		{"a/X.txt", "a/X~2.txt"},
		{"A/x.txt", "A/x~3.txt"},
		{"file", "file"},
		{"file/below", "file~2/below"}, // where a file is, no folder can be
		{"FILE/other", "FILE~2/other"},
		{"A", "A~2"}, // and the other way round
		{"x~2", "x~2"},
		{"x", "x"},
		{"x", "x~3"},
	} {
		if got := n.Reserve(tt.entry); got != tt.want {
			t.Errorf("Reserve(%q) = %q, want %q", tt.entry, got, tt.want)
		}
	}
}

// TestManyFolders: more folders than stay open, each used again and again while files
// in others are not closed.
func TestManyFolders(t *testing.T) {
	dir := t.TempDir()
	d, err := safename.OpenDir(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	const folders = 100
	var open []*safename.File
	for round := range 3 {
		for i := range folders {
			f, err := d.Create(fmt.Sprintf("f%d/below/%d.txt", i, round))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write([]byte("content")); err != nil {
				t.Fatal(err)
			}
			open = append(open, f)
			if len(open) < 40 {
				continue
			}
			if err := errors.Join(open[0].Commit(time.Time{}), open[0].Close(), open[0].Close()); err != nil {
				t.Fatal(err)
			}
			open = open[1:]
		}
	}
	for _, f := range open {
		if err := errors.Join(f.Commit(time.Time{}), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for i := range folders {
		for round := range 3 {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("f%d/below/%d.txt", i, round)))
			if err != nil || string(b) != "content" {
				t.Errorf("%q, %v", b, err)
			}
		}
	}
}

// TestManyAtOnce: files that go into one new folder at a time do not take each other for what
// a killed process left.
func TestManyAtOnce(t *testing.T) {
	d, err := safename.OpenDir(t.Context(), t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 8
	for folder := range 200 {
		var g errgroup.Group
		for i := range atOnce {
			g.Go(func() error {
				f, err := d.Create(fmt.Sprintf("%d/%d", folder, i))
				if err != nil {
					return err
				}
				return errors.Join(f.Commit(time.Time{}), f.Close())
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// A hostile archive may hold one name a million times.
func TestOneNameManyTimes(t *testing.T) {
	var n safename.Names
	for range 200_000 {
		n.Reserve("a")
	}
	if got := n.Reserve("a"); got != "a~200001" {
		t.Errorf("got %q", got)
	}
}

func TestNothingHalfWritten(t *testing.T) {
	dir := t.TempDir()
	d, err := safename.OpenDir(t.Context(), dir, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.Create(d.Reserve("a/b"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write([]byte("half"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "a")); len(files) != 0 {
		t.Errorf("left behind: %v", files)
	}
}

func TestExistingFilesAreKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, _ := safename.OpenDir(t.Context(), dir, false)
	if _, err := d.Create("x"); !errors.Is(err, safename.ErrExists) {
		t.Errorf("Create over a file: %v", err)
	}
	d, _ = safename.OpenDir(t.Context(), dir, true)
	for _, name := range []string{"x/in", "x/deep/in"} {
		if _, err := d.Create(name); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "folder is needed") {
			t.Errorf("Create of %s below a file: %v", name, err)
		}
	}
	write(t, d, "x", "new")
	if got, _ := os.ReadFile(filepath.Join(dir, "x")); string(got) != "new" {
		t.Errorf("overwrite: %q", got)
	}
}

func TestSymlinksDoNotLeadOut(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	d, _ := safename.OpenDir(t.Context(), dir, true)
	if _, err := d.Create(d.Reserve("link/evil")); err == nil {
		t.Error("a link led out of the folder")
	}
	if files, _ := os.ReadDir(outside); len(files) != 0 {
		t.Errorf("outside: %v", files)
	}
}
