package publish_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

// pak is an archive of compressed contents, of which one differs from build to build.
func pak(t *testing.T, build int) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "Game.pak")
	err := codecs.WriteFile(t.Context(), file, unrealpak.Format(), &codecs.CreateOptions{Method: compress.Zlib}, func(w codecs.Writer) error {
		for i := range 30 {
			content := noise(uint64(i), 5000)
			if i == 7 {
				content = noise(uint64(100+build), 5000)
			}
			if err := w.Add(t.Context(), &codecs.Entry{Name: fmt.Sprintf("Content/%02d.uasset", i)}, bytes.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMemo: a next build is published by what the memo in the bucket knows of the one before;
// a damaged one, and one that tells of contents that were pruned, know nothing.
func TestMemo(t *testing.T) {
	testkit.NotShort(t)
	_, location := newService(t)
	publishPak := func(build int) int64 {
		t.Helper()
		files, err := delta.OpenFiles([]string{tree{"Game.pak": pak(t, build)}.write(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer files.Close()
		p, err := publish.Publish(t.Context(), location, fmt.Sprint(build), files.Inputs, &publish.Options{Registry: all.Registry(), Effort: publish.Fast})
		if err != nil {
			t.Fatal(err)
		}
		return int64(p.Remembered)
	}
	for build, want := range []int64{0, 29, 29} {
		if got := publishPak(build); got != want {
			t.Errorf("of build %d %d contents were remembered, want %d", build, got, want)
		}
	}
	mustBe(t, location, "2", tree{"Game.pak": pak(t, 2)}, nil)

	if _, err := publish.Prune(t.Context(), location, 1, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := publishPak(3); got != 29 {
		t.Errorf("after pruning %d contents were remembered", got)
	}
	b, err := publish.OpenBucket(location, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := store.NewReader(t.Context(), b).File(publish.MemoName)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if _, err := b.Put(t.Context(), publish.MemoName, bytes.NewReader(text), int64(len(text)), ""); err != nil {
		t.Fatal(err)
	}
	if got := publishPak(4); got != 0 {
		t.Errorf("%d contents were remembered by a damaged memo", got)
	}
	if got := publishPak(5); got != 29 {
		t.Errorf("after a damaged memo %d contents were remembered", got)
	}
	mustBe(t, location, "5", tree{"Game.pak": pak(t, 5)}, nil)
	mustBeSound(t, location)
}
