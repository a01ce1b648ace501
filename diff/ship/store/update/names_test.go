package update_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/safename"
)

// unsafe are names that are no file of their own on some system.
func unsafe() []string {
	return []string{
		"../a", "/a", "x/../../a", `..\a`, "C:a", "C:/a", "", ".", "a//b", "a/", "NUL", "a/aux.txt", "com1", "a.", "a /b", "a\nb", "a\x1b[2J",
		"evil\u202etxt.exe", "what?", "bad\xff", strings.Repeat("x", 3000), strings.Repeat("a/", 70) + "a",
		".pakdb-update/a", ".PAKDB-update", ".pakdb-journal", "sub/.pakdb-x",
	}
}

// A publisher refuses what clients would, before it reads anything, and names it.
func TestPublishRefusesNames(t *testing.T) {
	for _, name := range unsafe() {
		dir := t.TempDir()
		in := delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader([]byte("a")), Name: name, Size: 1}}
		_, err := publish.Publish(t.Context(), dir, "1", []delta.Input{in}, nil)
		if err == nil || len(name) < 100 && !strings.Contains(err.Error(), strings.Trim(quote(name), `"`)) {
			t.Errorf("%q: %v", name, err)
		}
		if got := readFolder(t, dir); len(got) > 1 { // .lock
			t.Errorf("%q: %d files in the store", name, len(got))
		}
	}
	for _, names := range [][2]string{{"a", "A"}, {"a", "a/b"}, {"dir/x", "DIR/X"}, {"s", "ſ"}} {
		var inputs []delta.Input
		for _, name := range names {
			inputs = append(inputs, delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader([]byte("a")), Name: name, Size: 1}})
		}
		var hint interface{ Hint() string }
		if _, err := publish.Publish(t.Context(), t.TempDir(), "1", inputs, nil); !errors.Is(err, safename.ErrUnsafe) || !errors.As(err, &hint) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// quote is how errors name a file.
func quote(name string) string {
	return strings.NewReplacer("\n", `\n`, "\x1b", `\x1b`, "\u202e", `\u202e`, "\xff", `\xff`, `\`, `\\`).Replace(name)
}

// fileRoot is a list of files of some names, all with the content and the recipe
// of the one file that another list has.
func fileRoot(t *testing.T, one []byte, names ...string) []byte {
	t.Helper()
	const head = "pkfiles\x01\x00"
	path := one[len(head)+2:][:one[len(head)+1]]
	rest := one[len(head)+2+len(path):] // size, sum, place
	sum := blake3.Sum256([]byte("a"))
	at := bytes.Index(rest, sum[:])
	if at < 0 {
		t.Fatalf("the list of files is %q", one)
	}
	at += len(sum) + 1 // and whether it is executable
	b := append([]byte(head), byte(len(names)))
	for _, name := range names {
		b = binary.AppendUvarint(b, uint64(len(name)))
		b = append(append(b, name...), rest[:at]...)
	}
	for range names {
		b = append(b, rest[at:]...)
	}
	return b
}

// A client refuses them as well, before it makes a file.
func TestUpdateRefusesNames(t *testing.T) {
	dir := t.TempDir()
	runPublish(t, dir, "1", folder{"a": []byte("a")})
	name := filepath.Join(dir, "builds", "1.json")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root := rootOf(t, folder{"1": b}, "1")
	files := readObject(t, dir, root)
	try := func(names ...string) (folder, error) {
		id := writeObject(t, dir, fileRoot(t, files, names...))
		if err := os.WriteFile(name, bytes.Replace(b, []byte(root), []byte(id), 1), 0o666); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		_, _, err := runUpdate(t.Context(), dir, to, "1")
		return readFolder(t, to), err
	}
	if got, err := try("a", "b/c"); err != nil || len(got) != 2 {
		t.Fatalf("%d files: %v", len(got), err)
	}
	for _, bad := range unsafe() {
		if got, err := try(bad); !errors.Is(err, store.ErrCorrupt) || len(got) > 0 {
			t.Errorf("%q: %d files, %v", bad, len(got), err)
		}
	}
	for _, bad := range [][]string{{"A", "a"}, {"a", "a/b"}, {"a", "a"}, {"b", "a"}, {"S", "ſ"}} {
		if got, err := try(bad...); !errors.Is(err, store.ErrCorrupt) || len(got) > 0 {
			t.Errorf("%q: %d files, %v", bad, len(got), err)
		}
	}
	if _, _, err := runUpdate(t.Context(), dir, t.TempDir(), "../1"); !errors.Is(err, store.ErrNoBuild) {
		t.Errorf("label: %v", err)
	}
}
