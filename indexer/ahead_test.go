package indexer_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/retropak"
	"pakdb/indexer"
)

// parts writes a pak of contents of unknown structure: each id with the ids
// that its content holds.
func parts(t *testing.T, path string, refs ...[]uint64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := retropak.Format().Create(f, &codecs.CreateOptions{Version: "MP3/DKCR"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refs {
		content := []byte("part")
		for _, id := range r[1:] {
			content = binary.BigEndian.AppendUint64(content, id)
		}
		err = errors.Join(err, w.Add(context.Background(), &codecs.Entry{Type: "PART", ID: codecs.ID64(r[0])}, bytes.NewReader(content)))
	}
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// retroRegistry counts how often paks are opened, and knows ids ahead or not.
func retroRegistry(ahead bool, opens *atomic.Int32) *codecs.Registry {
	r := all.Registry()
	for i, f := range r.Formats {
		if f.Name != "retropak" {
			continue
		}
		counting := *f
		counting.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
			opens.Add(1)
			return f.Open(ctx, src, o)
		}
		if !ahead {
			counting.EntrySpaces = nil
		}
		r.Formats[i] = &counting
	}
	return r
}

// TestSearchAhead makes the same builds with searches ahead and without: the
// catalogs are equal, and contents are read once where they can be.
func TestSearchAhead(t *testing.T) {
	const a, b, c, d = 0xa1a2a3a4a5a6a7a8, 0xb1b2b3b4b5b6b7b8, 0xc1c2c3c4c5c6c7c8, 0xd1d2d3d4d5d6d7d8
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	parts(t, file("1.pak"), []uint64{a, b, c, d}, []uint64{b, a, b})
	parts(t, file("2.pak"), []uint64{c, d})
	parts(t, file("1d.pak"), []uint64{b, a, b}, []uint64{a, b, c, d}, []uint64{d, a})
	builds := []struct {
		label string
		files []string
		opens [2]int32 // without, and ahead: each pak is opened to list it, and to read it
	}{
		{"one", []string{file("1.pak")}, [2]int32{1 + 1, 2}},
		// 1.pak is known, but not searched for c
		{"two", []string{file("1.pak"), file("2.pak")}, [2]int32{1 + 2, 2 + 1 + 1}},
		// the contents of 1d.pak are known, but not searched for d; it continues 1.pak, and what is
		// stored already is searched in the end
		{"three", []string{file("1d.pak")}, [2]int32{1 + 1, 2 + 1}},
		{"three again", []string{file("1d.pak")}, [2]int32{0, 0}},
	}
	var catalogs [2]catalog
	for i := range catalogs {
		catalogs[i] = newCatalog(t)
		for _, build := range builds {
			var opens atomic.Int32
			cat := catalogs[i].write()
			_, err := indexer.Run(context.Background(), indexer.Options{Catalog: cat, Registry: retroRegistry(i == 1, &opens),
				Paths: build.files, Label: build.label})
			if err := errors.Join(err, cat.Close()); err != nil {
				t.Fatal(err)
			}
			if got := opens.Load(); got != build.opens[i] {
				t.Errorf("ahead %v, build %s: paks opened %d times, want %d", i == 1, build.label, got, build.opens[i])
			}
		}
	}
	for _, query := range []string{
		"SELECT build, path, target, status, weak, seq FROM dependencies ORDER BY build, path, seq",
		"SELECT lower(hex(hash)), known FROM x_content_scan JOIN x_content USING (content_id) ORDER BY 1",
		"SELECT key, count(*) FROM x_ref_key GROUP BY key ORDER BY key",
	} {
		without, ahead := catalogs[0].rows(query), catalogs[1].rows(query)
		if !slices.Equal(without, ahead) || len(ahead) == 0 {
			t.Errorf("%s\nwithout %q\nahead   %q", query, without, ahead)
		}
	}
	catalogs[1].want("SELECT target FROM dependencies WHERE build = 'one' AND path LIKE '%a1a2a3a4a5a6a7a8' ORDER BY seq",
		"b1b2b3b4b5b6b7b8", "c1c2c3c4c5c6c7c8", "d1d2d3d4d5d6d7d8")
}
