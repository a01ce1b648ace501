package apply

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/maker"
)

// TestAppendToSeveral: paks that take entries from each other, a file that is
// replaced, one that is added; all at once, and all back.
func TestAppendToSeveral(t *testing.T) {
	o := &codecs.CreateOptions{Version: "11", Method: "zlib"}
	v, w := pkdeltatest.Versions(t, o), pkdeltatest.Noisy(77, 40_000)
	pak := func(list ...pkdeltatest.Content) []byte { return pkdeltatest.WritePak(t, o, list) }
	old := map[string][]byte{"x.pak": v[0], "sub/y.pak": pak(pkdeltatest.Content{Name: "y", Data: w}, pkdeltatest.Content{Name: "z", Data: pkdeltatest.Words(3, 40_000)}), "note.txt": pkdeltatest.Words(1, 500)}
	new := map[string][]byte{"x.pak": v[1], "sub/y.pak": pak(pkdeltatest.Content{Name: "z", Data: pkdeltatest.Words(3, 40_000)}, pkdeltatest.Content{Name: "Game/c.txt", Data: pkdeltatest.Words(2, 900)}), "note.txt": pkdeltatest.Words(2, 500), "more/new.pak": pak(pkdeltatest.Content{Name: "y", Data: w})}
	from, to := t.TempDir(), t.TempDir()
	writeFiles(t, from, old)
	writeFiles(t, to, new)
	patch := filepath.Join(t.TempDir(), "p")
	makeFolders(t, patch, from, to)
	ctx := context.Background()
	p, err := NewPlan(ctx, patch, []string{from}, from)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Prepare(ctx, appendTo("back")), p.Apply(ctx), p.Close()); err != nil || len(p.Notes) != 1 {
		t.Fatalf("%+v, %v", p.Bill, err)
	}
	for name := range new {
		got, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if name != "x.pak" && name != "sub/y.pak" {
			if !bytes.Equal(got, new[name]) {
				t.Errorf("%s differs", name)
			}
			continue
		}
		if !bytes.HasPrefix(got, old[name]) {
			t.Errorf("%s was not appended to", name)
		}
		sameView(t, got, new[name])
	}
	takeBack(t, from, "back")
	for name, want := range old {
		if got, err := os.ReadFile(filepath.Join(from, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not back: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(from, "more")); err == nil {
		t.Error("what was added is left")
	}
}

func writeFiles(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, b := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

func makeFolders(t *testing.T, patch, old, new string) {
	t.Helper()
	var sides [2]*inside.Files
	for i, dir := range []string{old, new} {
		f, err := inside.OpenFiles([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		sides[i] = f
	}
	if _, _, err := maker.MakeFile(context.Background(), patch, sides[0].Inputs, sides[1].Inputs, &maker.MakeOptions{Registry: pkdeltatest.Paks(), Open: pkdeltatest.OpenKeyed()}); err != nil {
		t.Fatal(err)
	}
}
