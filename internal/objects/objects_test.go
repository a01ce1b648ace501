package objects_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/internal/objects"
)

func newStore(t testing.TB) *objects.Store {
	t.Helper()
	return objects.For(filepath.Join(t.TempDir(), "pakdb.db"))
}

func text(n int) []byte { return bytes.Repeat([]byte("Calligraphy/Curve "), n/18+1)[:n] }

func put(t testing.TB, s *objects.Store, b []byte) [32]byte {
	t.Helper()
	d := blake3.Sum256(b)
	if err := s.Put(d, bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	return d
}

func get(s *objects.Store, d [32]byte) ([]byte, error) {
	r, err := s.Open(d)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}

// files lists every file below the store's folder.
func files(t testing.TB, s *objects.Store) (names []string) {
	t.Helper()
	_ = filepath.WalkDir(s.Dir(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, path)
		}
		return nil
	})
	return names
}

func TestRoundTrip(t *testing.T) {
	s := newStore(t)
	for _, n := range []int{0, 1, 63, 4096, 1 << 20, 3<<20 + 7} {
		b := text(n)
		d := put(t, s, b)
		if !s.Has(d) {
			t.Errorf("%d bytes: not there", n)
		}
		for range 2 { // the second time with a pooled decoder
			if have, err := get(s, d); err != nil || !bytes.Equal(have, b) {
				t.Errorf("%d bytes: %d read, %v", n, len(have), err)
			}
		}
	}
}

func TestAbsent(t *testing.T) {
	s := newStore(t)
	if _, err := s.Open([32]byte{1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: %v, want fs.ErrNotExist", err)
	}
	if s.Has([32]byte{1}) {
		t.Error("Has an object that was never stored")
	}
	if _, err := os.Stat(s.Dir()); err == nil {
		t.Error("looking made the folder")
	}
}

func TestPutRefuses(t *testing.T) {
	s := newStore(t)
	broken := errors.New("broken")
	b := text(1000)
	if err := s.Put([32]byte{1}, bytes.NewReader(b)); !errors.Is(err, objects.ErrDigest) {
		t.Errorf("wrong digest: %v, want ErrDigest", err)
	}
	r := io.MultiReader(bytes.NewReader(b), &failing{broken})
	if err := s.Put(blake3.Sum256(b), r); !errors.Is(err, broken) {
		t.Errorf("broken reader: %v", err)
	}
	if names := files(t, s); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
	put(t, s, b) // the encoder that failed is usable again
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func TestPutOfPresentReadsNothing(t *testing.T) {
	s := newStore(t)
	d := put(t, s, text(10))
	if err := s.Put(d, &failing{errors.New("was read")}); err != nil {
		t.Error(err)
	}
}

func TestDamageIsNoticed(t *testing.T) {
	s := newStore(t)
	d := put(t, s, text(100_000))
	e := put(t, s, []byte("another content"))
	path := files(t, s)
	if len(path) != 2 {
		t.Fatalf("files: %v", path)
	}
	whole, err := os.ReadFile(path[0])
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(path[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"cut": whole[:len(whole)-3], "empty": nil, "noise": []byte("not zstd"), "another": other,
	} {
		if err := errors.Join(os.Chmod(path[0], 0o600), os.WriteFile(path[0], b, 0o600)); err != nil {
			t.Fatal(err)
		}
		bad := 0
		for have, err := range s.Check(context.Background()) {
			if have != d && have != e {
				t.Errorf("%s: Check yields %x", name, have)
			}
			if err != nil {
				bad++
			}
		}
		if bad != 1 {
			t.Errorf("%s: %d bad objects, want 1", name, bad)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	s := newStore(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := range 50 {
				b := text(n * 100)
				d := blake3.Sum256(b)
				if err := s.Put(d, bytes.NewReader(b)); err != nil {
					t.Error(err)
				}
				if have, err := get(s, d); err != nil || !bytes.Equal(have, b) {
					t.Errorf("%d: %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	if n := len(files(t, s)); n != 50 {
		t.Errorf("%d files, want 50", n)
	}
}

func TestMemoryIsFlat(t *testing.T) {
	s := newStore(t)
	size := int64(64 << 20)
	if testing.Short() {
		size = 32 << 20
	}
	noise := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{1}), size) }
	h := blake3.New()
	_, _ = io.Copy(h, noise())
	d := [32]byte(h.Sum(nil))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := s.Put(d, noise()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err = errors.Join(err, r.Close()); n != size || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 16<<20 {
		t.Errorf("%d MiB allocated for a content of %d MiB", grown>>20, size>>20)
	}
}

func BenchmarkPut(b *testing.B) {
	s := newStore(b)
	content := text(64 << 10)
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		copy(content, []byte{byte(i), byte(i >> 8), byte(i >> 16)})
		put(b, s, content)
	}
}

func BenchmarkOpen(b *testing.B) {
	s := newStore(b)
	d := put(b, s, text(64<<10))
	b.SetBytes(64 << 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := get(s, d); err != nil {
			b.Fatal(err)
		}
	}
}

func TestPrune(t *testing.T) {
	s := newStore(t)
	nothing := func([32]byte) (bool, error) { return false, nil }
	if n, size, err := s.Prune(t.Context(), nothing); n != 0 || size != 0 || err != nil {
		t.Errorf("without a store: %d objects, %d bytes, %v", n, size, err)
	}
	kept, gone := put(t, s, text(1000)), put(t, s, text(2000))
	foreign := filepath.Join(s.Dir(), "notes.txt")
	if err := os.WriteFile(foreign, []byte("not an object"), 0o600); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(s.Dir(), "ab", atomicfile.TempName("x", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) // of a process that was killed
	if err := errors.Join(os.MkdirAll(filepath.Dir(half), 0o777), os.WriteFile(half, []byte("half"), 0o600)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if _, _, err := s.Prune(t.Context(), func([32]byte) (bool, error) { return false, broken }); !errors.Is(err, broken) {
		t.Errorf("%v, want the error of the question", err)
	}
	n, size, err := s.Prune(t.Context(), func(d [32]byte) (bool, error) { return d == kept, nil })
	if n != 1 || size == 0 || err != nil {
		t.Errorf("%d objects, %d bytes, %v", n, size, err)
	}
	if !s.Has(kept) || s.Has(gone) {
		t.Errorf("has the one: %t, the other: %t", s.Has(kept), s.Has(gone))
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(half)); err == nil {
		t.Error("what a killed process left stays")
	}
}
