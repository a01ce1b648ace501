package diff_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// downloads compares two builds, each scanned from one path.
func downloads(t *testing.T, old, new string) map[string]diff.Way {
	t.Helper()
	ctx := t.Context()
	db := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) {
		for _, side := range []struct{ label, path string }{{"old", old}, {"new", new}} {
			o := indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{side.path}, Label: side.label, Sketch: true}
			if _, err := indexer.Run(ctx, o); err != nil {
				t.Fatal(err)
			}
		}
	}))
	r, err := diff.Compare(ctx, db, "old", "new", diff.Options{Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	list, err := diff.Ways(ctx, db, r)
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]diff.Way{}
	for _, d := range list {
		ways[d.Name] = d
	}
	return ways
}

// estimated makes the patch, and looks for the chunks in the files.
func estimated(t *testing.T, old, new string) *maker.Estimate {
	t.Helper()
	var inputs [2][]delta.Input
	for i, p := range []string{old, new} {
		f, err := delta.OpenFiles([]string{p})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		inputs[i] = f.Inputs
	}
	e, err := maker.NewEstimate(t.Context(), inputs[0], inputs[1], t.TempDir(), &maker.MakeOptions{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// near fails unless a figure is within so many percent of the truth.
func near(t *testing.T, what string, got, want, percent int64) {
	t.Helper()
	if off := max(got-want, want-got); 100*off > percent*want {
		t.Errorf("%s: %d, truth is %d", what, got, want)
	}
}

// asset is made of words: zlib makes it smaller, and every one is another.
func cookedAsset(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "%08x %s ", r.Uint32(), []string{"Mesh", "Texture", "Sound", "Material"}[r.IntN(4)])
	}
	return b.Bytes()[:n]
}

func writePak(t *testing.T, name string, method compress.Method, names []string, content map[string][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	err := codecs.WriteFile(t.Context(), path, unrealpak.Format(), &codecs.CreateOptions{Method: method}, func(w codecs.Writer) error {
		for _, n := range names {
			if err := w.Add(context.Background(), &codecs.Entry{Name: n, Size: int64(len(content[n]))}, bytes.NewReader(content[n])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDownloads compares the estimates with what reading the files tells: files,
// entries and the count of chunks are the same, the patch is near.
func TestDownloads(t *testing.T) {
	if testing.Short() {
		t.Skip("forty comparisons, each of which makes patches")
	}
	content, names := map[string][]byte{}, []string(nil)
	for i := range 8 {
		name := fmt.Sprintf("Game/A%02d.bin", i)
		names, content[name] = append(names, name), cookedAsset(uint64(i), 150_000+9_000*i)
	}
	for _, method := range testkit.Some([]compress.Method{compress.None, compress.Zlib}, 1) {
		old := writePak(t, "old.pak", method, names, content)
		for _, c := range testkit.Some([]struct {
			what string
			edit func(names []string, content map[string][]byte) []string
		}{
			{"nothing", func(names []string, _ map[string][]byte) []string { return names }},
			{"removed", func(names []string, _ map[string][]byte) []string { return append(names[:5:5], names[6:]...) }},
			{"added", func(names []string, content map[string][]byte) []string {
				content["Game/Z.bin"] = cookedAsset(99, 300_000)
				return append(names, "Game/Z.bin")
			}},
			{"edited", func(names []string, content map[string][]byte) []string {
				b := bytes.Clone(content[names[6]])
				for i := 0; i < len(b); i += 20_000 {
					binary.LittleEndian.PutUint64(b[i:], uint64(i))
				}
				copy(b[50_000:], cookedAsset(98, 6_000))
				content[names[6]] = b
				return names
			}},
			{"shuffled", func(names []string, _ map[string][]byte) []string {
				names = append([]string(nil), names...)
				rand.New(rand.NewPCG(5, 5)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				return names
			}},
		}, 3) {
			t.Run(string(method)+" "+c.what, func(t *testing.T) {
				changed := map[string][]byte{}
				for k, v := range content {
					changed[k] = v
				}
				new := writePak(t, "new.pak", method, c.edit(names, changed), changed)
				got, want := downloads(t, old, new), estimated(t, old, new)
				for way, w := range map[string]struct{ bytes, parts, of int }{
					diff.WayBuild:   {int(want.New), want.Files, want.Files},
					diff.WayFiles:   {int(want.Whole), want.WholeFiles, want.Files},
					diff.WayEntries: {int(want.Entries), want.Changed, want.Stored},
				} {
					if d := got[way]; d.Bytes != int64(w.bytes) || d.Parts != int64(w.parts) || d.Of != int64(w.of) || !d.Exact {
						t.Errorf("%s: %+v, want %+v", way, d, w)
					}
				}
				chunks := got[diff.WayChunks]
				if max(chunks.Parts-int64(want.Missing), int64(want.Missing)-chunks.Parts) > 1 || chunks.Of != int64(want.Total) {
					t.Errorf("%d of %d chunks, want %d of %d", chunks.Parts, chunks.Of, want.Missing, want.Total)
				}
				d := got[diff.WayDelta]
				if d.Exact || d.Bytes > 3*want.Delta+500 || 3*d.Bytes+500 < want.Delta {
					t.Errorf("patch: %d, truth is %d", d.Bytes, want.Delta)
				}
				if off := max(d.Made-want.Made, want.Made-d.Made); off > want.Made/2 {
					t.Errorf("compressed again: %d, truth is %d", d.Made, want.Made)
				}
			})
		}
	}
}

// TestDownloadsOfSamples holds the errors that docs/benchmarks.md states.
func TestDownloadsOfSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("makes five patches")
	}
	for _, c := range testkit.Some([]struct {
		old, new string
		percent  int64
	}{
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak", 25},
		{"unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak", 25},
		{"gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip", 45},
		{"iostore/cue4parse-ue5.8/Uncompressed", "iostore/cue4parse-ue5.8/Zlib", 25},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Oodle", 40},
	}, 1) {
		t.Run(filepath.Base(c.new), func(t *testing.T) {
			old, new := codecstest.Sample(t, c.old), codecstest.Sample(t, c.new)
			got, want := downloads(t, old, new), estimated(t, old, new)
			if d := got[diff.WayFiles]; d.Bytes != want.Whole || d.Parts != int64(want.WholeFiles) || !d.Exact {
				t.Errorf("files: %+v, want %d", d, want.Whole)
			}
			near(t, "entries", got[diff.WayEntries].Bytes, want.Entries, 2)
			t.Logf("patch: %d of %d", got[diff.WayDelta].Bytes, want.Delta)
			near(t, "patch", got[diff.WayDelta].Bytes, want.Delta, c.percent)
			t.Logf("compressed again: %d of %d", got[diff.WayDelta].Made, want.Made)
		})
	}
}

// TestDownloadsOfFolders: every file is an archive of one entry; those that stay
// cost nothing but their names.
func TestDownloadsOfFolders(t *testing.T) {
	old, new := t.TempDir(), t.TempDir()
	const changed = 1<<20 + 50_000 // two chunks
	for i := range 6 {
		b := cookedAsset(uint64(i), 50_000+50_000*i)
		if i == 3 {
			b = cookedAsset(3, changed)
		}
		for _, dir := range []string{old, new} {
			if i == 3 && dir == new {
				b = cookedAsset(77, changed)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), b, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := downloads(t, old, new)
	for way, w := range map[string]struct{ parts, of int64 }{diff.WayFiles: {1, 6}, diff.WayEntries: {1, 6}} {
		if d := got[way]; d.Bytes != changed || d.Parts != w.parts || d.Of != w.of || !d.Exact {
			t.Errorf("%s: %+v", way, d)
		}
	}
	if d := got[diff.WayChunks]; d.Parts != 2 || d.Of != 7 {
		t.Errorf("chunks: %+v", d)
	}
	near(t, "patch", got[diff.WayDelta].Bytes, changed*3/10, 50) // what compression leaves of such words
	if d := downloads(t, old, old)[diff.WayDelta]; d.Bytes > 500 {
		t.Errorf("nothing changed: %d bytes", d.Bytes)
	}
}
