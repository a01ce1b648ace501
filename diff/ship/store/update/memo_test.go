package update_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

func publishCounted(t *testing.T, dir, label string, f folder) *publish.Published {
	t.Helper()
	return publishWith(t, dir, label, f, &publish.Options{Registry: all.Registry(), Effort: publish.Fast, Deltas: 1, Now: time.Unix(1, 0)})
}

// TestMemo: a next build whose contents are mostly those of the one before does not decode
// them, and the store has the same bytes as if it did; also where the memo is damaged, and
// where what it tells of was pruned.
func TestMemo(t *testing.T) {
	testkit.NotShort(t)
	list := assets(40, 3000)
	for i := range 5 { // no recipe makes them
		list[i].Data = noise(uint64(i), 3000)
	}
	// More than is held. It repeats itself within the window of zlib: the test takes a fifth of the CPU.
	list[7].Data = bytes.Repeat(prose(rand.New(rand.NewPCG(3, 3)), 1000), 4<<20/1000+1)
	old := folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, list), "a.txt": []byte("a")}
	next := folder{"Game.pak": pakOf(t, codecs.CreateOptions{}, updated(list)), "a.txt": []byte("a")}
	dir := t.TempDir()
	with, without, damaged := filepath.Join(dir, "with"), filepath.Join(dir, "without"), filepath.Join(dir, "damaged")
	count := map[string]*publish.Published{}
	for _, store := range []string{with, without, damaged} {
		publishCounted(t, store, "1", old)
		file := filepath.Join(store, publish.MemoName)
		switch store {
		case without:
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		case damaged:
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		count[store] = publishCounted(t, store, "2", next)
	}
	if n := count[with].Remembered; n < len(list)/2 || n >= len(list) {
		t.Errorf("%d of %d contents are remembered", n, len(list))
	}
	if n := count[without].Remembered + count[damaged].Remembered; n != 0 {
		t.Errorf("%d contents are remembered by no memo", n)
	}
	want := readFolder(t, with)
	for _, store := range []string{without, damaged} {
		got := readFolder(t, store)
		delete(got, publish.MemoName) // has what this publication saw
		delete(want, publish.MemoName)
		if !maps.EqualFunc(got, want, func(a, b []byte) bool { return string(a) == string(b) }) {
			t.Errorf("%s has other bytes", filepath.Base(store))
		}
	}

	// The old build is pruned, and published again.
	gone := filepath.Join(dir, "gone")
	publishCounted(t, gone, "1", old)
	publishCounted(t, gone, "2", folder{"b.pak": pakOf(t, codecs.CreateOptions{}, assets(1, 100))})
	if _, err := publish.Prune(quick(t.Context()), gone, 1, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	again := publishCounted(t, gone, "3", old)
	if again.Chunks == 0 || again.Remembered != 0 {
		t.Errorf("after pruning %+v", again)
	}
	if _, err := publish.Check(t.Context(), gone, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Fatal(err)
	}
	at := folder{}.write(t, t.TempDir())
	if _, _, err := runUpdate(t.Context(), gone, at, "3"); err != nil {
		t.Fatal(err)
	}
	same(t, "build 3", readFolder(t, at), old)
}
