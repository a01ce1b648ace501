package apply

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/stored"
	"pakdb/internal/testkit"
)

// folder is names and contents.
type folder map[string]string

// inputs are the files in an order that r draws.
func (f folder) inputs(r *rand.Rand) (list []delta.Input) {
	for name, content := range f {
		list = append(list, deltatest.Input(name, []byte(content)))
	}
	r.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// folders are an old one, and what became of it: edited, renamed, removed, added,
// doubled, empty files.
func folders(r *rand.Rand) (old, new folder) {
	old, new = folder{}, folder{}
	for i := range 1 + r.IntN(80) {
		name, content := fmt.Sprintf("%d/%d.txt", i%7, i), string(deltatest.Words(r.Uint64(), r.IntN(60)))
		old[name] = content
		switch r.IntN(8) {
		case 0:
			new[name] = content + "!"
		case 1:
			new["moved/"+name] = content
		case 2:
			new["moved/"+name] = content + "?"
		case 3:
			new[name], new["again/"+name] = content, content
		case 4:
			new[name] = ""
		case 5:
		default:
			new[name] = content
		}
	}
	new["added"] = string(deltatest.Words(r.Uint64(), r.IntN(3)*100))
	return old, new
}

// TestFolders: what headers say of files in any order, and that it is applied.
func TestFolders(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testkit.Of(1, 5)) {
		r := rand.New(rand.NewPCG(seed, 5))
		a, b := folders(r)
		old, new := a.inputs(r), b.inputs(r)
		p := rounds().Patch(t, old, new)
		h, _, err := delta.ReadHeader(bytes.NewReader(p), delta.MaxHeader)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range append(h.Old[:len(h.Old):len(h.Old)], h.New...) {
			in := append(old[:len(old):len(old)], new...)[i]
			if sum, err := delta.SumOf(context.Background(), in, in.Size); f.Name != in.Name || f.Size != in.Size || err != nil || !f.Is(sum) {
				t.Fatalf("seed %d: %s of %d bytes is said to be %s of %d", seed, in.Name, in.Size, f.Name, f.Size)
			}
		}
		rounds().Check(t, p, old, new)
	}
}

// TestWrongFileOfFolder: of many old files one that differs is named, wherever it
// is, and nothing is written.
func TestWrongFileOfFolder(t *testing.T) {
	t.Parallel()
	for _, n := range testkit.Some([]int{2, 64, 65, 256, 257, 300}, 2) {
		old := deltatest.Tiny(n, 0)
		h, _, err := delta.ReadHeader(bytes.NewReader(rounds().Patch(t, old, deltatest.Tiny(n, 1))), delta.MaxHeader)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []int{0, n / 2, n - 1} {
			files := candidatesOf(old)
			b := make([]byte, files[wrong].Size)
			files[wrong].ReaderAt = bytes.NewReader(b)
			_, err := Find(context.Background(), h, files)
			if !errors.Is(err, delta.ErrWrongOld) || errors.Is(err, ErrApplied) || !strings.HasPrefix(err.Error(), files[wrong].Name+": ") {
				t.Errorf("file %d of %d: %v", wrong, n, err)
			}
		}
		found, err := Find(context.Background(), h, candidatesOf(old))
		if err != nil || h.Old[n-1].Unknown != 0 {
			t.Errorf("%d right files: %v", n, err)
		}
		for i, k := range found {
			if i != k {
				t.Errorf("file %d is said to be %d", i, k)
			}
		}
		if _, err := Find(context.Background(), h, candidatesOf(deltatest.Tiny(n, 1))); !errors.Is(err, ErrApplied) {
			t.Errorf("the new ones: %v", err)
		}
	}
}

// TestAlikeSums: a file whose hash begins as it should, and goes on otherwise, is
// told by the sum of all.
func TestAlikeSums(t *testing.T) {
	t.Parallel()
	old := deltatest.Tiny(65, 0)
	h, _, err := delta.ReadHeader(bytes.NewReader(rounds().Patch(t, old, deltatest.Tiny(65, 2))), delta.MaxHeader)
	if err != nil {
		t.Fatal(err)
	}
	files := candidatesOf(old)
	for i := range files {
		if files[i].Sum, err = delta.SumOf(context.Background(), files[i], files[i].Size); err != nil {
			t.Fatal(err)
		}
	}
	files[7].Sum[5]++
	if _, err := Find(context.Background(), h, files); !errors.Is(err, delta.ErrWrongOld) {
		t.Error(err)
	}
}

func candidatesOf(inputs []delta.Input) (list []Candidate) {
	for _, in := range inputs {
		list = append(list, Candidate{Name: in.Name, Size: in.Size, ReaderAt: in.ReaderAt})
	}
	return list
}

// TestRenamedOldFiles: old files are found under any names.
func TestRenamedOldFiles(t *testing.T) {
	dir := t.TempDir()
	old, new := deltatest.Files("first file", "second one", "and a third"), deltatest.Files("first file", "Second one", "and a third one")
	if err := os.WriteFile(filepath.Join(dir, "p"), rounds().Patch(t, old, new), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"2", "x", "0"} {
		b := make([]byte, old[i].Size)
		if err := errors.Join(stored.ReadAt(old[i], b, 0), os.MkdirAll(filepath.Join(dir, "old"), 0o777), os.WriteFile(filepath.Join(dir, "old", name), b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, applied := range []bool{false, true} {
		p, err := NewPlan(t.Context(), filepath.Join(dir, "p"), []string{filepath.Join(dir, "old")}, filepath.Join(dir, "new"))
		if err != nil || p.Applied != applied {
			t.Fatal(err, p.Applied)
		}
		if err := errors.Join(p.Prepare(t.Context(), nil), p.Apply(t.Context()), p.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedFolders: each byte of a patch matters. With a signature every byte
// before it and behind it does.
func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	a, b := folders(r)
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(name, rounds().Patch(t, a.inputs(r), b.inputs(r)), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := delta.Verify(t.Context(), bytes.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		for i := range p {
			if i%testkit.Of(7, 1) != 0 || int64(i) >= h.SignatureAt && int64(i) < h.FrontSize {
				continue
			}
			bad := bytes.Clone(p)
			bad[i] ^= byte(1 + r.IntN(255))
			if h, err := delta.Verify(t.Context(), bytes.NewReader(bad)); err == nil {
				t.Fatalf("byte %d of %d: %+v", i, len(p), h)
			}
			if _, err := delta.Verify(t.Context(), bytes.NewReader(p[:i])); err == nil {
				t.Fatalf("%d bytes of %d", i, len(p))
			}
		}
		want := delta.SignedLength(h, key)
		if err := delta.SignFile(t.Context(), name, key); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(name); err != nil || st.Size() != want {
			t.Errorf("signed it has %d bytes, SignedLength says %d: %v", st.Size(), want, err)
		}
	}
}

// TestOtherResult: if the result is another one, nothing gets its name, whichever
// file it is.
func TestOtherResult(t *testing.T) {
	old, new := deltatest.Tiny(10, 0), deltatest.Tiny(10, 3)
	p := rounds().Patch(t, old, new)
	r, err := delta.NewReader(bytes.NewReader(p))
	if err != nil {
		t.Fatal(err)
	}
	var from []io.ReaderAt
	for i, in := range old {
		b := make([]byte, in.Size)
		if err := stored.ReadAt(in, b, 0); err != nil {
			t.Fatal(err)
		}
		if i == 9 { // unchanged, and not asked about
			b[3] ^= 1
		}
		from = append(from, bytes.NewReader(b))
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := Apply(t.Context(), r, from, root, nil); !errors.Is(err, delta.ErrResult) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestPrintable: names of files do not command terminals.
func TestPrintable(t *testing.T) {
	const name = "a\x1b[31m\nb\u009b31mc"
	h := &delta.Header{Files: delta.Files{Old: []delta.File{{Name: name}}, New: []delta.File{{Name: name, Size: 1}}}}
	p := &Plan{Header: h, Found: []string{name}, Free: -1}
	for what, describe := range map[string]func(io.Writer) error{"a patch": h.Describe, "a plan": p.Describe} {
		var b strings.Builder
		if err := describe(&b); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); strings.ContainsAny(text, "\x1b\u009b") || !strings.Contains(text, "a?[31m?b?31mc") {
			t.Errorf("%s: %q", what, text)
		}
	}
}
