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
	"pakdb/schema"
)

// compareAlike returns how what is told of changes after a scan that leaves out what both
// sides have alike differs from what is told after a scan of all, "" for not at all; and
// how many entries both scanned.
func compareAlike(t testing.TB, old, new string) (differs string, whole, few int64) {
	t.Helper()
	registry := all.Registry().ForComparing()
	want, whole := comparedBy(t, t.TempDir(), schema.OpenScratch, registry, old, new, false)
	got, few := comparedBy(t, t.TempDir(), schema.OpenScratch, registry, old, new, true)
	for i := range want {
		want[i].Ways, got[i].Ways = nil, nil // those are of whole builds
		if got[i].Unknown <= want[i].Unknown {
			got[i].Unknown = want[i].Unknown // what cannot be decoded may be the same bytes
		}
	}
	return cmp.Diff(want, got, cmpopts.IgnoreFields(diff.File{}, "PathID", "ContentID", "ArchiveID"), cmpopts.EquateEmpty()), whole, few
}

func TestLeaveAlikeOnSamples(t *testing.T) {
	for _, pair := range [][2]string{
		{"gpak/Calligraphy_v10_mhpaktool.sip", "gpak/Calligraphy_v11_mhpaktool.sip"},
		{"unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"},
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"},
		{"iostore/cue4parse-ue5.8/Zlib", "iostore/cue4parse-ue5.8/Zlib"},
		{"unreal-package/uasset-rs/UE410", "unreal-package/uasset-rs/UE414"},
	} {
		t.Run(filepath.Base(pair[1]), func(t *testing.T) {
			differs, whole, few := compareAlike(t, sample(t, pair[0]), sample(t, pair[1]))
			if differs != "" {
				t.Errorf("(-all +left out):\n%s", differs)
			}
			t.Logf("%d of %d entries scanned", few, whole)
		})
	}
}

// alikeEntry is an entry of the builds of TestLeaveAlike.
type alikeEntry struct {
	name    string
	content string
	deleted bool
}

// drawEntries draws the entries that both sides begin with: assets of several files,
// contents that repeat, directories that name records.
func drawEntries(t *rapid.T) (list []alikeEntry) {
	for i := range rapid.IntRange(1, 12).Draw(t, "entries") {
		stem := fmt.Sprintf("Game/Content/A%d", i)
		content := func() string {
			own := fmt.Sprintf("content %d ", len(list))
			text := rapid.SampledFrom([]string{own, own, own, own, "", "a", "other "}).Draw(t, "content")
			return strings.Repeat(text, rapid.SampledFrom([]int{1, 3, 40, 900}).Draw(t, "times"))
		}
		for _, ext := range rapid.SampledFrom([][]string{{".bin"}, {".uasset", ".uexp"}, {".umap", ".uexp", ".ubulk"}, {".wav"}}).Draw(t, "files") {
			list = append(list, alikeEntry{name: stem + ext, content: content()})
		}
	}
	return list
}

// edited draws what a side makes of them.
func edited(t *rapid.T, list []alikeEntry) (out []alikeEntry) {
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
			out = append(out, alikeEntry{name: strings.Replace(e.name, "Content/", "Content/Copy/", 1), content: e.content})
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

func writeAlike(t *rapid.T, path string, format *codecs.Format, o *codecs.CreateOptions, list []alikeEntry) {
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

// TestLeaveAlike: what is told of changes is the same as after a scan of all, for builds
// of one archive or of two that hide entries of each other, stored, compressed and
// encrypted in drawn ways.
func TestLeaveAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("four scans for each pair")
	}
	dir := t.TempDir()
	n := 0
	var whole, few int64
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
			writeAlike(rt, filepath.Join(sides[side], name), format, o, list)
			if patched {
				var patch []alikeEntry
				for _, e := range edited(rt, base) {
					if rapid.IntRange(0, 3).Draw(rt, "in the patch") == 0 {
						e.deleted = rapid.IntRange(0, 4).Draw(rt, "deletes") == 0
						patch = append(patch, e)
					}
				}
				writeAlike(rt, filepath.Join(sides[side], "Game_1_P.pak"), format, o, patch)
			}
		}
		differs, a, b := compareAlike(t, sides[0], sides[1])
		if whole, few = whole+a, few+b; differs != "" {
			rt.Fatalf("(-all +left out):\n%s", differs)
		}
	})
	t.Logf("%d of %d entries scanned", few, whole)
	if few > whole*9/10 {
		t.Errorf("%d of %d entries are scanned: hardly any are left out", few, whole)
	}
}

// What cannot be read stays a problem of the scan, or lies on both sides as it is: a
// damaged archive, and one with an entry that is damaged on one side.
func TestLeaveAlikeOfDamage(t *testing.T) {
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
		if differs, _, _ := compareAlike(t, pair[0], pair[1]); differs != "" {
			t.Errorf("%v (-all +left out):\n%s", pair, differs)
		}
	}
}
