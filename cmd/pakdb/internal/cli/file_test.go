package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query"
	"pakdb/schema"
)

func TestFileAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(path, []byte("before"), 0o640), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	for _, end := range []struct {
		name   string
		commit bool
		want   string
	}{{path, false, "before"}, {link, true, "after"}} {
		f, err := cli.CreateFile(end.name, filepath.Join(dir, "pakdb.db"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("after"); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != "before" {
			t.Errorf("%q before the end", b)
		}
		if f.Abort(); end.commit {
			f, _ = cli.CreateFile(end.name, "")
			_, _ = f.WriteString("after")
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if b, _ := os.ReadFile(path); string(b) != end.want {
			t.Errorf("%q, want %q", b, end.want)
		}
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", st.Mode(), err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}

func TestFileIsNotTheCatalog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(t.Context(), path)
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link, filepath.Dir(path)} {
		if _, err := cli.CreateFile(name, path); !errors.Is(err, query.ErrUsage) {
			t.Errorf("%s: %v, want ErrUsage", name, err)
		}
	}
	f, err := cli.CreateFile(os.DevNull, path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(os.DevNull); err != nil || st.Mode().IsRegular() {
		t.Error("the null device was replaced")
	}
}
