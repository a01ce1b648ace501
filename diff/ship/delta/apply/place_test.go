package apply

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// updateInPlace applies p.patch in dir, where x.pak is.
func updateInPlace(t *testing.T, p pair, dir string, o *ApplyOptions) error {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	r, err := delta.NewReader(bytes.NewReader(p.patch))
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(filepath.Join(dir, "x.pak"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	return Apply(context.Background(), r, []io.ReaderAt{old}, root, o)
}

// holds requires x.pak to be want, and nothing but the named files beside it.
func holds(t *testing.T, dir string, want []byte, others ...string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "x.pak"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("x.pak has %d bytes, and not the %d wanted", len(got), len(want))
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Name() != "x.pak" && !slices.Contains(others, f.Name()) {
			t.Fatalf("%s is left", f.Name())
		}
	}
}

func inFolder(t *testing.T, b []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.pak"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestInPlace(t *testing.T) {
	p := newPair(t)
	dir := inFolder(t, p.old)
	if err := updateInPlace(t, p, dir, &ApplyOptions{Mode: InPlace}); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, p.new)
}

// TestInPlaceRefused: a patch whose result is wrong changes nothing.
func TestInPlaceRefused(t *testing.T) {
	p := newPair(t)
	p.patch = reseal(t, p.patch, func(stream []byte) []byte {
		stream[len(stream)/2] ^= 1
		return stream
	})
	dir := inFolder(t, p.old)
	if err := updateInPlace(t, p, dir, &ApplyOptions{Mode: InPlace}); err == nil {
		t.Fatal("applied")
	}
	holds(t, dir, p.old)
}

// TestRecover takes the journal of an update and looks at the states that a crash
// can leave: the journal cut anywhere; the journal whole, and the file changed in
// part.
func TestRecover(t *testing.T) {
	p := newPair(t)
	journal := journalOf(t, p)
	for cut := 0; cut < len(journal); cut += 1 + len(journal)/50 {
		dir := inFolder(t, p.old)
		recovers(t, dir, journal[:cut], false)
		holds(t, dir, p.old)
	}
	for n := 0; n <= len(p.new); n += 1 + len(p.new)/50 {
		half := append(bytes.Clone(p.new[:n]), p.old[min(n, len(p.old)):]...)
		dir := inFolder(t, half)
		recovers(t, dir, journal, true)
		holds(t, dir, p.new)
	}
}

// TestRecoverWithoutTheFile: a file that was moved away in the middle of an update
// does not lose what is kept for it, until it is given up; one that took its place
// is left alone.
func TestRecoverWithoutTheFile(t *testing.T) {
	p := newPair(t)
	journal := journalOf(t, p)
	foreign := deltatest.Words(9, len(p.old)+len(p.new))
	for name, there := range map[string][]byte{"gone": nil, "another": foreign} {
		t.Run(name, func(t *testing.T) {
			dir := inFolder(t, there)
			file := filepath.Join(dir, "x.pak")
			if there == nil {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, journalName), journal, 0o666); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = root.Close() }()
			if _, err := Recover(t.Context(), root); !errors.Is(err, ErrGone) || !IsInterrupted(dir) {
				t.Fatalf("recovered without the file: %v", err)
			}
			if there != nil {
				holds(t, dir, foreign, journalName)
			}
			if err := os.WriteFile(file, p.old, 0o666); err != nil {
				t.Fatal(err)
			}
			recovers(t, dir, journal, true)
			holds(t, dir, p.new)

			if err := errors.Join(os.Remove(file), os.WriteFile(filepath.Join(dir, journalName), journal, 0o666)); err != nil {
				t.Fatal(err)
			}
			did, lost, err := Forget(t.Context(), root)
			if err != nil || !did || len(lost) != 1 || !errors.Is(lost[0], ErrGone) || IsInterrupted(dir) {
				t.Errorf("given up: %v, %v, %v", did, lost, err)
			}
		})
	}
}

// recovers requires that the journal of an update, put into dir, is followed or not.
func recovers(t *testing.T, dir string, journal []byte, want bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, journalName), journal, 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if did, err := Recover(context.Background(), root); err != nil || did != want {
		t.Fatalf("recovered: %v, %v", did, err)
	}
}

// journalOf is the journal of an update in place, complete.
func journalOf(t *testing.T, p pair) []byte {
	t.Helper()
	dir := inFolder(t, p.old)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	r, err := delta.NewReader(bytes.NewReader(p.patch))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	a := newApplier(r.Header, []io.ReaderAt{bytes.NewReader(p.old)}, atomicfile.In(ctx, root), &ApplyOptions{Mode: InPlace})
	if err := a.prepare(ctx, r); err != nil {
		t.Fatal(err)
	}
	place := a.place.(*placed)
	journal := place.journalSpool()
	list, err := place.actions(ctx, journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := journal.Spill(); err != nil {
		t.Fatal(err)
	}
	if err := sealJournal(journal.F, int64(len(journal.Head))+journal.Size, list); err != nil {
		t.Fatal(err)
	}
	journal.F = nil
	b, err := root.ReadFile(journalNew)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestResume interrupts an application between segments, and goes on.
func TestResume(t *testing.T) {
	if testing.Short() {
		t.Skip("three megabytes of noise")
	}
	old := []byte(strings.Repeat("old content ", 100))
	var new []byte
	for i := range uint64(3) {
		new = append(new, deltatest.Noisy(i, 1<<20)...)
	}
	var out bytes.Buffer
	h, _, err := maker.Make(context.Background(), []delta.Input{deltatest.Input("x", old)}, []delta.Input{deltatest.Input("a", new), deltatest.Input("b", new[:100])}, &out, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Parts) < 2 {
		t.Fatalf("%d segments", len(h.Parts))
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	// The first call ends like a process that is killed while it reads.
	for n := 1; ; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		r, err := delta.NewReader(&interrupted{bytes.NewReader(out.Bytes()), int(h.FrontSize) + n*(1<<20), cancel})
		if err != nil {
			t.Fatal(err)
		}
		err = Apply(ctx, r, []io.ReaderAt{bytes.NewReader(old)}, root, nil)
		cancel()
		if err == nil {
			break
		}
		if n > 20 {
			t.Fatal(err)
		}
	}
	for name, want := range map[string][]byte{"a": new, "b": new[:100]} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("left: %v, %v", files, err)
	}
}

// interrupted cancels once n bytes were read.
type interrupted struct {
	io.Reader
	n      int
	cancel func()
}

func (i *interrupted) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	if i.n -= n; i.n < 0 {
		i.cancel()
	}
	return n, err
}

// meddling is an old file during whose reading somebody else changes the folder.
type meddling struct {
	io.ReaderAt
	do func()
}

func (m *meddling) ReadAt(p []byte, off int64) (int, error) {
	m.do()
	return m.ReaderAt.ReadAt(p, off)
}

// meddled applies a patch to the files a, b and c of a folder, while another thing
// takes the place of b, so that it cannot be renamed to that.
func meddled(t *testing.T, old, new []delta.Input, o *ApplyOptions) (dir string, root *os.Root, err error) {
	t.Helper()
	dir = t.TempDir()
	if root, err = os.OpenRoot(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	r, err := delta.NewReader(bytes.NewReader(rounds().Patch(t, old, new)))
	if err != nil {
		t.Fatal(err)
	}
	var files []io.ReaderAt
	for _, in := range old {
		b := make([]byte, in.Size)
		if err := errors.Join(stored.ReadAt(in.ReaderAt, b, 0), os.WriteFile(filepath.Join(dir, in.Name), b, 0o640)); err != nil {
			t.Fatal(err)
		}
		files = append(files, in.ReaderAt)
	}
	last := &files[len(files)-1]
	*last = &meddling{*last, func() {
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "b")), os.MkdirAll(filepath.Join(dir, "b"), 0o777), os.WriteFile(filepath.Join(dir, "b", "x"), nil, 0o666)); err != nil {
			t.Error(err)
		}
	}}
	return dir, root, Apply(context.Background(), r, files, root, o)
}

// TestAllOrNone: of several files that take the places of older ones all do, also
// when that stops in between; they keep the permissions.
func TestAllOrNone(t *testing.T) {
	var old, new []delta.Input
	for i, name := range []string{"a", "b", "c"} {
		b := deltatest.Words(uint64(i), 5000)
		old, new = append(old, deltatest.Input(name, b)), append(new, deltatest.Input(name, append(bytes.Clone(b), "changed"...)))
	}
	dir, root, err := meddled(t, old, new, nil)
	if err == nil || !IsInterrupted(dir) {
		t.Fatalf("renamed to a folder: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	if did, err := Recover(context.Background(), root); !did || err != nil {
		t.Fatalf("%v, %v", did, err)
	}
	for _, in := range new {
		got, err := os.ReadFile(filepath.Join(dir, in.Name))
		want := make([]byte, in.Size)
		if err := errors.Join(err, stored.ReadAt(in.ReaderAt, want, 0)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", in.Name, len(got), err)
		}
		if st, err := os.Stat(filepath.Join(dir, in.Name)); err != nil || runtime.GOOS != "windows" && in.Name != "b" && st.Mode().Perm() != 0o640 {
			t.Errorf("%s: %v, %v", in.Name, st.Mode(), err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 3 {
		t.Errorf("%v is there", left)
	}
}

// TestRemoveAnother: what took the place of a file that is to be removed is left
// alone.
func TestRemoveAnother(t *testing.T) {
	dir := inFolder(t, []byte("another"))
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := writeJournal(atomicfile.In(t.Context(), root), journalName, []action{{kind: actRemove, name: "x.pak", before: delta.File{Size: 9}}}); err != nil {
		t.Fatal(err)
	}
	if did, err := Recover(context.Background(), root); !did || err != nil {
		t.Error(did, err)
	}
	holds(t, dir, []byte("another"))
}

// TestInPlaceOfACopy: the old files may lie elsewhere; a copy of one is changed.
// A second update of the folder is refused meanwhile, and so is one without room.
func TestInPlaceOfACopy(t *testing.T) {
	v := deltatest.Versions(t, &codecs.CreateOptions{Version: "11", Method: "zlib"})
	old, dir, file := inFolder(t, v[0]), inFolder(t, v[0]), filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(file, patchOf(t, v[0], v[1]), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	p, err := NewPlan(ctx, file, []string{old}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewPlan(ctx, file, []string{old}, dir); !errors.Is(err, ErrBusy) {
		t.Errorf("a second update: %v", err)
	}
	if err := p.Prepare(ctx, &ApplyOptions{Mode: InPlace}); err != nil {
		t.Fatalf("%+v, %v", p.Bill, err)
	}
	p.Free = p.Need - 1
	var space *SpaceError
	if err := p.Apply(ctx); !errors.As(err, &space) {
		t.Errorf("without room: %v", err)
	}
	p.Free = p.Need
	if err := errors.Join(p.Apply(ctx), p.Close()); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, v[1])
	holds(t, old, v[0])
}

// patchOf is the patch from one x.pak to another.
func patchOf(t testing.TB, old, new []byte) []byte {
	t.Helper()
	return rounds().Patch(t, []delta.Input{deltatest.Input("x.pak", old)}, []delta.Input{deltatest.Input("x.pak", new)})
}

// makeFolders writes the patch from one folder to another.
func makeFolders(t testing.TB, patch, old, new string) {
	t.Helper()
	var sides [2]*delta.Opened
	for i, dir := range []string{old, new} {
		f, err := delta.OpenFiles([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		sides[i] = f
	}
	if _, _, err := maker.MakeFile(context.Background(), patch, sides[0].Inputs, sides[1].Inputs, &maker.MakeOptions{Registry: deltatest.Paks()}); err != nil {
		t.Fatal(err)
	}
}
