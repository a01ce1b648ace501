package query_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/diff/semantic"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/blake3"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// file is an entry to be: its content is stored as it is.
type file struct{ path, content string }

// addBuild writes an archive of the format of format_test.go to disk and adds it to
// the catalog as a build of one archive.
func addBuild(t testing.TB, c *schema.Catalog, dir, label string, files []file) (location string) {
	t.Helper()
	ctx := context.Background()
	location = filepath.Join(dir, label+".tst")
	var data bytes.Buffer
	data.WriteString(magic)
	var entries []*schema.Entry
	for i, f := range files {
		offset := int64(data.Len() + 4)
		data.Write(record(f.content))
		entries = append(entries, &schema.Entry{
			Ordinal: int64(i), Name: f.path, Method: "none", Offset: offset,
			Stored: int64(len(f.content)), Size: int64(len(f.content)),
			HasContent: true, Content: blake3.Sum256([]byte(f.content)), ContentSize: int64(len(f.content)),
		})
	}
	if err := os.WriteFile(location, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(location)
	if err != nil {
		t.Fatal(err)
	}
	b, err := schematest.Begin(ctx, c, label)
	if err != nil {
		t.Fatal(err)
	}
	id := schematest.Start(t, b, schema.Archive{Size: st.Size(), ModTime: st.ModTime().UnixNano(),
		Quick: blake3.Sum256(data.Bytes()), Scan: "test", Format: "test", Version: "1"})
	for _, e := range entries {
		if err := b.Add(id, e); err != nil {
			t.Fatal(err)
		}
	}
	b.AddProblem(id, schema.Problem{Ordinal: 0, Path: files[0].path, Field: "size", Offset: 4, Cause: "made for a test"})
	b.EndArchive(id, nil)
	b.Mount(schema.Mount{Archive: id, Name: label + ".tst", Location: location})
	if _, err := b.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	return location
}

// the two builds of the small catalog
var (
	oldFiles = []file{
		{"Game/Maps/A.umap", "map a"},
		{"Game/Maps/B.umap", "map b"},
		{"Game/Text/en.txt", "\xef\xbb\xbfhello"},
		{"Game/Text/copy.txt", "\xef\xbb\xbfhello"},
		{"readme", "\x00binary"},
	}
	newFiles = []file{
		{"Game/Maps/A.umap", "map a, longer"},
		{"Game/Text/en.txt", "\xef\xbb\xbfhello"},
		{"Game/Text/wide.txt", "\xff\xfeh\x00i\x00"},
		{"Game/New/C.umap", strings.Repeat("c", 2000)},
		{"readme", "\x00binary"},
	}
)

// smallCatalog returns the path of a catalog of builds 1.48 and 1.52.
func smallCatalog(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "pakdb.db")
	c, err := schema.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	addBuild(t, c, dir, "1.48", oldFiles)
	addBuild(t, c, dir, "1.52", newFiles)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// openSmall opens the small catalog with its contents.
func openSmall(t testing.TB) *query.DB {
	t.Helper()
	path := smallCatalog(t)
	contents := query.NewContents(path, registry(), nil, nil)
	beside := schema.ReadLater(path)
	t.Cleanup(func() { _ = beside.Close() })
	db, err := query.Open(context.Background(), path, query.Options{Contents: contents, Functions: show.GraphFunctions(beside), Tables: semantic.Tables(beside)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = db.Close()
		_ = contents.Close()
	})
	return db
}

// run returns the output of an SQL text.
func run(t testing.TB, db *query.DB, text string, args query.Args, o query.Output) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	o.W = &buf
	err := db.Run(context.Background(), text, args, o)
	return buf.String(), err
}

// value returns the only value of an SQL text, as text; NULL is <null>.
func value(t testing.TB, db *query.DB, text string) string {
	t.Helper()
	s, err := run(t, db, text, query.Args{}, query.Output{Format: "tsv", NoHeader: true, Null: "<null>"})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return strings.TrimSuffix(s, "\n")
}

func hexOf(content string) string {
	d := blake3.Sum256([]byte(content))
	return hex.EncodeToString(d[:])
}

// golden compares got with a file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got, -update rewrites):\n%s", path, diff)
	}
}
