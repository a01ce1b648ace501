package schema_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

func newCatalog(t testing.TB) (*schema.Catalog, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return c, path
}

func digest(n int) (d schema.Digest) {
	binary.LittleEndian.PutUint64(d[:], uint64(n)*0x9e3779b97f4a7c15)
	return d
}

func entry(n int) *schema.Entry {
	return &schema.Entry{
		Ordinal: int64(n), Name: fmt.Sprintf("Dir%d/File%d.Ext", n/100, n), Method: "lz4",
		Offset: int64(n) * 100, Stored: 50, Size: 100, HasTime: true, ModTime: 1717986918,
		HasPathHash: true, PathHash: uint64(n) << 40, HasContent: true, Content: digest(n), ContentSize: 100,
	}
}

// writeBuild writes one archive of the given entries.
func writeBuild(t testing.TB, c *schema.Catalog, label string, entries []*schema.Entry) {
	t.Helper()
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, label)
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: 1, Quick: digest(len(entries)), Scan: "s", Format: "test"})
	for _, e := range entries {
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a.sip", Location: "/a.sip"})
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
}

func readDB(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := schema.OpenReadOnly(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func scan[T any](t testing.TB, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(query, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

func TestBuildIsVisibleWhenFinished(t *testing.T) {
	c, path := newCatalog(t)
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Format: "test"})
	if err := b.Add(id, entry(1)); err != nil {
		t.Fatal(err)
	}
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a.sip"})
	db := readDB(t, path)
	if n := scan[int](t, db, "SELECT count(*) FROM builds"); n != 0 {
		t.Errorf("%d builds before Finish", n)
	}
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if n := scan[int](t, db, "SELECT entry_count FROM builds WHERE build = 'one'"); n != 1 {
		t.Errorf("entry_count %d, want 1", n)
	}
	_ = db.Close()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(path + "*")
	if len(files) != 1 {
		t.Errorf("files after Close: %v, want the catalog alone", files)
	}
}

func TestPathsAndContentsAreStoredOnce(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	var first, second []*schema.Entry
	for n := range 1000 {
		first = append(first, entry(n))
	}
	for n := range 1001 {
		second = append(second, entry(n))
	}
	writeBuild(t, c, "one", first)
	writeBuild(t, c, "two", second)
	db := readDB(t, path)
	for query, want := range map[string]int{
		"SELECT count(*) FROM x_path":                     1001,
		"SELECT count(*) FROM x_path_key":                 1001,
		"SELECT count(*) FROM x_content":                  1001,
		"SELECT count(*) FROM x_content_key":              1001,
		"SELECT count(*) FROM entries":                    2001,
		"SELECT count(DISTINCT path) FROM entries":        1001,
		"SELECT count(*) FROM contents":                   1001,
		"SELECT sum(build_count) FROM contents":           2001,
		"SELECT count(*) FROM entries WHERE ext = 'ext'":  2001,
		"SELECT count(*) FROM entries WHERE dir = 'Dir3'": 200,
	} {
		if n := scan[int](t, db, query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
	if p := scan[string](t, db, "SELECT path FROM entries WHERE build = 'two' AND ordinal = 1000"); p != "Dir10/File1000.Ext" {
		t.Errorf("path %q", p)
	}
}

func TestReplaceBuild(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	writeBuild(t, c, "one", []*schema.Entry{entry(1), entry(2)})
	writeBuild(t, c, "one", []*schema.Entry{entry(3)})
	db := readDB(t, path)
	if n := scan[int](t, db, "SELECT count(*) FROM builds"); n != 1 {
		t.Errorf("%d builds, want 1", n)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM x_entry"); n != 1 {
		t.Errorf("%d entries, want 1: the old archive is gone", n)
	}
}

func TestRemove(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	writeBuild(t, c, "one", []*schema.Entry{entry(1), entry(2)})
	writeBuild(t, c, "two", []*schema.Entry{entry(2), entry(3), entry(4)})
	if err := c.Remove(context.Background(), "one", "none"); !errors.Is(err, schema.ErrNoBuild) {
		t.Fatalf("remove an absent build: %v", err)
	}
	if err := c.Remove(context.Background(), "one"); err != nil {
		t.Fatal(err)
	}
	db := readDB(t, path)
	for _, table := range []string{"x_entry", "x_path", "x_path_key", "x_content", "x_content_key"} {
		if n := scan[int](t, db, "SELECT count(*) FROM "+table); n != 3 {
			t.Errorf("%s: %d rows, want 3", table, n)
		}
	}
}

func TestSecondWriterIsRefused(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	if _, err := schema.Open(context.Background(), path); !errors.Is(err, schema.ErrBusy) {
		t.Errorf("second Open: %v, want ErrBusy", err)
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, []byte("this is not a database, and must stay as it is"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := schema.Open(context.Background(), path); !errors.Is(err, schema.ErrNotCatalog) {
		t.Errorf("Open: %v, want ErrNotCatalog", err)
	}
	if _, err := schema.OpenReadOnly(context.Background(), path); !errors.Is(err, schema.ErrNotCatalog) {
		t.Errorf("OpenReadOnly: %v, want ErrNotCatalog", err)
	}
}

func TestAbandonedArchivesAreKnown(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	done := schematest.Start(t, b, schema.Archive{Size: 7, ModTime: 8, Quick: digest(1), Scan: "s"})
	_ = b.Add(done, entry(1))
	b.EndArchive(done, nil)
	open := schematest.Start(t, b, schema.Archive{Size: 7, ModTime: 8, Quick: digest(2), Scan: "s"})
	_ = b.Add(open, entry(2))
	if err := b.Abandon(); err != nil {
		t.Fatal(err)
	}
	b, err = schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	if k, err := b.Known(ctx, 7, 8, digest(1), "s"); len(k) != 1 || k[0].Archive != done || k[0].ModTime != 8 || k[0].Entries != 1 || err != nil {
		t.Errorf("completed archive: %+v %v", k, err)
	}
	for name, q := range map[string]struct {
		quick schema.Digest
		scan  string
	}{"unfinished": {digest(2), "s"}, "other scan": {digest(1), "t"}} {
		if k, _ := b.Known(ctx, 7, 8, q.quick, q.scan); len(k) != 0 {
			t.Errorf("%s archive is known", name)
		}
	}
	b.Mount(schema.Mount{Archive: done, Name: "a"})
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if n := scan[int](t, readDB(t, path), "SELECT count(*) FROM x_entry"); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}

// Whether an archive of the same build is in the catalog yet depends on how
// fast its writer is. It must not depend on that which archives are reused.
func TestArchivesOfTheSameBuildAreNotKnown(t *testing.T) {
	c, _ := newCatalog(t)
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	b, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: 7, ModTime: 8, Quick: digest(1), Scan: "s"})
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: "a"})
	if _, err := b.Targets(ctx); err != nil { // which writes what there is
		t.Fatal(err)
	}
	if k, err := b.Known(ctx, 7, 8, digest(1), "s"); len(k) > 0 || err != nil {
		t.Errorf("in the same build: %+v, %v, want none", k, err)
	}
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if b, err = schematest.Begin(ctx, c, "two"); err != nil {
		t.Fatal(err)
	}
	if k, err := b.Known(ctx, 7, 8, digest(1), "s"); len(k) != 1 || err != nil {
		t.Errorf("in the next build: %+v, %v, want one", k, err)
	}
	if err := b.Abandon(); err != nil {
		t.Error(err)
	}
}

// problemsCounted checks that every build counts the problems that it has.
func problemsCounted(t *testing.T, path string, when any, want int) {
	t.Helper()
	db := readDB(t, path)
	if n := scan[int](t, db, "SELECT count(*) FROM builds b WHERE problem_count <> (SELECT count(*) FROM problems p WHERE p.build = b.build)"); n != 0 {
		t.Errorf("%v: %d builds count other problems than they have", when, n)
	}
	if n := scan[int](t, db, "SELECT sum(problem_count) FROM builds"); n != want {
		t.Errorf("%v: %d problems, want %d", when, n, want)
	}
}

// A newer inspector may find other problems in a content that older builds hold
// as well: their counts go with the view, also when the newer build is given up.
func TestProblemCountsFollowTheFacts(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	copies := func(revision, problems int) []*schema.Entry {
		e, again := entry(1), entry(2)
		again.Content = e.Content
		e.Facts = &schema.Facts{Inspector: fmt.Sprintf("i/%d", revision), Kind: "k", Problems: make([]schema.Problem, problems)}
		return []*schema.Entry{e, again}
	}
	for i, problems := range []int{1, 0, 3} {
		writeBuild(t, c, fmt.Sprintf("build%d", i), copies(i, problems))
		problemsCounted(t, path, i, 2*problems*(i+1))
	}
	b, err := schematest.Begin(context.Background(), c, "abandoned")
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Format: "test"})
	for _, e := range copies(4, 2) {
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Abandon(); err != nil {
		t.Fatal(err)
	}
	problemsCounted(t, path, "abandoned", 2*2*3)
}

// A content that a quick scan left open may bring problems when it is known.
func TestProblemCountsOfLinkedContents(t *testing.T) {
	c, path := newCatalog(t)
	defer func() { _ = c.Close() }()
	claimed, read := entry(1), entry(1)
	claimed.Sum, claimed.Claimed, claimed.HasContent = []byte("sum"), true, false
	read.Sum = claimed.Sum
	read.Facts = &schema.Facts{Inspector: "i/1", Kind: "k", Problems: make([]schema.Problem, 2)}
	writeBuild(t, c, "quick", []*schema.Entry{claimed})
	problemsCounted(t, path, "quick", 0)
	writeBuild(t, c, "full", []*schema.Entry{read})
	problemsCounted(t, path, "full", 4)
}

// BenchmarkWriter measures the catalog writer alone: b.N entries, each with a
// path and a content of its own.
func BenchmarkWriter(b *testing.B) {
	c, _ := newCatalog(b)
	defer func() { _ = c.Close() }()
	ctx := context.Background()
	build, err := schematest.Begin(ctx, c, "one")
	if err != nil {
		b.Fatal(err)
	}
	id := schematest.Start(b, build, schema.Archive{Format: "test"})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		e := entry(n)
		e.Name = benchmarkName(n)
		if err := build.Add(id, e); err != nil {
			b.Fatal(err)
		}
		n++
	}
	build.EndArchive(id, nil)
	build.Mount(schema.Mount{Archive: id})
	if _, err := build.Finish(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "entries/s")
}
