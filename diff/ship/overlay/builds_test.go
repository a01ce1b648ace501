package overlay_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff"
	"pakdb/diff/ship/overlay"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// kind is how the paks of a generated build are stored.
type kind struct {
	version string
	method  compress.Method
	encrypt bool
}

func (k kind) String() string {
	s := k.version + "-" + k.method.String()
	if k.encrypt {
		s += "-encrypted"
	}
	return s
}

func testKey([16]byte) []byte { return bytes.Repeat([]byte{7}, 32) }

func testDisk() *overlay.Disk {
	return &overlay.Disk{Registry: all.Registry(), Options: &codecs.Options{Keys: testKey}}
}

// build is what a generated build holds: contents by pak and path.
type build map[string]map[string][]byte

// write packs a build into a folder.
func (b build) write(t testing.TB, dir string, k kind) {
	t.Helper()
	o := &codecs.CreateOptions{Version: k.version, MountPoint: "../../../Game/", Method: k.method, Encrypt: k.encrypt}
	if k.encrypt {
		o.Keys = testKey
	}
	for pak, files := range b {
		names := make([]string, 0, len(files))
		for name := range files {
			names = append(names, name)
		}
		slices.Sort(names)
		writePak(t, filepath.Join(dir, pak), o, func(w codecs.Writer) error {
			for _, name := range names {
				if err := w.Add(context.Background(), &codecs.Entry{Name: name}, bytes.NewReader(files[name])); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func writePak(t testing.TB, path string, o *codecs.CreateOptions, fill func(codecs.Writer) error) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := codecs.WriteFile(context.Background(), path, unrealpak.Format(), o, fill); err != nil {
		t.Fatal(err)
	}
}

// catalog scans folders as builds, each labelled by its base name.
func catalog(t testing.TB, dirs ...string) *sql.DB {
	t.Helper()
	return schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) {
		for _, dir := range dirs {
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Paths: []string{dir},
				Label: filepath.Base(dir), Open: &codecs.Options{Keys: testKey}, Progress: &indexer.Progress{}}); err != nil {
				t.Fatal(err)
			}
		}
	}))
}

// planOf plans the patch between two builds of a catalog.
func planOf(t testing.TB, db *sql.DB, old, new string, o overlay.Options) *overlay.Plan {
	t.Helper()
	stacks, err := diff.LoadStacks(context.Background(), db, all.Registry(), old, new)
	if err != nil {
		t.Fatal(err)
	}
	p, err := overlay.Make(stacks[0], stacks[1], all.Registry(), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// generated is a build of n files in two chunks, and its successor, in which
// every way to change occurs: added, removed, renamed, renamed in case alone,
// modified, moved to the other chunk.
func generated(n int) (old, new build) {
	r := rand.New(rand.NewPCG(1, 2))
	old, new = build{}, build{}
	paks := []string{"pakchunk0-Win.pak", "pakchunk1-Win.pak"}
	for _, pak := range paks {
		old[pak], new[pak] = map[string][]byte{}, map[string][]byte{}
	}
	for i := range n {
		pak, other := paks[i%2], paks[1-i%2]
		name := fmt.Sprintf("Content/Dir%02d/Asset%05d.u%s", i/100, i/3, []string{"asset", "exp", "bulk"}[i%3])
		content := slices.Concat([]byte{0xC1, 0x83, 0x2A, 0x9E}, gameLike(r, 40+r.IntN(3000))) // of packages: keys are tried on it
		old[pak][name] = content
		switch r.IntN(40) {
		case 0: // removed
		case 1:
			new[pak]["Content/Renamed/"+filepath.Base(name)] = content
		case 2:
			new[pak]["content/"+name[len("Content/"):]] = content
		case 3:
			new[pak][name] = append(content[:len(content):len(content)], "modified"...)
		case 4:
			new[other][name] = content
		case 5:
			new[pak]["content/"+name[len("Content/"):]] = append(content[:len(content):len(content)], "in case too"...)
		case 6:
			new[pak][name] = content
			new[pak]["Content/Added/"+filepath.Base(name)] = slices.Concat(content[:4], gameLike(r, 200_000/(1+r.IntN(400))))
		default:
			new[pak][name] = content
		}
	}
	return old, new
}

// gameLike is noise and repeats in turns.
func gameLike(r *rand.Rand, size int) []byte {
	b := make([]byte, 0, size+64)
	for len(b) < size {
		if len(b) > 64 && r.IntN(2) == 0 {
			b = append(b, b[len(b)-48:]...)
			continue
		}
		for range 16 {
			b = append(b, byte(r.Uint32()))
		}
	}
	return b[:size]
}
