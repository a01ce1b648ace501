package indexer_test

import (
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/indexer"
)

const ioFixtures = "iostore/cue4parse-ue5.8"

// container copies one of the three twins, or what is beside them, into a new
// folder, without the files that without names.
func container(t testing.TB, without string, elem ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := codecstest.Sample(t, append([]string{ioFixtures}, elem...)...)
	base := path[:len(path)-len(filepath.Ext(path))]
	for _, ext := range []string{".utoc", ".ucas"} {
		if ext == without {
			continue
		}
		b, err := os.ReadFile(base + ext)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(base)+ext), b)
	}
	return dir
}

func twin(t testing.TB, kind, without string) string {
	return container(t, without, kind, "CUE4ParseFixtures-Minimal-"+kind+"-Windows.utoc")
}

// The .ucas of a container is no archive of its own.
func TestPartsAreNoArchives(t *testing.T) {
	dir := twin(t, "Zlib", "")
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Archives != 1 || r.Entries != 112 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT DISTINCT format FROM archives", "iostore")
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 1 {
		t.Errorf("again: %+v", r)
	}
	ucas, err := filepath.Glob(filepath.Join(dir, "*.ucas"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.scan(indexer.Options{Paths: ucas, Label: "c"}); err == nil {
		t.Error("a .ucas alone is a build")
	}
}

// The contents of the three twins are known by the TOC alone, and a full scan
// fills in what the quick one left open: its hashes begin with what the TOC
// states.
func TestContentsStatedByTheTOC(t *testing.T) {
	c := newCatalog(t)
	for _, kind := range []string{"Uncompressed", "Zlib", "Oodle"} {
		r := c.mustScan(indexer.Options{Paths: []string{twin(t, kind, "")}, Label: kind, Quick: true})
		if r.Skimmed != 112 || r.Problems != 0 {
			t.Errorf("%s: %+v", kind, r)
		}
	}
	c.want("SELECT count(*), min(length(content)), max(length(content)) FROM entries", "336|40|40")
	c.want(`SELECT count(*), sum(same = 1) FROM (SELECT count(DISTINCT content) AS same FROM entries
		GROUP BY asset_id HAVING count(*) = 3)`, "111|111")
	c.want("SELECT count(*), sum(substr(content, 1, 40) = sum) FROM sums JOIN contents USING (content_id)", "336|336")

	c.mustScan(indexer.Options{Paths: []string{twin(t, "Zlib", "")}, Label: "full"})
	c.want("SELECT length(content), count(*) FROM contents GROUP BY 1 ORDER BY 1", "40|2", "64|110") // of 112 chunks, two hold what others do
	c.want("SELECT count(*) FROM entries e JOIN sums USING (build, ordinal) WHERE build = 'full' AND substr(e.content, 1, 40) = sum", "112")
	c.want(`SELECT count(*) FROM entries q JOIN entries f ON f.asset_id = q.asset_id AND f.content = q.content
		WHERE q.build = 'Zlib' AND f.build = 'full'`, "112")
	c.want("SELECT count(*) FROM packages WHERE build = 'Oodle'", "97") // facts belong to contents
	if r := c.mustScan(indexer.Options{Paths: []string{twin(t, "Oodle", "")}, Label: "Oodle"}); r.Problems != 0 || r.Skimmed != 0 {
		t.Errorf("full scan of Oodle: %+v", r)
	}
	c.want("SELECT count(*) FROM entries WHERE build = 'Oodle' AND length(content) = 64", "112")
}

// A container whose .ucas is absent is known by its hashes, and read when the
// file is there.
func TestContainerWithoutContents(t *testing.T) {
	dir := twin(t, "Zlib", ".ucas")
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Skimmed != 112 || r.Problems != 0 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT count(*), max(length(content)) FROM entries", "112|40")
	for _, quick := range []bool{false, true} {
		if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b", Quick: quick}); r.Reused != 1 {
			t.Errorf("again: %+v", r)
		}
	}
	b, err := os.ReadFile(codecstest.Sample(t, ioFixtures, "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"), b)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 0 || r.Skimmed != 0 || r.Problems != 0 {
		t.Errorf("with the .ucas: %+v", r)
	}
	c.want("SELECT count(*), min(length(content)) FROM entries", "112|64")
	write(t, filepath.Join(dir, "CUE4ParseFixtures-Minimal-Zlib-Windows.ucas"), b[:len(b)/2])
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Reused != 0 || r.Problems == 0 {
		t.Errorf("with half of the .ucas: %+v", r)
	}
}
