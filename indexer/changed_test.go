package indexer_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/indexer"
)

// scanMeanwhile scans a folder, and calls do whenever a gpak is opened.
func scanMeanwhile(t *testing.T, c catalog, dir string, do func()) {
	t.Helper()
	registry := all.Registry()
	registry.Formats = slices.Clone(registry.Formats)
	for i, f := range registry.Formats {
		if f.Name != "gpak" {
			continue
		}
		meanwhile := *f
		meanwhile.Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
			a, err := f.Open(ctx, src, o)
			do()
			return a, err
		}
		registry.Formats[i] = &meanwhile
	}
	c.scanWith(registry, indexer.Options{Paths: []string{dir}, Label: "x"})
}

// scanWith scans with formats and inspectors of the test's own.
func (c catalog) scanWith(r *codecs.Registry, o indexer.Options) *indexer.Report {
	c.t.Helper()
	cat := c.write()
	defer func() { _ = cat.Close() }()
	o.Catalog, o.Registry = cat, r
	report, err := indexer.Run(context.Background(), o)
	if err != nil {
		c.t.Fatal(err)
	}
	return report
}

// A file that someone writes to, or removes, during its scan is a problem of
// that file, and its rows are not taken for its content by the next scan.
func TestFileChangesDuringScan(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(path string) error
		want   string // a problem
	}{
		"cut":     {func(path string) error { return os.Truncate(path, 1000) }, indexer.ErrChanged.Error()},
		"grown":   {func(path string) error { return appendTo(path, "more") }, indexer.ErrChanged.Error()},
		"removed": {os.Remove, ""}, // open by then, it stays as it is; else it is a problem that says so
	} {
		t.Run(name, func(t *testing.T) {
			c := newCatalog(t)
			dir := folder(t, "Calligraphy.sip", "mu_cdata_1.6.sip")
			path := filepath.Join(dir, "Calligraphy.sip")
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			scanMeanwhile(t, c, dir, func() {
				if err := tt.change(path); err != nil && !os.IsNotExist(err) {
					t.Error(err)
				}
			})
			causes := c.rows("SELECT cause FROM problems WHERE path IS NULL")
			gone := func(cause string) bool { return strings.Contains(cause, "no such file") }
			if tt.want != "" && !slices.Contains(causes, tt.want) || tt.want == "" && slices.ContainsFunc(causes, func(c string) bool { return !gone(c) }) {
				t.Errorf("problems %q, want %q", causes, tt.want)
			}
			if tt.want == "" {
				return
			}
			write(t, path, before)
			if r := c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x"}); r.Reused != 1 || r.Problems != 0 {
				t.Errorf("the next scan: %+v, want one reused and no problem", r)
			}
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
