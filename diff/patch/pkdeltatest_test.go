package patch

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
)

// testKey is the AES-256 key of encrypted paks of tests.
const testKey = "0123456789abcdef0123456789abcdef"

// testKeys returns testKey, whichever key is asked for.
func testKeys([16]byte) []byte { return []byte(testKey) }

// openKeyed returns options that open paks encrypted with testKey.
func openKeyed() *codecs.Options { return &codecs.Options{Keys: testKeys} }

// paks returns a registry of one format, Unreal paks.
func paks() *codecs.Registry {
	return &codecs.Registry{Formats: []*codecs.Format{unrealpak.Format()}}
}

// words returns n bytes of text drawn by seed from seven words, which compresses well.
func words(seed uint64, n int) (b []byte) {
	r := rand.New(rand.NewPCG(seed, 1))
	for len(b) < n {
		b = append(b, []string{"archive", "entry", "block", "old", "new", " ", "\n"}[r.IntN(7)]...)
	}
	return b[:n]
}

// noisy returns n bytes drawn by seed that hardly compress.
func noisy(seed uint64, n int) []byte {
	b := words(seed, n)
	for i := range b {
		b[i] ^= byte(i*i>>3) * byte(seed+1) * 7
	}
	for i := 0; i < n; i++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		b[i] ^= byte(seed >> 56)
	}
	return b
}

// input returns bytes in memory as a file of a build.
func input(name string, b []byte) Input {
	return Input{name, codecs.Source{ReaderAt: bytes.NewReader(b), Name: name, Size: int64(len(b))}}
}

// content is an entry of a pak in a test.
type content struct {
	name string
	data []byte
	gone bool // a delete record
}

// writePak writes a pak as its options say.
func writePak(t testing.TB, o *codecs.CreateOptions, list []content) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.pak")
	err := codecs.WriteFile(context.Background(), name, unrealpak.Format(), o, func(w codecs.Writer) error {
		for _, c := range list {
			e := &codecs.Entry{Name: c.name}
			if c.gone {
				e.Flags = codecs.Deleted
			}
			if err := w.Add(context.Background(), e, bytes.NewReader(c.data)); err != nil {
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

// pakOf is an Unreal pak of a few compressed entries.
func pakOf(t testing.TB, contents ...[]byte) []byte {
	t.Helper()
	return pakWith(t, &codecs.CreateOptions{Method: "zlib"}, contents...)
}

// pakWith calls the entries a, b, c ...
func pakWith(t testing.TB, o *codecs.CreateOptions, contents ...[]byte) []byte {
	t.Helper()
	list := make([]content, len(contents))
	for i, c := range contents {
		list[i] = content{name: string(rune('a' + i)), data: c}
	}
	return writePak(t, o, list)
}

// versions are three versions of a pak: the second changes, adds, renames and
// removes, the third too.
func versions(t testing.TB, o *codecs.CreateOptions) (v [3][]byte) {
	big, other := words(1, 150_000), noisy(5, 70_000)
	edited := append(append(bytes.Clone(big[:40_000]), "inserted"...), big[40_000:]...)
	v[0] = writePak(t, o, []content{{"Game/a.uasset", words(7, 30_000), false}, {"Game/b.umap", big[:9000], false}, {"Game/c.txt", words(2, 900), false}, {"Game/big.bin", big, false}, {"Game/noise.bin", other, false}, {"Game/empty", nil, false}})
	v[1] = writePak(t, o, []content{{"Game/a.uasset", words(7, 30_000), false}, {"Game/c.txt", words(3, 950), false}, {"Game/big.bin", edited, false}, {"Game/renamed.bin", other, false}, {"Game/empty", nil, false}, {"Game/new", words(9, 5000), false}})
	v[2] = writePak(t, o, []content{{"Game/Dir/first", words(11, 300), false}, {"Game/a.uasset", words(7, 30_000), false}, {"Game/c.txt", words(2, 900), false}, {"Game/big.bin", edited, false}, {"Game/renamed.bin", other, false}, {"Game/empty", []byte("x"), false}})
	return v
}

// openPak opens an Unreal pak, or fails the test.
func openPak(t testing.TB, b []byte) codecs.Archive {
	t.Helper()
	a, err := unrealpak.Format().Open(context.Background(), codecs.Source{ReaderAt: bytes.NewReader(b), Name: "x.pak", Size: int64(len(b))}, openKeyed())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// memory is an output of a fixed size.
type memory struct{ b []byte }

func (m *memory) ReadAt(p []byte, off int64) (int, error) { return bytes.NewReader(m.b).ReadAt(p, off) }

func (m *memory) WriteAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(m.b)-len(p)) {
		return 0, errors.New("outside of the output")
	}
	return copy(m.b[off:], p), nil
}
