package indexer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/retropak"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	gen "pakdb/testdata/gen/fixture"
)

// generated writes the generator's pak of a version into dir.
func generated(t testing.TB, dir, version string) (path string) {
	t.Helper()
	path = filepath.Join(dir, strings.ReplaceAll(version, "/", "-")+".pak")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(gen.Retro(f, version), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// paddedOf lists, by ordinal, the hash of every content filled up to align with
// 0xFF.
func paddedOf(t testing.TB, path string, align int) (sums []string) {
	t.Helper()
	a := codecstest.Open(t, retropak.Format(), codecstest.OpenFile(t, path), nil)
	for _, it := range codecstest.Items(t, a) {
		for len(it.Data)%align != 0 {
			it.Data = append(it.Data, 0xff)
		}
		sums = append(sums, hexDigest(it.Data))
	}
	return sums
}

// A content that is stored compressed in one place and as it is in another has
// two hashes; filled up, it has one.
func TestPaddedContents(t *testing.T) {
	testkit.NotShort(t)
	for version, align := range map[string]int{"MP1": 32, "MP2": 32, "MP3-E3": 32, "MP3": 64, "DKCR": 64} {
		t.Run(version, func(t *testing.T) {
			path := generated(t, t.TempDir(), version)
			c := newCatalog(t)
			c.mustScan(indexer.Options{Paths: []string{path}, Label: "x"})
			want := paddedOf(t, path, align)
			if got := c.rows("SELECT padded_content FROM entries ORDER BY ordinal"); !slices.Equal(got, want) {
				t.Errorf("filled up\ngot  %q\nwant %q", got, want)
			}
			c.want("SELECT count(DISTINCT content), count(DISTINCT padded_content) FROM entries WHERE type = 'TXTR' AND ordinal < 6", "2|1")
		})
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{fixture(t, "Calligraphy.sip")}, Label: "x"})
	c.want("SELECT count(*) FROM entries WHERE padded_content IS NOT NULL", "0")
}

// Contents that are too large to be held go another way, with the same result.
func TestPaddedContentsThatAreLarge(t *testing.T) {
	testkit.NotShort(t)
	path := filepath.Join(t.TempDir(), "a.pak")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := retropak.Format().Create(f, &codecs.CreateOptions{Version: "MP1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{5<<20 + 1, 5 << 20} { // the first needs fill
		data := bytes.Repeat([]byte{'x'}, size)
		e := &codecs.Entry{Type: "TXTR", ID: codecs.ID32(uint32(size)), Stored: int64(size)}
		err = errors.Join(err, w.Add(context.Background(), e, bytes.NewReader(data)),
			w.AddRaw(context.Background(), e, bytes.NewReader(data)))
	}
	if err := errors.Join(err, w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{path}, Label: "x"})
	want := paddedOf(t, path, 32)
	if got := c.rows("SELECT padded_content FROM entries ORDER BY ordinal"); !slices.Equal(got, want) {
		t.Errorf("filled up\ngot  %q\nwant %q", got, want)
	}
	c.want("SELECT ordinal, content = padded_content, method FROM entries ORDER BY ordinal", "0|0|zlib", "1|1|none", "2|1|zlib", "3|1|none")
}

// TestRetroSampleDiff compares two builds as the makers of the samples did.
func TestRetroSampleDiff(t *testing.T) {
	var truth map[string]json.RawMessage
	b, err := os.ReadFile(codecstest.Sample(t, "retro-pak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		ContentChanged    []string `json:"content_changed"`
		RestoredOtherwise []string `json:"same_content_restored_differently"`
	}
	if err := errors.Join(json.Unmarshal(b, &truth), json.Unmarshal(truth["_diff mp3_small.pak -> mp3_small_v2.pak"], &want)); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{codecstest.Sample(t, "retro-pak", "mp3_small.pak")}, Label: "1"})
	c.mustScan(indexer.Options{Paths: []string{codecstest.Sample(t, "retro-pak", "mp3_small_v2.pak")}, Label: "2"})
	// What was stored otherwise is equal when filled up, though not as it reads:
	// the group of ids lost its fill.
	const pairs = `SELECT upper(o.asset_id)
		FROM (SELECT asset_id, content, padded_content, min(ordinal) FROM entries WHERE build = '1' GROUP BY asset_id) o
		JOIN (SELECT asset_id, content, padded_content, min(ordinal) FROM entries WHERE build = '2' GROUP BY asset_id) n
		USING (asset_id) WHERE `
	slices.Sort(want.ContentChanged)
	if got := c.rows(pairs + "o.padded_content <> n.padded_content ORDER BY 1"); !slices.Equal(got, want.ContentChanged) {
		t.Errorf("changed: %q, want %q", got, want.ContentChanged)
	}
	c.want(pairs+"o.padded_content = n.padded_content AND o.content <> n.content", "20D0D2C44CA31AFE")
	if same := c.rows(pairs + "o.padded_content = n.padded_content"); slices.ContainsFunc(want.RestoredOtherwise,
		func(id string) bool { return !slices.Contains(same, id) }) {
		t.Errorf("equal: %q, and %q are not all among them", same, want.RestoredOtherwise)
	}
}
