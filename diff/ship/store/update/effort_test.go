package update_test

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/testkit"
)

// TestEfforts: patches of whole files follow the effort, and a store has the same bytes however
// many processors make it.
func TestEfforts(t *testing.T) {
	if !testkit.Deep() {
		t.Skip("compresses six megabytes five times")
	}
	random := rand.NewChaCha8([32]byte{1})
	lines := make([]byte, 256<<10)
	_, _ = random.Read(lines)
	// Lines that come again farther away than a frame is long, in another order.
	far := func(change byte) []byte {
		order := rand.New(rand.NewPCG(1, 2))
		var b []byte
		for len(b) < 900<<10 {
			at := order.IntN(len(lines)/64) * 64
			b = append(b, lines[at:at+64]...)
		}
		b[5] = change
		return b
	}
	other := make([]byte, 5<<20) // more than a pack
	for i := range other {
		other[i] = byte(random.Uint64() & 7)
	}
	build := func(change byte) []delta.Input {
		input := func(name string, b []byte) delta.Input {
			return delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader(b), Size: int64(len(b))}}
		}
		return []delta.Input{input("far.bin", far(change)), input("near.bin", append(other, change))}
	}
	publishAll := func(effort publish.Effort) (map[string]string, [2]*publish.Published) {
		dir := t.TempDir()
		var did [2]*publish.Published
		for i, label := range []string{"1", "2"} {
			var err error
			did[i], err = publish.Publish(quick(t.Context()), dir, label, build(byte(i)), &publish.Options{Effort: effort, Deltas: 1, Now: time.Unix(1, 0)})
			if err != nil {
				t.Fatal(err)
			}
		}
		files := map[string]string{}
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(os.DirFS(dir), path)
			files[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files, did
	}
	normal, did := publishAll(publish.Normal)
	if did[0].Whole != 1 || did[1].ContentDeltas == 0 {
		t.Errorf("normal: %+v, %+v", did[0], did[1])
	}
	if _, did := publishAll(publish.Fast); did[0].Whole+did[1].Whole != 0 || did[1].ContentDeltas == 0 {
		t.Errorf("fast: %+v, %+v", did[0], did[1])
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	alone, _ := publishAll(publish.Normal)
	if !maps.Equal(normal, alone) {
		t.Errorf("one processor makes %d files, several %d, or others", len(alone), len(normal))
	}
}
