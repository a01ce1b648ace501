package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// tree makes the same files whatever the folder, with times and modes that differ.
func tree(t *testing.T, private os.FileMode, age time.Duration) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pakdb-1")
	for name, mode := range map[string]os.FileMode{"pakdb": 0o777 &^ private, "b/LICENSE": 0o666 &^ private, "a.txt": 0o644} {
		write(t, filepath.Join(dir, name), name, mode)
		when := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestArchivesAreReproducible(t *testing.T) {
	for _, kind := range []string{".tar.gz", ".zip"} {
		var first []byte
		for i, dir := range []string{tree(t, 0, 0), tree(t, 0o027, time.Hour)} {
			out := filepath.Join(t.TempDir(), "a"+kind)
			if err := WriteArchive(out, dir, time.Unix(1717986918, 0)); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = got
			} else if !bytes.Equal(first, got) {
				t.Errorf("%s: equal folders give other archives", kind)
			}
		}
	}
}

func TestArchiveHasNamesAndModes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a.zip")
	if err := WriteArchive(out, tree(t, 0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var got []string
	for _, f := range r.File {
		got = append(got, f.Mode().String()+" "+f.Name)
	}
	const want = "-rw-r--r-- pakdb-1/a.txt, -rw-r--r-- pakdb-1/b/LICENSE, -rwxr-xr-x pakdb-1/pakdb"
	if strings.Join(got, ", ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestArchiveRefuses(t *testing.T) {
	dir := tree(t, 0, 0)
	there := filepath.Join(t.TempDir(), "there.zip")
	write(t, there, "kept", 0o600)
	linked := filepath.Join(t.TempDir(), "linked")
	write(t, filepath.Join(linked, "a"), "a", 0o600)
	if err := os.Symlink("a", filepath.Join(linked, "b")); err != nil {
		t.Skip(err)
	}
	for out, dir := range map[string]string{there: dir, filepath.Join(t.TempDir(), "a.rar"): dir, filepath.Join(t.TempDir(), "a.zip"): linked} {
		if err := WriteArchive(out, dir, time.Unix(0, 0)); err == nil {
			t.Errorf("%s of %s: no error", out, dir)
		}
	}
	if text, err := os.ReadFile(there); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}

const table = `| module | purpose | licence |
|---|---|---|
| example.com/a | all | MIT, Apache-2.0 (an unused part) |
| example.com/t | tests: something | GPL-2.0 |
`

func TestSBOM(t *testing.T) {
	known := ParseDependencies(table)
	p := &Program{Name: "pakdb", Go: "go1.99.1", SHA256: "00ff", Modules: []Module{{"example.com/a", "v1.2.3"}}}
	var b bytes.Buffer
	if err := WriteSBOM(&b, "0.1.0", []*Program{p}, known); err != nil {
		t.Fatal(err)
	}
	var got bom
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range got.Components {
		line := c.Type + " " + c.Ref
		for _, l := range c.Licences {
			line += " " + l.License.ID
		}
		lines = append(lines, line)
	}
	want := []string{"application program:pakdb MIT", "library pkg:golang/std@1.99.1 BSD-3-Clause", "library pkg:golang/example.com/a@v1.2.3 MIT Apache-2.0"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("components %q", lines)
	}
	for _, module := range []string{"example.com/t", "example.com/unknown"} {
		p.Modules = []Module{{module, "v1.0.0"}}
		if err := WriteSBOM(&b, "0.1.0", []*Program{p}, known); err == nil {
			t.Errorf("%s: no error", module)
		}
	}
}

func TestLicences(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go", "LICENSE"), "of Go", 0o600)
	write(t, filepath.Join(dir, "a", "LICENSE-MIT.txt"), "of a\r\n", 0o600)
	write(t, filepath.Join(dir, "a", "NOTICE"), "about a", 0o600)
	write(t, filepath.Join(dir, "a", "license.go"), "package a", 0o600)
	write(t, filepath.Join(dir, "none", "README"), "nothing", 0o600)
	p := &Program{Go: "go1.99", Modules: []Module{{"example.com/a", "v1"}}}
	var b bytes.Buffer
	if err := WriteLicences(&b, []*Program{p, p}, filepath.Join(dir, "go"), map[string]string{"example.com/a": filepath.Join(dir, "a")}); err != nil {
		t.Fatal(err)
	}
	rule := "\n" + strings.Repeat("=", 80) + "\n"
	want := "The programs contain the following works of others.\n" + rule +
		"The Go standard library and runtime, go1.99: LICENSE\n\nof Go\n" + rule +
		"example.com/a v1: LICENSE-MIT.txt\n\nof a\n" + rule +
		"example.com/a v1: NOTICE\n\nabout a\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", &b, want)
	}
	for name, folders := range map[string]map[string]string{"no licence": {"example.com/a": filepath.Join(dir, "none")}, "no folder": {}} {
		if err := WriteLicences(&b, []*Program{p}, filepath.Join(dir, "go"), folders); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSums(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b"), "", 0o600)
	write(t, filepath.Join(dir, "a"), "abc", 0o600)
	write(t, filepath.Join(dir, "SHA256SUMS"), "old", 0o600)
	var b bytes.Buffer
	if err := WriteSums(&b, dir); err != nil {
		t.Fatal(err)
	}
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n" +
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n"
	if b.String() != want {
		t.Errorf("%s, want\n%s", &b, want)
	}
}
