package indexer_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/indexer"
	"pakdb/internal/testkit"
)

// TestNamesOfCopies: the inspector of a content goes by the names of its entries, and the
// facts of a build do not change when a later one has a copy under another name.
func TestNamesOfCopies(t *testing.T) {
	testkit.NotShort(t)
	const content, settings = "=[Core]\nQuality=3\n", "SELECT build, path, key, value FROM config ORDER BY build, path"
	for _, names := range testkit.Some([]string{"Game.ini Game.ini.txt Game.json Game.wav", "Game.wav Game.json Game.ini.txt Game.ini", "Game.json Game.ini Game.wav"}, 1) {
		c := newCatalog(t)
		var all, want []string
		for i, name := range strings.Fields(names) {
			pak := filepath.Join(t.TempDir(), fmt.Sprint(i), "Game.pak")
			writePak(t, pak, codecs.CreateOptions{MountPoint: defaultMount}, name+content)
			c.mustScan(indexer.Options{Label: fmt.Sprint(i), Paths: []string{pak}})
			all, want = append(all, name+content), append(want, fmt.Sprint(i, "|", name, "|Quality|3"))
		}
		c.wantRows(settings, want...)
		c.want("SELECT DISTINCT kind FROM entries", "config")

		pak := filepath.Join(t.TempDir(), "Game.pak")
		writePak(t, pak, codecs.CreateOptions{MountPoint: defaultMount}, all...)
		c = newCatalog(t)
		c.mustScan(indexer.Options{Label: "1", Paths: []string{pak}})
		c.want("SELECT count(*) FROM config", fmt.Sprint(len(all)))
	}
}
