package diff_test

import (
	"bytes"
	"fmt"

	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// readAndCompare compares two builds of files without a catalog, in each of comparedWays.
func readAndCompare(t testing.TB, old, new string) (all []both) {
	t.Helper()
	for _, o := range comparedWays {
		reading := diff.NewReading()
		for i, target := range []func(string) indexer.Target{reading.Old, reading.New} {
			path := []string{old, new}[i]
			if _, err := indexer.Read(t.Context(), indexer.Options{Registry: registryForComparing(), Paths: []string{path}, Sketch: true}, target([]string{"old", "new"}[i])); err != nil {
				t.Fatal(err)
			}
		}
		r, err := reading.Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var changes []diff.Change
		for c, err := range r.Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			changes = append(changes, c)
		}
		all = append(all, both{Changes: changes, Unknown: r.Unknown, Reordered: r.Reordered, Damage: codecs.DamageTexts(diff.DamageOfFiles(registryForComparing(), reading))})
	}
	return all
}

func registryForComparing() *codecs.Registry { return all.Registry().ForComparing() }

// sameWithoutCatalog fails where comparing files tells anything else than comparing the
// same in a catalog of all facts.
func sameWithoutCatalog(t testing.TB, dir, old, new string) (differs string, changes int) {
	t.Helper()
	want, got := comparedBy(t, dir, old, new), readAndCompare(t, old, new)
	moved := slices.ContainsFunc(slices.Concat(want, got), both.reorders)
	for i, o := range comparedWays {
		changes += len(want[i].Changes)
		switch {
		case o.PerArchive:
		case moved && !o.Files: // an asset may have the file that moved, or another one
			want[i], got[i] = both{}, both{}
		default:
			withoutOrder(&want[i])
			withoutOrder(&got[i])
		}
	}
	return cmp.Diff(want, got, cmpopts.IgnoreFields(diff.File{}, "PathID", "ContentID", "ArchiveID"), cmpopts.EquateEmpty()), changes
}

// reorders reports whether entries lie elsewhere in their archive.
func (b both) reorders() bool {
	return len(b.Reordered) > 0 || slices.ContainsFunc(b.Changes, func(c diff.Change) bool { return slices.Contains(c.Notes, "order") })
}

// withoutOrder leaves out which entries lie elsewhere in their archive. Of two that changed
// places either may be said to have moved: a catalog says so of the one whose row is new.
func withoutOrder(b *both) {
	b.Reordered = nil
	b.Changes = slices.DeleteFunc(b.Changes, func(c diff.Change) bool { return c.Kind == diff.Metadata && slices.Equal(c.Notes, []string{"order"}) })
	for i := range b.Changes {
		c := &b.Changes[i]
		c.Notes = slices.DeleteFunc(slices.Clone(c.Notes), func(note string) bool { return note == "order" })
		if len(c.Notes) == 0 {
			c.Also &^= diff.Metadata
		}
	}
}

func TestReadingSamples(t *testing.T) {
	for _, pair := range testkit.Some([][2]string{
		{"gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip"},
		{"unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"},
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Oodle"},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Zlib"},
		{"unreal-package/uasset-rs/UE410", "unreal-package/uasset-rs/UE414"},
	}, 2) {
		t.Run(filepath.Base(pair[1]), func(t *testing.T) {
			if differs, _ := sameWithoutCatalog(t, t.TempDir(), sample(t, pair[0]), sample(t, pair[1])); differs != "" {
				t.Errorf("(-catalog +files):\n%s", differs)
			}
		})
	}
}

// drawnEntry is an entry of the builds of TestReading.
type drawnEntry struct {
	name    string
	content string
	deleted bool
}

// drawEntries draws the entries that both sides begin with: assets of several files,
// contents that repeat, directories that name records.
func drawEntries(t *rapid.T) (list []drawnEntry) {
	for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
		stem := fmt.Sprintf("Game/Content/A%d", i)
		content := func() string {
			own := fmt.Sprintf("content %d ", len(list))
			text := rapid.SampledFrom([]string{own, own, own, own, "", "a", "other "}).Draw(t, "content")
			return strings.Repeat(text, rapid.SampledFrom([]int{1, 3, 40, 900}).Draw(t, "times"))
		}
		for _, ext := range rapid.SampledFrom([][]string{{".bin"}, {".uasset", ".uexp"}, {".umap", ".uexp", ".ubulk"}, {".wav"}}).Draw(t, "files") {
			list = append(list, drawnEntry{name: stem + ext, content: content()})
		}
	}
	return list
}

// edited draws what a side makes of them.
func edited(t *rapid.T, list []drawnEntry) (out []drawnEntry) {
	what := append(slices.Repeat([]string{"same"}, 20), "edit", "drop", "rename", "case", "copy", "content")
	if rapid.IntRange(0, 4).Draw(t, "swaps") == 0 {
		what = append(what, "swap", "swap")
	}
	for i, e := range list {
		switch rapid.SampledFrom(what).Draw(t, "what") {
		case "edit":
			e.content += "!"
		case "drop":
			continue
		case "rename":
			e.name = strings.Replace(e.name, "Content/", "Content/Moved/", 1)
		case "case":
			e.name = strings.Replace(e.name, "/A", "/a", 1)
		case "copy":
			out = append(out, drawnEntry{name: strings.Replace(e.name, "Content/", "Content/Copy/", 1), content: e.content})
		case "content":
			e.content = list[(i+1)%len(list)].content
		case "swap":
			if len(out) > 0 {
				out = append(out[:len(out)-1], e, out[len(out)-1])
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

func writeDrawn(t *rapid.T, path string, format *codecs.Format, o *codecs.CreateOptions, list []drawnEntry) {
	err := codecs.WriteFile(t.Context(), path, format, o, func(w codecs.Writer) error {
		seen := map[string]bool{}
		for _, e := range list {
			key := strings.ToLower(e.name)
			if seen[key] {
				continue
			}
			seen[key] = true
			entry := &codecs.Entry{Name: e.name, Size: int64(len(e.content))}
			if e.deleted {
				entry = &codecs.Entry{Name: e.name, Flags: codecs.Deleted}
			}
			if err := w.Add(t.Context(), entry, strings.NewReader(e.content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReading: files are compared as the same in a catalog is, for builds of one archive or
// of two that hide entries of each other, stored, compressed and encrypted in drawn ways.
func TestReading(t *testing.T) {
	if testing.Short() {
		t.Skip("a catalog for each pair")
	}
	dir := t.TempDir()
	n, changes := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		format := rapid.SampledFrom([]*codecs.Format{unrealpak.Format(), unrealpak.Format(), gpak.Format()}).Draw(rt, "format")
		base := drawEntries(rt)
		patched := rapid.Bool().Draw(rt, "patched") && format.Name == "unrealpak"
		method := rapid.SampledFrom([]compress.Method{compress.None, compress.Zlib}).Draw(rt, "method")
		var sides [2]string
		for side := range sides {
			sides[side] = filepath.Join(dir, fmt.Sprintf("%d-%d", n, side))
			if err := os.Mkdir(sides[side], 0o777); err != nil {
				rt.Fatal(err)
			}
			o := &codecs.CreateOptions{}
			if format.Name == "unrealpak" {
				if o.Method = method; rapid.IntRange(0, 9).Draw(rt, "other method") == 0 {
					o.Method = compress.LZ4
				}
			}
			name := "Game.pak"
			if !patched && rapid.Bool().Draw(rt, "versioned") {
				name = fmt.Sprintf("Game%d.pak", side)
			}
			list := edited(rt, base)
			writeDrawn(rt, filepath.Join(sides[side], name), format, o, list)
			if patched {
				var patch []drawnEntry
				for _, e := range edited(rt, base) {
					if rapid.IntRange(0, 3).Draw(rt, "in the patch") == 0 {
						e.deleted = rapid.IntRange(0, 4).Draw(rt, "deletes") == 0
						patch = append(patch, e)
					}
				}
				writeDrawn(rt, filepath.Join(sides[side], "Game_1_P.pak"), format, o, patch)
			}
		}
		differs, n := sameWithoutCatalog(t, t.TempDir(), sides[0], sides[1])
		if changes += n; differs != "" {
			rt.Fatalf("(-catalog +files):\n%s", differs)
		}
	})
	if changes == 0 {
		t.Error("nothing changed in any pair")
	}
}

// What cannot be read stays a problem of the scan, or lies on both sides as it is: a
// damaged archive, and one with an entry that is damaged on one side.
func TestReadingDamage(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, damage func([]byte) []byte) string {
		path := filepath.Join(dir, name, "Game.pak")
		if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		err := codecs.WriteFile(t.Context(), path, unrealpak.Format(), &codecs.CreateOptions{Method: compress.Zlib}, func(w codecs.Writer) error {
			for i := range 20 {
				content := strings.Repeat(fmt.Sprintf("content %d ", i), 500)
				if err := w.Add(t.Context(), &codecs.Entry{Name: fmt.Sprintf("F%d.bin", i)}, strings.NewReader(content)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, damage(b), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := write("whole", func(b []byte) []byte { return b })
	flipped := write("flipped", func(b []byte) []byte { b = bytes.Clone(b); b[200] ^= 0xff; return b })
	cut := write("cut", func(b []byte) []byte { return b[:len(b)-100] })
	for _, pair := range [][2]string{{whole, flipped}, {flipped, whole}, {flipped, flipped}, {whole, cut}, {cut, cut}, {whole, whole}} {
		if differs, _ := sameWithoutCatalog(t, t.TempDir(), pair[0], pair[1]); differs != "" {
			t.Errorf("%v (-catalog +files):\n%s", pair, differs)
		}
	}
}
