package indexer_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// dump is every row of every table in stored order, without what the clock
// says.
func (c catalog) dump() []string {
	c.t.Helper()
	var lines []string
	for _, table := range c.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'x_seal' ORDER BY name") {
		columns := c.rows("SELECT name FROM pragma_table_info(?) WHERE name <> 'created_at'", table)
		for i, column := range columns {
			columns[i] = "quote(" + column + ")"
		}
		for _, row := range c.rows("SELECT " + strings.Join(columns, ", ") + " FROM " + table) {
			lines = append(lines, table+": "+row)
		}
	}
	return lines
}

// copies is a folder that holds the same contents many times: in archives, and
// as files of their own, all of one time.
func copies(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"b", "a", "c"} {
		dir := filepath.Join(root, name)
		if err := os.CopyFS(dir, os.DirFS(folder(t, "Calligraphy.sip", "Calligraphy_next.sip", "damaged.sip"))); err != nil {
			t.Fatal(err)
		}
		ar, err := codecs.OpenFile(t.Context(), filepath.Join(dir, "Calligraphy.sip"), all.Registry(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range codecstest.Contents(t, ar) {
			write(t, filepath.Join(dir, "files", filepath.FromSlash(name)), content)
		}
		if err := ar.Close(); err != nil {
			t.Fatal(err)
		}
	}
	times := time.Unix(1717986918, 0)
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, times, times)
	})
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func checkSameDump(t *testing.T, want, got []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows and %d rows", len(want), len(got))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("dumps differ first at row %d:\n%s\n%s", i, want[i], got[i])
		}
	}
}

func (c catalog) dumpOfScan(workers int, paths ...string) []string {
	c.t.Helper()
	c.mustScan(indexer.Options{Paths: paths, Label: "x", Workers: workers})
	return c.dump()
}

// Two scans of one folder make the same tables, however many workers there are.
func TestDeterminism(t *testing.T) {
	path := copies(t)
	checkSameDump(t, newCatalog(t).dumpOfScan(1, path), newCatalog(t).dumpOfScan(8, path))
}

// The largest of the samples is in TestSamples.
func TestDeterminismOfSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("scans all samples twice")
	}
	var paths []string
	for _, folder := range testkit.Some([]string{"retro-pak", "unreal-pak", "iostore", "unreal-package"}, 1) {
		paths = append(paths, codecstest.Sample(t, folder))
	}
	checkSameDump(t, newCatalog(t).dumpOfScan(1, paths...), newCatalog(t).dumpOfScan(8, paths...))
}

// slow takes its time to open entries.
type slow struct{ codecs.Archive }

func (a slow) Open(ctx context.Context, e *codecs.Entry) (io.ReadCloser, error) {
	time.Sleep(100 * time.Millisecond)
	return a.Archive.Open(ctx, e)
}

// Which copy of a content is read first must not show: not in its facts, when
// inspectors make different things of its copies, nor in the order of anything.
func TestFactsOfCopies(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.x": "A", "b.y": "B", "c.x": "A", "d.y": "A"} {
		write(t, filepath.Join(dir, name), []byte(content))
	}
	loose, _ := all.Registry().Format("loose")
	slowFirst := *loose
	slowFirst.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
		a, err := loose.Open(ctx, src, o)
		if src.Name == "a.x" {
			a = slow{a}
		}
		return a, err
	}
	inspector := &codecs.Inspector{Name: "test", Revision: 1, Match: func(*codecs.Entry, []byte) bool { return true },
		Inspect: func(_ context.Context, _ io.ReaderAt, _ int64, e *codecs.Entry) (*codecs.Facts, error) {
			return &codecs.Facts{Kind: "kind" + filepath.Ext(e.Name)}, nil
		}}
	registry := &codecs.Registry{Formats: []*codecs.Format{&slowFirst}, Inspectors: []*codecs.Inspector{inspector}}
	var dumps [2][]string
	for i, workers := range []int{1, 8} {
		c := newCatalog(t)
		c.scanWith(registry, indexer.Options{Paths: []string{dir}, Label: "x", Workers: workers})
		c.want("SELECT DISTINCT path, kind FROM entries ORDER BY path", "a.x|kind.x", "b.y|kind.y", "c.x|kind.x", "d.y|kind.x")
		dumps[i] = c.dump()
	}
	checkSameDump(t, dumps[0], dumps[1])
}
