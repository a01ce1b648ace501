package indexer_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/objects"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// catalog is a catalog file and the scans into it.
type catalog struct {
	t      testing.TB
	path   string
	reader *reader
}

// reader is a catalog opened for reading, until somebody writes to it: to open it takes
// longer than most queries of tests. nil: it is not open.
type reader struct{ db *sql.DB }

func (r *reader) close() {
	if r.db != nil {
		_ = r.db.Close()
		r.db = nil
	}
}

func newCatalog(t testing.TB) catalog { return catalogAt(t, filepath.Join(t.TempDir(), "pakdb.db")) }

func catalogAt(t testing.TB, path string) catalog {
	c := catalog{t, path, &reader{}}
	t.Cleanup(c.reader.close)
	return c
}

// write opens the catalog for writing.
func (c catalog) write() *schema.Catalog {
	c.t.Helper()
	c.reader.close()
	cat, err := schema.Open(context.Background(), c.path)
	if err != nil {
		c.t.Fatal(err)
	}
	return cat
}

func (c catalog) scan(o indexer.Options) (*indexer.Report, error) {
	c.t.Helper()
	return c.scanContext(context.Background(), o)
}

func (c catalog) scanContext(ctx context.Context, o indexer.Options) (*indexer.Report, error) {
	c.t.Helper()
	cat := c.write()
	defer func() {
		if err := cat.Close(); err != nil {
			c.t.Error(err)
		}
	}()
	o.Catalog, o.Registry = cat, all.Registry()
	return indexer.Run(ctx, o)
}

func (c catalog) mustScan(o indexer.Options) *indexer.Report {
	c.t.Helper()
	r, err := c.scan(o)
	if err != nil {
		c.t.Fatal(err)
	}
	return r
}

// rows returns the result of a query, a line a row, columns separated by bars.
func (c catalog) rows(query string, args ...any) (lines []string) {
	c.t.Helper()
	if strings.Contains(query, "offset") { // which plain SQL does not have
		for _, row := range schematest.Ask(c.t, c.path, query, args...) {
			line := make([]string, len(row))
			for i, v := range row {
				if line[i] = fmt.Sprint(v); v == nil {
					line[i] = ""
				}
			}
			lines = append(lines, strings.Join(line, "|"))
		}
		return lines
	}
	if c.reader.db == nil {
		db, err := schema.OpenReadOnly(context.Background(), c.path)
		if err != nil {
			c.t.Fatal(err)
		}
		c.reader.db = db
	}
	rows, err := c.reader.db.Query(query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	values := make([]sql.NullString, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			c.t.Fatal(err)
		}
		line := make([]string, len(values))
		for i, v := range values {
			line[i] = v.String
		}
		lines = append(lines, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return lines
}

func (c catalog) want(query string, want ...string) {
	c.t.Helper()
	if got := c.rows(query); !slices.Equal(got, want) {
		c.t.Errorf("%s\ngot  %q\nwant %q", query, got, want)
	}
}

func fixture(t testing.TB, name string) string {
	return filepath.Join(codecstest.ModuleRoot(t), "testdata", name)
}

// folder copies files of testdata into a new folder.
func folder(t testing.TB, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		b, err := os.ReadFile(fixture(t, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), b)
	}
	return dir
}

func write(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestBothDatabaseKindsHoldTheSameContents(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "1.5", Paths: []string{codecstest.Sample(t, "gpak", "mu_cdata_1.5.sip")}})
	c.mustScan(indexer.Options{Label: "1.6", Paths: []string{codecstest.Sample(t, "gpak", "mu_cdata_1.6.sip")}})
	c.want(`SELECT count(*) FROM (SELECT path, content FROM entries WHERE build = '1.5'
		EXCEPT SELECT path, content FROM entries WHERE build = '1.6')`, "0")
	c.want("SELECT DISTINCT build, method FROM entries ORDER BY build", "1.5|none", "1.6|lz4")
	c.want("SELECT count(*) FROM entries WHERE content IS NULL", "0")
	c.want("SELECT count(*) > 0, min(build_count), max(build_count) FROM contents", "1|2|2")
}

func TestUnchangedArchivesAreReused(t *testing.T) {
	c := newCatalog(t)
	dir := folder(t, "Calligraphy.sip", "mu_cdata_1.6.sip")
	first := c.mustScan(indexer.Options{Paths: []string{dir}})
	again := c.mustScan(indexer.Options{Paths: []string{dir}})
	if again.Reused != 2 || again.Entries != first.Entries || again.Size != first.Size || again.Stored != first.Stored {
		t.Errorf("again: %+v\nfirst: %+v", again, first)
	}
	forced := c.mustScan(indexer.Options{Paths: []string{dir}, Force: true})
	if forced.Reused != 0 || forced.Entries != first.Entries {
		t.Errorf("forced: %+v", forced)
	}
	// A copy in another folder, with another time, is the same archive.
	copied := c.mustScan(indexer.Options{Paths: []string{folder(t, "Calligraphy.sip")}, Label: "copy"})
	if copied.Reused != 1 {
		t.Errorf("copy: %+v", copied)
	}
	c.want("SELECT count(*) FROM x_archive", "2")
}

func TestChangedArchiveIsScannedAgain(t *testing.T) {
	c := newCatalog(t)
	dir := folder(t, "Calligraphy.sip", "mu_cdata_1.6.sip")
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
	b, err := os.ReadFile(fixture(t, "Calligraphy_next.sip"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "Calligraphy.sip"), b)
	r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
	if r.Reused != 1 || r.Archives != 2 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT count(*), count(DISTINCT build) FROM archives", "2|1")
}

// TestUnnoticedChange holds what index --help says: a large file that was
// patched between the samples, and got its old time back, needs Force.
func TestUnnoticedChange(t *testing.T) {
	c := newCatalog(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "large.bin")
	content := make([]byte, 4<<20)
	times := time.Unix(1717986918, 0)
	scan := func(o indexer.Options) *indexer.Report {
		t.Helper()
		write(t, path, content)
		if err := os.Chtimes(path, times, times); err != nil {
			t.Fatal(err)
		}
		o.Paths, o.Label = []string{dir}, "x"
		return c.mustScan(o)
	}
	scan(indexer.Options{})
	content[300<<10] = 1 // behind the first end and the first sample
	if r := scan(indexer.Options{}); r.Reused != 1 {
		t.Errorf("patched, same time: %+v, want reused", r)
	}
	if r := scan(indexer.Options{Force: true}); r.Reused != 0 {
		t.Errorf("Force: %+v", r)
	}
	content[300<<10], times = 2, times.Add(time.Second)
	if r := scan(indexer.Options{}); r.Reused != 0 {
		t.Errorf("patched, another time: %+v, want scanned", r)
	}
}

// TestDamageIsAFinding: the rest of the scan goes on.
func TestDamageIsAFinding(t *testing.T) {
	c := newCatalog(t)
	dir := folder(t, "Calligraphy.sip", "damaged.sip")
	whole, err := os.ReadFile(fixture(t, "Calligraphy.sip"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "cut.sip"), whole[:50])
	write(t, filepath.Join(dir, "notes.txt"), []byte("not an archive"))
	write(t, filepath.Join(dir, "empty"), nil)
	r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
	if r.Problems == 0 || r.Archives != 5 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT archive, format FROM archives ORDER BY archive",
		"Calligraphy.sip|gpak", "cut.sip|gpak", "damaged.sip|gpak", "empty|loose", "notes.txt|loose")
	c.want("SELECT DISTINCT archive FROM problems ORDER BY archive", "cut.sip", "damaged.sip")
	c.want("SELECT problem_count = (SELECT count(*) FROM problems) FROM builds", "1")
	c.want("SELECT count(*) FROM entries WHERE archive = 'damaged.sip' AND content IS NULL", "1")
}

func TestLooseFiles(t *testing.T) {
	c := newCatalog(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/x.TXT"), []byte("one"))
	write(t, filepath.Join(dir, "b/x.TXT"), []byte("one"))
	write(t, filepath.Join(dir, "large.bin"), []byte(strings.Repeat("0123456789", 1<<20)))
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
	c.want("SELECT archive, path, ext, size, method FROM entries ORDER BY archive",
		"a/x.TXT|a/x.TXT|txt|3|none", "b/x.TXT|b/x.TXT|txt|3|none", "large.bin|large.bin|bin|10485760|none")
	c.want("SELECT copies, wasted FROM duplicates", "2|3")
	c.want("SELECT count(*) FROM archives JOIN entries USING (build, archive) WHERE digest = content", "3")
}

func TestStore(t *testing.T) {
	c := newCatalog(t)
	c.mustScan(indexer.Options{Paths: []string{fixture(t, "Calligraphy.sip")}, Label: "x", Store: objects.For(c.path)})
	for _, content := range c.rows("SELECT content FROM entries") {
		if st, err := os.Stat(filepath.Join(c.path+objects.Suffix, content[:2], content[2:]+".zst")); err != nil || st.Size() == 0 {
			t.Errorf("%s is not in the store: %v", content, err)
		}
	}
}

func TestNothingToScan(t *testing.T) {
	c := newCatalog(t)
	if _, err := c.scan(indexer.Options{Paths: []string{t.TempDir()}}); !errors.Is(err, indexer.ErrNoFiles) {
		t.Errorf("empty folder: %v", err)
	}
	for _, path := range []string{"/nowhere/at/all", "/nowhere/*.sip"} {
		if _, err := c.scan(indexer.Options{Paths: []string{path}}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestInterrupt: an interrupted scan leaves no build, and the next run completes
// it with the rows of an undisturbed scan.
func TestInterrupt(t *testing.T) {
	dir := folder(t, "Calligraphy.sip", "Calligraphy_next.sip", "mu_cdata_1.5.sip", "mu_cdata_1.6.sip")
	whole := newCatalog(t)
	whole.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
	const dump = "SELECT archive, ordinal, path, content, size, kind FROM entries ORDER BY archive, ordinal"
	want := whole.rows(dump)
	for _, after := range []int64{0, 1, 20, 60} { // entries that are opened
		c := newCatalog(t)
		ctx, cancel := context.WithCancel(t.Context())
		var opened atomic.Int64
		registry := all.Registry()
		registry.Formats = slices.Clone(registry.Formats)
		for i, f := range registry.Formats {
			stopping := *f
			stopping.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
				a, err := f.Open(ctx, src, o)
				if err == nil {
					a = counted{a, func() {
						if opened.Add(1) > after {
							cancel()
						}
					}}
				}
				return a, err
			}
			registry.Formats[i] = &stopping
		}
		cat := c.write()
		_, err := indexer.Run(ctx, indexer.Options{Paths: []string{dir}, Label: "x", Catalog: cat, Registry: registry})
		if err := cat.Close(); err != nil {
			t.Error(err)
		}
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("after %d entries: %v", after, err)
		}
		c.want("SELECT count(*) FROM builds", "0")
		c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"})
		if got := c.rows(dump); !slices.Equal(got, want) {
			t.Errorf("after %d entries: the rows differ", after)
		}
		c.want("PRAGMA integrity_check", "ok")
	}
}

// counted calls a function before it opens an entry.
type counted struct {
	codecs.Archive
	before func()
}

func (a counted) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	a.before()
	return a.Archive.Open(ctx, e)
}

// TestSamples compares whole scans with the truth about other people's files.
func TestSamples(t *testing.T) {
	var truth map[string]struct {
		Entries json.RawMessage
	}
	b, err := os.ReadFile(codecstest.Sample(t, "gpak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &truth); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t)
	const large = "Calligraphy_1.10_names.sip"
	paths, err := filepath.Glob(codecstest.Sample(t, "gpak") + "/*.sip")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == large })
	r := c.mustScan(indexer.Options{Paths: paths, Label: "x", Workers: 8})
	if r.Archives != 7 {
		t.Errorf("%+v", r)
	}
	if testkit.Deep() {
		c.mustScan(indexer.Options{Paths: []string{codecstest.Sample(t, "gpak", large)}, Label: "1.10", Workers: 8})
	}
	for name, file := range truth {
		if name == large && !testkit.Deep() {
			continue
		}
		var entries []struct{ Path string }
		if json.Unmarshal(file.Entries, &entries) != nil {
			continue // a number, or not a file
		}
		var want []string
		for _, e := range entries {
			want = append(want, e.Path)
		}
		slices.Sort(want)
		if got := c.rows("SELECT path FROM entries WHERE archive = ? ORDER BY path", name); !slices.Equal(got, want) {
			t.Errorf("%s: paths differ from the truth", name)
		}
	}
	c.want("SELECT DISTINCT archive FROM problems WHERE archive LIKE 'BROKEN%' ORDER BY 1", "BROKEN_lz4.sip", "BROKEN_truncated_table.sip")
	c.want("SELECT count(*) FROM problems WHERE archive LIKE 'BROKEN%'", "2")
	if testkit.All() {
		paths = append(paths, codecstest.Sample(t, "gpak", large))
	}
	if testkit.Deep() {
		checkSameDump(t, newCatalog(t).dumpOfScan(1, paths...), newCatalog(t).dumpOfScan(8, paths...))
		calligraphySample(c)
	}
}

// calligraphySample checks the counts that the sample was built to have.
func calligraphySample(c catalog) {
	c.t.Helper()
	c.want("SELECT entry_count FROM archives WHERE archive = 'Calligraphy_1.10_names.sip'", "25619")
	c.want("SELECT sum(size) FROM entries WHERE archive = 'Calligraphy_1.10_names.sip'", "7674230")
	c.want("SELECT kind, count(*) FROM calligraphy_records WHERE build = '1.10' GROUP BY kind ORDER BY kind",
		"asset_type|164", "blueprint|2599", "curve|1611", "prototype|21240")
	c.want("SELECT count(*) FROM calligraphy_records WHERE build = '1.10' AND kind = 'prototype' AND path LIKE '%.defaults'", "2599")
	c.want("SELECT count(*) FROM calligraphy_replacements WHERE build = '1.10'", "343")
	c.want(`SELECT count(*) FILTER (WHERE kind IN ('parent', 'embedded_parent', 'asset', 'curve', 'prototype', 'asset_type', 'string')),
		count(*) FILTER (WHERE kind = 'declared_by'), count(*) FILTER (WHERE kind <> 'string' AND status <> 'resolved')
		FROM dependencies WHERE build = '1.10'`, "149128|39881|0")
	c.want(fmt.Sprintf(`SELECT count(*) > 3000, sum(field IS NULL), sum(blueprint IS NULL) FROM calligraphy_fields
		WHERE build = '1.10' AND path_id %% %d = 0`, testkit.Of(32, 1)), "1|0|0")
	c.want("SELECT count(*) FROM problems WHERE build = '1.10'", "0")
}

// TestRetroSamples: dependencies are sets there, by parsing or by search.
func TestRetroSamples(t *testing.T) {
	var truth map[string]struct {
		Entries []struct {
			Index int
			ID    string
			Deps  []struct{ Type, ID string }
		}
		Named []struct{ Name, Type, ID string }
	}
	b, err := os.ReadFile(codecstest.Sample(t, "retro-pak", "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &truth); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mp1_small.pak", "mp3_small.pak", "mp3_small_v2.pak"} {
		c := newCatalog(t)
		c.mustScan(indexer.Options{Paths: []string{codecstest.Sample(t, "retro-pak", name)}, Label: "x"})
		for _, e := range truth[name].Entries {
			var want []string
			for _, d := range e.Deps {
				want = append(want, strings.ToLower(strings.Repeat("0", 16-len(d.ID))+d.ID))
			}
			slices.Sort(want)
			want = slices.Compact(want)
			got := c.rows(`SELECT DISTINCT d.target FROM dependencies d JOIN entries e USING (build, archive_id, path_id)
				WHERE e.ordinal = ? ORDER BY 1`, e.Index)
			if !slices.Equal(got, want) {
				t.Errorf("%s %d: refers to %q, want %q", name, e.Index, got, want)
			}
		}
		var want []string
		for _, n := range truth[name].Named {
			want = append(want, n.Name+"|"+n.Type+"|"+strings.ToLower(n.ID))
		}
		if got := c.rows("SELECT name, type, asset_id FROM named_resources ORDER BY ordinal"); !slices.Equal(got, want) {
			t.Errorf("%s: names %q, want %q", name, got, want)
		}
	}
}

func hexDigest(b []byte) string {
	sum := blake3.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The resources of an embedded browser are files like others; what only looks
// like them stays a problem.
func TestBrowserResources(t *testing.T) {
	le := binary.LittleEndian
	pak := le.AppendUint32(le.AppendUint32(nil, 5), 1)
	pak = append(pak, 1, 0, 0, 0) // a resource, no alias
	pak = le.AppendUint32(le.AppendUint16(pak, 7), 24)
	pak = le.AppendUint32(le.AppendUint16(pak, 0), 29)
	pak = append(pak, "hello"...)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cef.pak"), pak)
	write(t, filepath.Join(dir, "cut.pak"), pak[:26])
	c := newCatalog(t)
	if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "b"}); r.Archives != 2 || r.Problems != 1 {
		t.Errorf("%+v", r)
	}
	c.want("SELECT path, format FROM entries JOIN archives USING (build, archive) ORDER BY 1", "cef.pak|loose", "cut.pak|loose")
	c.want("SELECT archive FROM problems", "cut.pak")
}
