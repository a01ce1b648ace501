package atomicfile_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
)

// replace writes a file as programs do.
func replace(ctx context.Context, name, content string) (err error) {
	f, err := atomicfile.Create(ctx, name, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := io.Copy(f, strings.NewReader(content)); err != nil {
		return err
	}
	return f.Commit()
}

func TestCreate(t *testing.T) {
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := t.TempDir()
			faulttest.Tree{"a": "old", "b": "other"}.Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			return replace(ctx, filepath.Join(dir, "a"), "new content")
		},
	}, 100)
}

// Each file is on the disk before it gets its name, and the folder after that.
func TestOrder(t *testing.T) {
	f, dir := &faulttest.Faults{}, t.TempDir()
	if err := replace(atomicfile.WithGuard(t.Context(), f.Guard), filepath.Join(dir, "a"), "x"); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, op := range f.Ops() {
		kinds = append(kinds, string(op.Kind))
	}
	if got := strings.Join(kinds, ", "); got != "create, write, sync, rename, sync folder" {
		t.Error(got)
	}
}

// What is being written stays, what a killed process left goes, and so do no
// files of others.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	left := ".pakdb-a-" + strings.Repeat("A", 26)
	others := []string{".pakdb-b-" + strings.Repeat("A", 26), ".pakdb-a-0123456789ab", ".pakdb-update.journal", "a-" + strings.Repeat("A", 26)}
	faulttest.Tree{left: "x", others[0]: "", others[1]: "", others[2]: "", others[3]: ""}.Write(t, dir)
	first, err := atomicfile.Create(t.Context(), filepath.Join(dir, "a"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	second, err := atomicfile.Create(t.Context(), filepath.Join(dir, "a"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, left)); err == nil && runtime.GOOS != "plan9" {
		t.Error("what was left is there still")
	}
	for _, name := range others {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	for i, f := range []*atomicfile.Temp{first, second} {
		if _, err := f.WriteString(string(rune('1' + i))); err != nil {
			t.Error(err)
		}
		if err := errors.Join(f.Commit(), f.Discard(), f.Discard()); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != "2" {
		t.Errorf("%q, %v", b, err)
	}
	for _, name := range others {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if got := faulttest.Files(t, dir); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestSweepLeavesClosedFiles: a file that was written, and waits for its name, is no leftover.
func TestSweepLeavesClosedFiles(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("nothing is locked here behind Close")
	}
	dir := t.TempDir()
	f, err := atomicfile.Create(t.Context(), filepath.Join(dir, "a"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := atomicfile.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	other.Sweep(".", "")
	if err := f.Place(); err != nil {
		t.Errorf("swept: %v", err)
	}
	if err := errors.Join(f.Discard(), other.Close()); err != nil {
		t.Error(err)
	}
	// One that is given up is let go.
	f, err = atomicfile.Create(t.Context(), filepath.Join(dir, "b"), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), f.Discard()); err != nil {
		t.Error(err)
	}
	if got := faulttest.Files(t, dir); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// A name may be as long as a file system takes, and longer than that with what
// temporary names have around it.
func TestLongName(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("ü", 127)} {
		if err := replace(t.Context(), filepath.Join(dir, name), "x"); err != nil {
			t.Error(err)
		}
	}
	if got := faulttest.Files(t, dir); len(got) != 2 || len(got.Temps()) != 0 {
		t.Errorf("%d files", len(got))
	}
}

// Errors name the file by its path, and the operation.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	ctx := atomicfile.WithGuard(t.Context(), func(op atomicfile.Op) error {
		if op.Kind == atomicfile.OpRename {
			return syscall.EIO
		}
		return nil
	})
	err := replace(ctx, filepath.Join(dir, "a"), "x")
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), filepath.Join(dir, "a")) {
		t.Error(err)
	}
	d, err := atomicfile.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := d.Rename("none", "x"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), d.Path("none")) {
		t.Error(err)
	}
	if err := d.Remove("none"); err != nil {
		t.Error(err)
	}
	if err := d.MkdirAll("../x"); err == nil {
		t.Error("it led out of the folder")
	}
}

// Folders that were made go again, those that were there stay.
func TestRemoveMade(t *testing.T) {
	dir := t.TempDir()
	d, err := atomicfile.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := errors.Join(os.Mkdir(d.Path("a"), 0o777), d.MkdirAll("a/b/c"), d.MkdirAll("a/b/d"), os.WriteFile(d.Path("a/b/d/x"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	d.RemoveMade()
	if got := faulttest.Files(t, dir); len(got) != 1 || got["a/b/d/x"] != "" {
		t.Errorf("%v", got)
	}
}

func TestScratch(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.NewScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x"); err != nil {
		t.Error(err)
	}
	if got := faulttest.Files(t, dir); len(got) != 0 && runtime.GOOS != "windows" {
		t.Errorf("%v has a name", got)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := faulttest.Files(t, dir); len(got) != 0 {
		t.Errorf("%v is left", got)
	}
}
