package publish_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
)

// A publisher reads of the packs of builds what they list, and takes their hashes from the tables
// of the builds: a pack that is damaged since did not get a new hash, by which it would be sound.
func TestPublishKeepsHashesOfPacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	publishOf := func(label string, seed uint64) store.Tables {
		content := noise(seed, 20_000)
		in := delta.Input{Name: label + ".bin", Source: codecs.Source{ReaderAt: bytes.NewReader(content), Name: label + ".bin", Size: int64(len(content))}}
		if _, err := publish.Publish(t.Context(), dir, label, []delta.Input{in}, nil); err != nil {
			t.Fatal(err)
		}
		from := store.NewReader(t.Context(), store.Folder(dir))
		_, builds, err := store.ReadBuilds(from)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := store.ReadTables(from, builds[len(builds)-1].Tables)
		if err != nil {
			t.Fatal(err)
		}
		return tables
	}
	before := publishOf("1", 1)
	pack := filepath.Join(dir, filepath.FromSlash(store.PackName(1)))
	b, err := os.ReadFile(pack)
	if err != nil {
		t.Fatal(err)
	}
	b[100] ^= 1
	if err := os.WriteFile(pack, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if after := publishOf("2", 2); after[1].Sum != before[1].Sum {
		t.Errorf("pack 1 has the hash %x, and after damage %x", before[1].Sum, after[1].Sum)
	}
}
