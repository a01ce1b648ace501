// Package codecstest holds what the tests of every format share: where the
// sample files are, sources over bytes and files, byte coverage, and the
// contract that every format keeps.
package codecstest

import (
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
)

// Sample returns the path of a sample file made by another tool, for example
// Sample(t, "gpak", "truth.json"). The samples are not part of the project:
// where they are absent the test is skipped, and says so. PAKDB_SAMPLES names
// their folder; the default is ../shared/samples beside the module.
func Sample(t testing.TB, elem ...string) string {
	t.Helper()
	dir := os.Getenv("PAKDB_SAMPLES")
	if dir == "" {
		dir = filepath.Join(ModuleRoot(t), "..", "shared", "samples")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("sample %s is absent: set PAKDB_SAMPLES to the folder of samples", filepath.Join(elem...))
	}
	return path
}

// ModuleRoot returns the folder that holds go.mod.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

// OpenFile returns a Source over a file, closed when the test ends.
func OpenFile(t testing.TB, path string) codecs.Source {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	src, err := codecs.FileSource(f)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
