package update_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

// loose draws a build of many small files.
func loose(n int) folder {
	f := folder{}
	for i := range n {
		f[fmt.Sprintf("Data/Dir%02d/File%05d.txt", i/100, i)] = fmt.Appendf(nil, "file %d\n", i*i)
	}
	return f
}

// Of a build of thousands of files one changes, one comes and one goes: who has the
// others is told of these and their neighbours.
func TestManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("800 files, seven times")
	}
	const n = 800
	old, dir := loose(n), t.TempDir()
	next := maps.Clone(old)
	next["Data/Dir07/File00777.txt"] = []byte("changed")
	next["Data/Dir08/new.txt"] = []byte("new")
	delete(next, "Data/Dir09/File00909.txt")
	runPublish(t, dir, "1", old)
	runPublish(t, dir, "2", next)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	own := folder{"mods/mine.txt": []byte("mine")}
	for name, tt := range map[string]struct {
		start, want folder
		known       int64
	}{
		"the build before": {old, next, 12_000},
		"the same":         {next, next, 4000},
		"with a mod":       {union(old, own), union(next, own), 16_000},
		"nothing":          {folder{}, next, n * 100},
	} {
		at := tt.start.write(t, t.TempDir())
		bill, r, err := runUpdate(t.Context(), server.URL, at, "")
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, readFolder(t, at), tt.want)
		if bill.Known > tt.known || r.Fetched() != bill.Known+bill.Fetch || r.Requests() > 40 {
			t.Errorf("%s: %d bytes to know what, at most %d wanted; %d in all, %d requests", name, bill.Known, tt.known, r.Fetched(), r.Requests())
		}
		t.Logf("from %s: %d bytes to know what, %d in all, %d requests", name, bill.Known, r.Fetched(), r.Requests())
	}
	if _, err := publish.Check(t.Context(), dir, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Error(err)
	}
	if p, err := publish.Prune(t.Context(), dir, 1, 0, nil, nil); err != nil || !slices.Equal(p.Builds, []string{"1"}) {
		t.Fatalf("%+v, %v", p, err)
	}
	runPublish(t, dir, "3", old) // after which the lists that stay are used again
	for label, want := range map[string]folder{"3": old} {
		at := t.TempDir()
		if _, _, err := runUpdate(t.Context(), dir, at, label); err != nil {
			t.Fatal(err)
		}
		same(t, label, readFolder(t, at), want)
	}
}

func union(a, b folder) folder {
	a = maps.Clone(a)
	maps.Copy(a, b)
	return a
}

// A part of the list of files that is another one is refused: the manifest, which
// may be signed, vouches for all of it.
func TestListOfFilesIsWhatItsNameSays(t *testing.T) {
	testkit.NotShort(t)
	dir := t.TempDir()
	runPublish(t, dir, "1", loose(300))
	sound := readFolder(t, dir)
	runPublish(t, dir, "2", loose(301))
	after := readFolder(t, dir)
	root := rootOf(t, sound, "builds/1.json")
	for name, b := range map[string][]byte{
		"a part's name":      flip(readObject(t, dir, root), len("pkfiles\x01")+3),
		"another magic":      flip(readObject(t, dir, root), 1),
		"another build's":    nil,
		"one byte more":      append(readObject(t, dir, root), 0),
		"cut off":            readObject(t, dir, root)[:100],
		"a height of nobody": flip(readObject(t, dir, root), len("pkfiles\x01")),
	} {
		bad := maps.Clone(sound)
		if b == nil { // what is not signed is exchanged: the packs
			for file := range after {
				if bytes.HasPrefix([]byte(file), []byte("p/")) && sound[file] != nil {
					bad[file] = flip(sound[file], len(sound[file])/3)
				}
			}
		} else {
			at := bad.write(t, t.TempDir())
			id := writeObject(t, at, b)
			bad = readFolder(t, at)
			bad["builds/1.json"] = bytes.Replace(bad["builds/1.json"], []byte(root), []byte(id), 1)
		}
		at := bad.write(t, t.TempDir())
		to := t.TempDir()
		if _, _, err := runUpdate(t.Context(), at, to, "1"); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if got := readFolder(t, to); len(got) != 0 {
			t.Errorf("%s: %d files", name, len(got))
		}
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x40
	return b
}

// rootOf is the name of a build's list of files.
func rootOf(t *testing.T, f folder, manifest string) string {
	t.Helper()
	m := listName.FindSubmatch(f[manifest])
	if m == nil {
		t.Fatalf("no list of files in %s", f[manifest])
	}
	return string(m[1])
}
