package overlay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/overlay"
	"pakdb/internal/mount"
)

// A merge of patches has the effect of all of them, over any base: with ties of
// order, names in another case, and what is deleted and comes again.
func TestMergeKeepsTheView(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(root, fmt.Sprint(n))
		defer func() { _ = os.RemoveAll(dir) }()
		base, patches := drawBase(t, dir), drawPatches(t, dir)
		want := viewOf(t, append(base, patches...)...)
		known := rapid.Bool().Draw(t, "known base")
		m, err := merged(dir, base, patches, known)
		if errors.Is(err, overlay.ErrNothing) {
			if got := viewOf(t, base...); got != want {
				t.Fatalf("nothing to merge, but %q is not %q", got, want)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := viewOf(t, append(base, m)...); got != want {
			t.Fatalf("merged, the game sees %q; it saw %q", got, want)
		}
	})
}

// merged writes the merge and returns its path.
func merged(dir string, base, patches []string, known bool) (string, error) {
	ctx, d := context.Background(), testDisk()
	b, err := d.Stack(ctx, "", base, false)
	if err != nil {
		return "", err
	}
	p, err := d.Stack(ctx, "", patches, false)
	if err != nil {
		return "", err
	}
	if !known {
		b = &overlay.Stack{}
	}
	m, err := overlay.Merge(b, p, all.Registry(), overlay.MergeOptions{Name: "Merged_9_P.pak"})
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "out")
	_, _, err = m.Write(ctx, d, overlay.Output{Dir: out})
	return filepath.Join(out, "Merged_9_P.pak"), err
}

func drawBase(t *rapid.T, dir string) (paths []string) {
	for i := range rapid.IntRange(0, 2).Draw(t, "bases") {
		paths = append(paths, drawPak(t, filepath.Join(dir, fmt.Sprintf("Base%d.pak", i)), false))
	}
	return paths
}

// drawPatches are of few orders, so that ties are frequent.
func drawPatches(t *rapid.T, dir string) (paths []string) {
	for i := range rapid.IntRange(1, 5).Draw(t, "patches") {
		name := fmt.Sprintf("%c_%d_P.pak", 'A'+byte(rapid.IntRange(0, 1).Draw(t, "letter"))*32+byte(i), rapid.IntRange(0, 2).Draw(t, "number"))
		paths = append(paths, drawPak(t, filepath.Join(dir, name), true))
	}
	return paths
}

func drawPak(t *rapid.T, path string, deletes bool) string {
	o := &codecs.CreateOptions{Version: rapid.SampledFrom([]string{"6", "8B", "11"}).Draw(t, "version"),
		MountPoint: rapid.SampledFrom([]string{"../../../", "../../../Game/"}).Draw(t, "mount")}
	_ = os.MkdirAll(filepath.Dir(path), 0o777)
	err := codecs.WriteFile(context.Background(), path, unrealpak.Format(), o, func(w codecs.Writer) error {
		taken := map[string]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "entries") {
			name := rapid.SampledFrom([]string{"a", "A", "b", "dir/c", "Dir/C", "Game/a", "game/B", "d"}).Draw(t, "name")
			if taken[strings.ToLower(name)] {
				continue
			}
			taken[strings.ToLower(name)] = true
			e := &codecs.Entry{Name: name}
			if deletes && rapid.Bool().Draw(t, "delete") {
				e.Flags = codecs.Deleted
			}
			content := rapid.SampledFrom([]string{"", "1", "2", "three"}).Draw(t, "content")
			if err := w.Add(context.Background(), e, strings.NewReader(content)); err != nil {
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

// viewOf is what a game sees, written another way than the package does: for
// each file by itself, over all paks.
func viewOf(t *rapid.T, paths ...string) string {
	type inside struct {
		order   int
		name    string
		deleted bool
		content []byte
	}
	files := map[string][]inside{}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		st, _ := f.Stat()
		a, err := unrealpak.Format().Open(context.Background(), codecs.Source{ReaderAt: f, Name: filepath.Base(path), Size: st.Size()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			h := inside{order: unrealpak.MountOrder(path), name: strings.ToLower(filepath.Base(path)), deleted: e.Flags&codecs.Deleted != 0}
			if !h.deleted {
				r, err := a.Open(context.Background(), e)
				if err != nil {
					t.Fatal(err)
				}
				var b bytes.Buffer
				_, _ = b.ReadFrom(r)
				_ = r.Close()
				h.content = b.Bytes()
			}
			key := mount.FileKey(a.Info().MountPoint, e.Name)
			files[key] = append(files[key], h)
		}
		_ = f.Close()
	}
	var seen []string
	for key, all := range files {
		gone := -1
		for _, h := range all {
			if h.deleted {
				gone = max(gone, h.order)
			}
		}
		var best *inside
		for i, h := range all {
			if h.deleted || h.order < gone {
				continue
			}
			if best == nil || h.order > best.order || h.order == best.order && h.name > best.name {
				best = &all[i]
			}
		}
		if best != nil {
			seen = append(seen, key+"="+string(best.content))
		}
	}
	slices.Sort(seen)
	return strings.Join(seen, " ")
}

func TestMergeIntoBase(t *testing.T) {
	dir := t.TempDir()
	k := kind{version: "11", method: "zlib"}
	a, b := generated(300)
	old, new, out := filepath.Join(dir, "old"), filepath.Join(dir, "new"), filepath.Join(dir, "out")
	a.write(t, old, k)
	b.write(t, new, k)
	if _, _, err := planOf(t, catalog(t, old, new), "old", "new", overlay.Options{Number: -1}).Write(context.Background(), testDisk(), overlay.Output{Dir: out}); err != nil {
		t.Fatal(err)
	}
	ctx, d := context.Background(), testDisk()
	all2, err := d.Stack(ctx, "", []string{old, out}, false)
	if err != nil {
		t.Fatal(err)
	}
	patches, base := all2.Split((*overlay.Mount).IsPatch)
	m, err := overlay.Merge(base, patches, all.Registry(), overlay.MergeOptions{Name: "Game.pak", IntoBase: true})
	if err != nil {
		t.Fatal(err)
	}
	written, _, err := m.Write(ctx, d, overlay.Output{Dir: filepath.Join(dir, "merged")})
	if err != nil {
		t.Fatal(err)
	}
	if r := compared(t, []string{filepath.Join(dir, "merged")}, new); len(r.Differences) > 0 {
		t.Errorf("%+v", r.Differences[0])
	}
	if w := written[0]; w.Raw == 0 || m.Buried == 0 {
		t.Errorf("%d bytes passed through, %d entries buried", w.Raw, m.Buried)
	}
	if _, err := overlay.Merge(base, patches, all.Registry(), overlay.MergeOptions{Name: "Game.pak", IntoBase: false}); !errors.Is(err, overlay.ErrName) {
		t.Errorf("a name that does not win: %v", err)
	}
}
