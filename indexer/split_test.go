package indexer_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// contentsOf reads an archive: names and contents alternate.
func contentsOf(t testing.TB, path string) (files []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	format, _ := all.Registry().Format("unrealpak")
	a, err := format.Open(context.Background(), codecs.Source{ReaderAt: f, Name: "a.pak", Size: st.Size()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Open(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		files = append(files, e.Name, string(b))
	}
	return files
}

// The exports of a split package have the same digests wherever its two files
// lie: side by side, in the other order, far apart, in names of other cases, or loose in a folder.
func TestDigestsOfSplitPackages(t *testing.T) {
	sample := codecstest.Sample(t, "unreal-pak", "pairs", "integration_new.pak")
	files := contentsOf(t, sample)
	var headers, bodies, filler []string
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name, content := files[i], files[i+1]
		write(t, filepath.Join(dir, "loose", filepath.FromSlash(name)), []byte(content))
		inCase := name
		if filepath.Ext(name) == ".uexp" {
			inCase = path.Join(path.Dir(name), strings.ToUpper(path.Base(name)))
		}
		write(t, filepath.Join(dir, "loose_case", filepath.FromSlash(inCase)), []byte(content))
		if filepath.Ext(name) == ".uexp" {
			bodies = append(bodies, name, content)
		} else {
			headers = append(headers, name, content)
		}
	}
	for i := range 600 {
		filler = append(filler, fmt.Sprintf("Filler/%d.uasset", i), using(fmt.Sprint("N", i)))
	}
	pack(t, filepath.Join(dir, "behind.pak"), "unrealpak", codecs.CreateOptions{}, slices.Concat(bodies, headers)...)
	pack(t, filepath.Join(dir, "far.pak"), "unrealpak", codecs.CreateOptions{}, slices.Concat(headers, filler, bodies)...)
	otherCase := slices.Clone(bodies)
	inFolder := slices.Clone(headers)
	for i := 0; i < len(headers); i += 2 {
		inFolder[i] = "É/" + headers[i]
	}
	for i := 0; i < len(bodies); i += 2 {
		otherCase[i] = "é/" + strings.ToUpper(bodies[i])
	}
	pack(t, filepath.Join(dir, "case.pak"), "unrealpak", codecs.CreateOptions{}, slices.Concat(inFolder, filler, otherCase)...)
	pack(t, filepath.Join(dir, "case_near.pak"), "unrealpak", codecs.CreateOptions{}, slices.Concat(inFolder, otherCase)...)
	digests := func(file string) []string {
		c := newCatalog(t)
		c.mustScan(indexer.Options{Paths: []string{file}})
		return c.rows(`SELECT hex(c.hash), g.header, hex(g.essence), hex(g.exports)
			FROM x_package_digest g JOIN x_content c USING (content_id) WHERE g.header <> 0 ORDER BY 1`)
	}
	want := digests(sample)
	if len(want) != len(bodies)/2 {
		t.Fatalf("%d digests of %d", len(want), len(bodies)/2)
	}
	for _, other := range testkit.Some([]string{"behind.pak", "far.pak", "case.pak", "case_near.pak", "loose", "loose_case"}, 3) {
		if got := digests(filepath.Join(dir, other)); !slices.Equal(got, want) {
			t.Errorf("%s: %d digests, %d the same", other, len(got), len(slices.DeleteFunc(got, func(s string) bool { return !slices.Contains(want, s) })))
		}
	}
}
