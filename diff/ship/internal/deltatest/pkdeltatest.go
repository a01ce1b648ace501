// Package deltatest has contents and archives for tests of patches.
package deltatest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
)

// Paks returns a registry of one format, Unreal paks.
func Paks() *codecs.Registry {
	return &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}
}

// Words returns n bytes of text drawn by seed from seven words, which compresses well.
func Words(seed uint64, n int) (b []byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	for len(b) < n {
		b = append(b, []string{"archive", "entry", "block", "old", "new", " ", "\n"}[r.IntN(7)]...)
	}
	return b[:n]
}

// Noisy returns n bytes drawn by seed that hardly compress.
func Noisy(seed uint64, n int) []byte {
	b := Words(seed, n)
	for i := range b {
		b[i] ^= byte(i*i>>3) * byte(seed+1) * 7
	}
	for i := 0; i < n; i++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		b[i] ^= byte(seed >> 56)
	}
	return b
}

// Input returns bytes in memory as a file of a build.
func Input(name string, b []byte) delta.Input {
	return delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader(b), Name: name, Size: int64(len(b))}}
}

// Content is an entry of a pak in a test.
type Content struct {
	Name string
	Data []byte
}

// WritePak writes a pak as its options say.
func WritePak(t testing.TB, o *codecs.CreateOptions, list []Content) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.pak")
	err := codecs.WriteFile(context.Background(), name, unrealpak.Format(), o, func(w codecs.Writer) error {
		for _, c := range list {
			if err := w.Add(context.Background(), &codecs.Entry{Name: c.Name}, bytes.NewReader(c.Data)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// PakOf is an Unreal pak of a few compressed entries.
func PakOf(t testing.TB, contents ...[]byte) []byte {
	t.Helper()
	return PakWith(t, &codecs.CreateOptions{Method: "zlib"}, contents...)
}

// PakWith calls the entries a, b, c ...
func PakWith(t testing.TB, o *codecs.CreateOptions, contents ...[]byte) []byte {
	t.Helper()
	list := make([]Content, len(contents))
	for i, c := range contents {
		list[i] = Content{Name: string(rune('a' + i)), Data: c}
	}
	return WritePak(t, o, list)
}

// Versions are three versions of a pak: the second changes, adds, renames and
// removes, the third too.
func Versions(t testing.TB, o *codecs.CreateOptions) (v [3][]byte) {
	large, other := Words(1, 150_000), Noisy(5, 70_000)
	edited := append(append(bytes.Clone(large[:40_000]), "inserted"...), large[40_000:]...)
	v[0] = WritePak(t, o, []Content{{"Game/a.uasset", Words(7, 30_000)}, {"Game/b.umap", large[:9000]}, {"Game/c.txt", Words(2, 900)}, {"Game/big.bin", large}, {"Game/noise.bin", other}, {"Game/empty", nil}})
	v[1] = WritePak(t, o, []Content{{"Game/a.uasset", Words(7, 30_000)}, {"Game/c.txt", Words(3, 950)}, {"Game/big.bin", edited}, {"Game/renamed.bin", other}, {"Game/empty", nil}, {"Game/new", Words(9, 5000)}})
	v[2] = WritePak(t, o, []Content{{"Game/Dir/first", Words(11, 300)}, {"Game/a.uasset", Words(7, 30_000)}, {"Game/c.txt", Words(2, 900)}, {"Game/big.bin", edited}, {"Game/renamed.bin", other}, {"Game/empty", []byte("x")}})
	return v
}

// Memory is an output of a fixed size.
type Memory struct{ B []byte }

func (m *Memory) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(m.B).ReadAt(p, off) }

func (m *Memory) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.B)-len(p)) {
		return 0, errors.New("outside of the output")
	}
	return copy(m.B[off:], p), nil
}
