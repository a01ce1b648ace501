package indexer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// counting counts the entries of an archive that are decoded.
type counting struct {
	codecs.Archive
	opens *atomic.Int32
}

func (a counting) Unwrap() codecs.Archive { return a.Archive }

func (a counting) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	a.opens.Add(1)
	return a.Archive.Open(ctx, e)
}

// countingRegistry has all formats and inspectors; opens counts what is decoded of paks.
func countingRegistry(opens *atomic.Int32) *codecs.Registry {
	r := *all.Registry()
	r.Formats = slices.Clone(r.Formats)
	for i, f := range r.Formats {
		if f.Name != "unrealpak" {
			continue
		}
		pak := *f
		pak.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
			a, err := f.Open(ctx, src, o)
			if err != nil {
				return nil, err
			}
			return counting{a, opens}, nil
		}
		r.Formats[i] = &pak
	}
	return &r
}

// sayings are queries for what a catalog says of a build.
var sayings = []string{
	editionRows,
	"SELECT path, package, engine, guid FROM packages WHERE build = '%d' ORDER BY path",
	"SELECT path, package, export, field, value, target FROM properties WHERE build = '%d' ORDER BY path, export, position",
	"SELECT path, kind, target, target_path, status FROM dependencies WHERE build = '%d' ORDER BY path, kind, target",
	"SELECT path, field, cause FROM problems WHERE build = '%d' ORDER BY path, field, cause",
}

// sameAsAlone compares what a catalog says of a build with what one of that build alone does.
func (c catalog) sameAsAlone(build int, pak string) {
	c.t.Helper()
	alone := newCatalog(c.t)
	alone.mustScan(indexer.Options{Label: fmt.Sprint(build), Paths: []string{pak}})
	for _, query := range sayings {
		query = fmt.Sprintf(query, build)
		if got, want := c.rows(query), alone.rows(query); !slices.Equal(got, want) {
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					c.t.Errorf("build %d: %s:\n%s\nwant\n%s", build, query, got[i], want[i])
					break
				}
			}
			c.t.Errorf("build %d: %s: %d rows, want %d", build, query, len(got), len(want))
		}
	}
}

// TestUnchangedEntriesAreNotDecoded: where a pak has the SHA-1 of an entry, the next build
// decodes only what changed, and the catalog says what one that decodes all does.
func TestUnchangedEntriesAreNotDecoded(t *testing.T) {
	testkit.NotShort(t)
	files := []string{"Filler/a.txt", "moved"}
	for i := range 300 {
		files = append(files, fmt.Sprintf("Game/P%03d.uasset", i), using(fmt.Sprintf("/Game/P%03d", i/2)), fmt.Sprintf("Game/P%03d.uexp", i), fmt.Sprint("exports of none ", i))
	}
	for _, version := range testkit.Some([]string{"7", "11"}, 1) {
		t.Run(version, func(t *testing.T) {
			var opens atomic.Int32
			r, c := countingRegistry(&opens), newCatalog(t)
			scan := func(build int, files []string) (decoded int32, pak string) {
				pak = filepath.Join(t.TempDir(), "game.pak")
				pack(t, pak, "unrealpak", codecs.CreateOptions{Version: version, Method: "zlib"}, files...)
				opens.Store(0)
				c.scanWith(r, indexer.Options{Label: fmt.Sprint(build), Paths: []string{pak}})
				return opens.Load(), pak
			}
			scan(1, files)
			next := slices.Clone(files)
			next[5], next[103] = "other exports", using("/Game/Other")
			decoded, pak := scan(2, next)
			if decoded > 40 {
				t.Errorf("%d of 601 entries were decoded", decoded)
			}
			c.sameAsAlone(2, pak)
			last := len(next) - 200
			moved := slices.Concat(next[last:], next[2:last], next[:2])
			if decoded, pak = scan(3, moved); decoded > 40 {
				t.Errorf("%d of 601 entries were decoded, of which 101 had moved", decoded)
			}
			c.sameAsAlone(3, pak)
		})
	}
}

// TestSplitPackagesThatDoNotChange: values of exports that lie apart from their package
// stay what they are, and follow the package where it changes alone.
func TestSplitPackagesThatDoNotChange(t *testing.T) {
	files := contentsOf(t, filepath.Join(sampleDir(t, pakTwin+"Legacy-Tagged-Zlib.pak"), "Legacy-Tagged-Zlib.pak"))
	var opens atomic.Int32
	r, c := countingRegistry(&opens), newCatalog(t)
	scan := func(build int, files []string) {
		pak := filepath.Join(t.TempDir(), "game.pak")
		pack(t, pak, "unrealpak", codecs.CreateOptions{Method: "zlib"}, files...)
		opens.Store(0)
		c.scanWith(r, indexer.Options{Label: fmt.Sprint(build), Paths: []string{pak}})
		c.sameAsAlone(build, pak)
	}
	scan(1, files)
	first := opens.Load()
	next := slices.Concat(files, []string{"z.txt", "new"})
	if scan(2, next); opens.Load() > first/4 {
		t.Errorf("%d entries were decoded, %d the first time", opens.Load(), first)
	}
	header := slices.IndexFunc(next, func(name string) bool { return filepath.Ext(name) == ".uasset" })
	other := next[header+5] // the package after the next
	next[header+1] = other
	scan(3, next)
	scan(4, slices.Concat(next[len(next)/4*2:], next[:len(next)/4*2]))
}

// TestDamagedEntryThatDidNotChange: an entry that the tables tell to be what it was is
// compared with its SHA-1, and so are those of the build after it.
func TestDamagedEntryThatDidNotChange(t *testing.T) {
	testkit.NotShort(t)
	var files []string
	for i := range 50 {
		files = append(files, fmt.Sprintf("Game/%02d.bin", i), fmt.Sprint("the bytes of the entry ", i))
	}
	c := newCatalog(t)
	scan := func(build int, damaged bool) {
		pak := filepath.Join(t.TempDir(), "game.pak")
		pack(t, pak, "unrealpak", codecs.CreateOptions{}, append(files, "last", fmt.Sprint(build))...)
		if damaged {
			b, err := os.ReadFile(pak)
			if err != nil {
				t.Fatal(err)
			}
			write(t, pak, bytes.Replace(b, []byte("of the entry 17"), []byte("OF the entry 17"), 1))
		}
		c.mustScan(indexer.Options{Label: fmt.Sprint(build), Paths: []string{pak}})
		c.sameAsAlone(build, pak)
	}
	scan(1, false)
	scan(2, true)
	c.want("SELECT path, content IS NULL FROM entries WHERE build = '2' AND path = 'Game/17.bin'", "Game/17.bin|1")
	scan(3, true)
	c.want("SELECT build, count(*) FROM problems GROUP BY build ORDER BY build", "2|1", "3|1")
	scan(4, false)
}
