package apply

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
	"pakdb/internal/stored"
)

// files are inputs called by their numbers.
func files(contents ...string) (list []pkdelta.Input) {
	for i, c := range contents {
		list = append(list, pkdeltatest.Input(fmt.Sprint(i), []byte(c)))
	}
	return list
}

// makeOf returns the patch from old files to new ones.
func makeOf(t testing.TB, old, new []pkdelta.Input) []byte {
	t.Helper()
	var out bytes.Buffer
	_, _, err := maker.Make(context.Background(), old, new, &out, t.TempDir(),
		&maker.MakeOptions{Registry: pkdeltatest.Paks()})
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// applied applies a patch and compares.
func applied(t testing.TB, patch []byte, old, new []pkdelta.Input) {
	t.Helper()
	r, err := pkdelta.NewReader(bytes.NewReader(patch))
	if err != nil {
		t.Fatal(err)
	}
	var from []io.ReaderAt
	for _, in := range old {
		from = append(from, in.ReaderAt)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := Apply(context.Background(), r, from, root, nil); err != nil {
		t.Fatal(err)
	}
	for _, in := range new {
		want := make([]byte, in.Size)
		if err := stored.ReadAt(in, want, 0); err != nil {
			t.Fatal(err)
		}
		if got, err := root.ReadFile(in.Name); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes, %v", in.Name, len(got), err)
		}
	}
}

// try applies a patch and returns its error, and what is in the folder then.
func try(t testing.TB, patch, old []byte) ([]os.DirEntry, error) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	err = func() error {
		r, err := pkdelta.NewReader(bytes.NewReader(patch))
		if err != nil {
			return err
		}
		if _, err := Find(context.Background(), r.Header, []Candidate{{Name: "x.pak", Size: int64(len(old)), ReaderAt: bytes.NewReader(old)}}); err != nil {
			return err
		}
		return Apply(context.Background(), r, []io.ReaderAt{bytes.NewReader(old)}, root, nil)
	}()
	files, dirErr := os.ReadDir(dir)
	if dirErr != nil {
		t.Fatal(dirErr)
	}
	return files, err
}

// tiny are n small files, of which some differ.
func tiny(n, differ int) []pkdelta.Input {
	r := rand.New(rand.NewPCG(1, 1))
	contents := make([]string, n)
	for i := range contents {
		v := r.IntN(1000)
		if i%(n/max(differ, 1)) == 1 && differ > 0 {
			v++
		}
		contents[i] = fmt.Sprintf(`{"id": %d, "value": %d}`, i, v)
	}
	return files(contents...)
}
