package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pakdb/internal/atomicfile"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/testkit/schematest"
	"pakdb/query/export"
	"pakdb/schema"
)

func files(t testing.TB, dir string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = sha256.Sum256(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBuild: all rows are there, another export gives the same bytes, and one of other
// views leaves none of the first.
func TestBuild(t *testing.T) {
	db := schematest.Open(t, catalog(t))
	dir := filepath.Join(t.TempDir(), "new", "out")
	var manifest *export.Manifest
	for _, build := range builds() {
		m, err := export.Build(t.Context(), db, dir, build, export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		manifest = m
	}
	if n := manifest.Views["entries"][0].Rows; n != 8 || manifest.Build != odd || len(manifest.Views) != len(export.Views()) {
		t.Errorf("%d entries: %+v", n, manifest)
	}
	first := files(t, dir)
	if _, ok := first["entries/build=2.1%20%C3%A9%27%2F%5C/part-0.parquet"]; !ok || len(first) != 4*(len(export.Views())+1) {
		t.Errorf("files: %v", slices.Sorted(maps.Keys(first)))
	}
	for _, build := range builds() {
		if _, err := export.Build(t.Context(), db, dir, build, export.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	if again := files(t, dir); !maps.Equal(first, again) {
		t.Error("the second export has other bytes")
	}
	m, err := export.Build(t.Context(), db, dir, "2.0", export.Options{Format: "csv", Views: []string{"files"}})
	if err != nil || m.Views["files"][0].Rows == 0 {
		t.Errorf("%+v: %v", m, err)
	}
	for name := range files(t, dir) {
		if strings.Contains(name, "build=2.0") && name != "files/build=2.0/part-0.csv" && name != "_builds/build=2.0/_SUCCESS.json" {
			t.Errorf("%s is left", name)
		}
	}
}

// TestParquet: columns have the order of the view and logical types, and NULL is not "".
func TestParquet(t *testing.T) {
	dir := exported(t, catalog(t), export.Options{Views: []string{"entries", "builds"}})
	read := func(view, build string) (*parquet.File, []parquet.Row) {
		b, err := os.ReadFile(filepath.Join(dir, view, "build="+build, "part-0.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]parquet.Row, f.NumRows())
		in := f.RowGroups()[0].Rows()
		if n, _ := in.ReadRows(rows); n != len(rows) {
			t.Fatalf("%s: %d rows of %d", view, n, len(rows))
		}
		return f, rows
	}
	f, rows := read("entries", "2.0")
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name()+" "+c.Type().String())
	}
	want := "archive STRING, ordinal INT(64,true), path STRING, dir STRING, name STRING, ext STRING, type STRING, asset_id STRING, path_hash STRING, stored INT(64,true), size INT(64,true), method STRING, encrypted BOOLEAN, deleted BOOLEAN, mtime TIMESTAMP(isAdjustedToUTC=true,unit=MILLIS), content STRING"
	if got := strings.Join(names, ", "); !strings.HasPrefix(got, want) {
		t.Errorf("columns: %s", got)
	}
	paths := map[bool]int{}
	for _, row := range rows {
		paths[row[2].IsNull()]++
	}
	if paths[true] != 1 || paths[false] != 7 {
		t.Errorf("paths that are NULL: %v", paths)
	}
	if _, rows := read("builds", "2.0"); len(rows) != 1 || rows[0][0].Int64() < 1.5e12 {
		t.Errorf("builds: %v", rows)
	}
}

// TestFaults: an export is killed, and fails, at each operation. As long as _SUCCESS.json
// is not there the folder counts as empty; when it is, all files are there.
func TestFaults(t *testing.T) {
	db := schematest.Open(t, schematest.OfOne(t, schema.Entry{Name: "a/b", Size: 1}))
	faulttest.Sweep(t, faulttest.Command{
		Prepare: func(t *testing.T) string {
			dir := filepath.Join(t.TempDir(), "out")
			faulttest.Tree{"entries/build=1.52/part-0.csv": "older", "entries/build=1.52/part-7.parquet": "older", "files/build=1.52/part-0.csv": "older", "mine": "stays"}.Write(t, dir)
			return dir
		},
		Run: func(ctx context.Context, dir string) error {
			_, err := export.Build(ctx, db, dir, "1.52", export.Options{Views: []string{"entries", "builds"}})
			return err
		},
		State: func(t *testing.T, dir string) faulttest.Tree {
			all := faulttest.Files(t, dir)
			if _, ok := all["_builds/build=1.52/_SUCCESS.json"]; !ok {
				return faulttest.Tree{}
			}
			return all.Visible()
		},
		Exact: true,
		MayFail: func(op atomicfile.Op) bool {
			return op.Kind == atomicfile.OpRemove && !strings.Contains(op.Path, "part-")
		},
	}, 200)
}

// TestNoFolder: an error names the view and the build whose files cannot be written.
func TestNoFolder(t *testing.T) {
	db := schematest.Open(t, schematest.OfOne(t, schema.Entry{Name: "a/b", Size: 1}))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "entries"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := export.Build(t.Context(), db, dir, "1.52", export.Options{Views: []string{"entries"}})
	if err == nil || !strings.HasPrefix(err.Error(), "entries of build 1.52: ") {
		t.Errorf("got %v, want an error of entries of build 1.52", err)
	}
}
