package indexer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/indexer"
	"pakdb/internal/objects"
	"pakdb/internal/regular"
)

func symlink(t testing.TB, to, link string) {
	t.Helper()
	if err := os.Symlink(to, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

// Links are followed, to files and to folders. A link to nothing is named.
func TestLinksInFolder(t *testing.T) {
	c := newCatalog(t)
	dir := folder(t, "Calligraphy.sip")
	symlink(t, "nowhere", filepath.Join(dir, "dead"))
	symlink(t, fixture(t, "mu_cdata_1.6.sip"), filepath.Join(dir, "file"))
	symlink(t, folder(t, "Calligraphy.sip"), filepath.Join(dir, "folder"))
	var passed []string
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "x", Passed: func(err error) { passed = append(passed, err.Error()) }})
	c.want("SELECT archive FROM archives ORDER BY archive", "Calligraphy.sip", "file", "folder/Calligraphy.sip")
	if len(passed) != 1 || !strings.HasPrefix(passed[0], filepath.Join(dir, "dead")+": ") {
		t.Errorf("passed over: %q", passed)
	}
	symlink(t, ".", filepath.Join(dir, "self"))
	var circles []error
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "circle", Passed: func(err error) { circles = append(circles, err) }})
	c.want("SELECT archive FROM archives WHERE build = 'circle' ORDER BY archive", "Calligraphy.sip", "file", "folder/Calligraphy.sip")
	if len(circles) != 2 || !errors.Is(circles[1], regular.ErrCircle) {
		t.Errorf("passed over: %v", circles)
	}
}

func TestFolderBehindLink(t *testing.T) {
	c := newCatalog(t)
	link := filepath.Join(t.TempDir(), "link")
	symlink(t, folder(t, "Calligraphy.sip"), link)
	c.mustScan(indexer.Options{Paths: []string{link}})
	c.want("SELECT build, archive FROM archives", "link|Calligraphy.sip")
	if got := c.rows("SELECT location FROM archives"); got[0] != filepath.Join(link, "Calligraphy.sip") {
		t.Errorf("location %q, want the one that was given", got)
	}
}

// The catalog and its objects are never scanned, whatever leads to them.
func TestCatalogInFolder(t *testing.T) {
	dir := folder(t, "Calligraphy.sip")
	link := filepath.Join(t.TempDir(), "link")
	symlink(t, dir, link)
	c := catalogAt(t, filepath.Join(dir, "pakdb.db"))
	store := objects.For(c.path)
	for _, path := range []string{dir, link, dir + "/.", link + "/"} {
		c.mustScan(indexer.Options{Paths: []string{path}, Label: path, Store: store})
	}
	c.want("SELECT DISTINCT archive FROM archives", "Calligraphy.sip")
	c.path = filepath.Join(t.TempDir(), "link.db")
	symlink(t, filepath.Join(dir, "pakdb.db"), c.path)
	c.mustScan(indexer.Options{Paths: []string{dir}, Label: "through a link"})
	c.want("SELECT DISTINCT archive FROM archives", "Calligraphy.sip")
}
