package codecs_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
)

// listOnly is an archive of entries of these names, whose content is their name and
// ordinal. "-NAME" is a delete record, and "!NAME" an entry that its table has wrong.
type listOnly struct {
	names []string
	table error
}

var errEntry = errors.New("bad entry")

func (a listOnly) Info() codecs.Info { return codecs.Info{Format: "list"} }
func (a listOnly) Close() error      { return nil }

func (a listOnly) Entries() iter.Seq2[*codecs.Entry, error] {
	return func(yield func(*codecs.Entry, error) bool) {
		for i, name := range a.names {
			e := &codecs.Entry{Ordinal: i, Name: name, Size: int64(len(name))}
			var err error
			if rest, cut := strings.CutPrefix(name, "-"); cut {
				e.Name, e.Flags = rest, codecs.Deleted
			}
			if rest, cut := strings.CutPrefix(name, "!"); cut {
				e.Name, err = rest, errEntry
			}
			if !yield(e, err) {
				return
			}
		}
		if a.table != nil {
			yield(nil, a.table)
		}
	}
}

func (a listOnly) Open(_ context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	return io.NopCloser(struct{ io.Reader }{strings.NewReader(a.names[e.Ordinal])}), nil
}

func (a listOnly) OpenRaw(*codecs.Entry) (*io.SectionReader, error) {
	return nil, errors.ErrUnsupported
}

// files returns the paths of all files, each with the ordinal of its entry.
func files(t *testing.T, f fs.FS) map[string]int {
	t.Helper()
	all := map[string]int{}
	err := fs.WalkDir(f, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err == nil {
			all[path] = st.Sys().(*codecs.Entry).Ordinal
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFSNames(t *testing.T) {
	deep := strings.Repeat("d/", 400) + "f"
	for _, c := range []struct {
		what  string
		names []string
		want  map[string]int
	}{
		{"ordinary names stay", []string{"b/c.txt", "a.txt", "b/~x", "b/aux"}, map[string]int{"b/c.txt": 0, "a.txt": 1, "b/~x": 2, "b/aux": 3}},
		{"nothing", nil, map[string]int{}},
		{"no name", []string{"", "a", ""}, map[string]int{"#0": 0, "a": 1, "#2": 2}},
		{"no path", []string{"/a", "../b/../c", "d//e", ".", "/", "f/", "..", "./g", "\xff", `h\i\`}, map[string]int{"a": 0, "b/c": 1, "d/e": 2, "#3": 3, "#4": 4, "f": 5, "#6": 6, "g": 7, "\uFFFD": 8, "h/i": 9}},
		{"one name", []string{"x/A.txt", "x/A.txt", "x/a.txt", "A", "A"}, map[string]int{"x/A.txt": 0, "x/A#1.txt": 1, "x/a.txt": 2, "A": 3, "A#4": 4}},
		{"a changed name yields to an unchanged one", []string{"/a.b", "a.b"}, map[string]int{"a#0.b": 0, "a.b": 1}},
		{"file and folder", []string{"a", "a/b", "a/b/c", "a/b"}, map[string]int{"a#0": 0, "a/b#1": 1, "a/b/c": 2, "a/b#3": 3}},
		{"a folder that a changed name needs", []string{"a", "a//b"}, map[string]int{"a#0": 0, "a/b": 1}},
		{"names like those that are given", []string{"", "#0", "A#3.t", "A.t", "A.t", "A#4.t"}, map[string]int{"#0": 1, "#0#0": 0, "A#3.t": 2, "A.t": 3, "A#4.t": 5, "A#4#4.t": 4}},
		{"delete records", []string{"a", "-a", "-b"}, map[string]int{"a": 0}},
		{"only an extension", []string{".ini", ".ini"}, map[string]int{".ini": 0, "#1.ini": 1}},
		{"too deep", []string{deep}, map[string]int{strings.Repeat("d/", 255) + "f": 0}},
	} {
		f, err := codecs.FS(t.Context(), listOnly{names: c.names})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		got := files(t, f)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.what, diff)
		}
		var paths []string
		for path := range got {
			paths = append(paths, path)
		}
		if c.what == "too deep" {
			continue // TestFS takes a second for each of 255 folders
		}
		if err := fstest.TestFS(f, paths...); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// What cannot be read is an error where it is asked for, and never left out.
func TestFSDamage(t *testing.T) {
	table := errors.New("table ends")
	f, err := codecs.FS(t.Context(), listOnly{[]string{"a/good", "!a/bad"}, table})
	if !errors.Is(err, table) || f == nil {
		t.Fatalf("%v, %v", f, err)
	}
	if b, err := f.ReadFile("a/good"); err != nil || string(b) != "a/good" {
		t.Errorf("%q, %v", b, err)
	}
	var at *fs.PathError
	if _, err := f.Open("a/bad"); !errors.Is(err, errEntry) || !errors.As(err, &at) || at.Path != "a/bad" {
		t.Errorf("open: %v", err)
	}
	if _, err := f.ReadFile("a/bad"); !errors.Is(err, errEntry) {
		t.Errorf("read: %v", err)
	}
	if st, err := f.Stat("a/bad"); err != nil || st.Size() != 6 {
		t.Errorf("stat: %v, %v", st, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := codecs.FS(ctx, listOnly{names: []string{"a"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestFSRefuses(t *testing.T) {
	f, err := codecs.FS(t.Context(), listOnly{names: []string{"a/b"}})
	if err != nil {
		t.Fatal(err)
	}
	errOf := func(_ any, err error) error { return err }
	for name, c := range map[string]struct {
		err, want error
	}{
		"open nothing":      {errOf(f.Open("c")), fs.ErrNotExist},
		"open below a file": {errOf(f.Open("a/b/c")), fs.ErrNotExist},
		"open no path":      {errOf(f.Open("/a")), fs.ErrInvalid},
		"stat nothing":      {errOf(f.Stat("a/c")), fs.ErrNotExist},
		"read nothing":      {errOf(f.ReadFile("a/c")), fs.ErrNotExist},
		"list nothing":      {errOf(fs.ReadDir(f, "c")), fs.ErrNotExist},
		"read a folder":     {errOf(f.ReadFile("a")), nil},
		"list a file":       {errOf(fs.ReadDir(f, "a/b")), nil},
	} {
		var at *fs.PathError
		if c.err == nil || !errors.As(c.err, &at) || c.want != nil && !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	file, err := f.Open("a/b")
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.Read(make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("read after close: %v", err)
	}
	if err := file.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed twice: %v", err)
	}
}

func TestFSSub(t *testing.T) {
	f, err := codecs.FS(t.Context(), listOnly{names: []string{"a/b/c", "a/d", "e"}})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := fs.Sub(f, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(sub, "b/c", "d"); err != nil {
		t.Error(err)
	}
	list, err := fs.Glob(sub, "*")
	if err != nil || !slices.Equal(list, []string{"b", "d"}) {
		t.Errorf("%v, %v", list, err)
	}
}

// An archive can be browsed: net/http asks files to seek.
func TestFSServes(t *testing.T) {
	f, err := codecs.FS(t.Context(), listOnly{names: []string{"a/some content"}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/a/some content": "a/some content", "/a/": "some content</a>"} {
		r := httptest.NewRequest(http.MethodGet, strings.ReplaceAll(path, " ", "%20"), nil)
		w := httptest.NewRecorder()
		http.FileServerFS(f).ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/a/some%20content", nil)
	r.Header.Set("Range", "bytes=2-5")
	w := httptest.NewRecorder()
	http.FileServerFS(f).ServeHTTP(w, r)
	if w.Code != http.StatusPartialContent || w.Body.String() != "some" {
		t.Errorf("range: %d %q", w.Code, w.Body)
	}
}

// FuzzFSNames: whatever the names of entries are, each is one file of a file system.
func FuzzFSNames(f *testing.F) {
	f.Add("a/b.txt\na/b.txt\n\n/\n#2\na\n../a\na#0\n\\\n\xff/\xff")
	f.Add("a[b/c.txt")
	f.Fuzz(func(t *testing.T, list string) {
		names := strings.Split(strings.ReplaceAll(list, "!", "."), "\n")
		if len(names) > 20 || strings.Count(list, "/") > 100 {
			return // TestFS takes a second for hundreds of folders
		}
		a := listOnly{names: names}
		fsys, err := codecs.FS(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for e := range a.Entries() {
			if e.Flags&codecs.Deleted == 0 {
				want++
			}
		}
		var paths []string
		for path := range files(t, fsys) {
			paths = append(paths, path)
		}
		if len(paths) != want {
			t.Fatalf("%d files of %d entries: %q", len(paths), want, paths)
		}
		if err := fstest.TestFS(fsys, paths...); err != nil {
			t.Fatal(err)
		}
	})
}
