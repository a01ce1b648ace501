package schema_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/indexer"
	"pakdb/schema"
)

// addPaks adds two builds of an Unreal game: a pak and its patch, and a next
// version of the pak that was scanned quickly.
func addPaks(t testing.TB, c *schema.Catalog) {
	t.Helper()
	dir := t.TempDir()
	long := strings.Repeat("text of some length, ", 200)
	writePak(t, filepath.Join(dir, "ue", "Game.pak"), compress.Zlib, "Game/A.ini=old "+long, "Game/B.ini=b", "Game/C.ini="+long)
	writePak(t, filepath.Join(dir, "ue", "Game_P.pak"), compress.None, "Game/a.INI=new "+long, "-Game/B.ini", "Game/C.ini="+long)
	writePak(t, filepath.Join(dir, "ue-next", "Game.pak"), compress.Zlib, "Game/A.ini=newer "+long, "Game/C.ini="+long)
	for _, label := range []string{"ue", "ue-next"} {
		quick := label == "ue-next"
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(),
			Label: label, Paths: []string{filepath.Join(dir, label)}, Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// writePak writes "name=content" entries; "-name" is a delete record.
func writePak(t testing.TB, path string, m compress.Method, entries ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err := codecs.WriteFile(ctx, path, unrealpak.Format(), &codecs.CreateOptions{Method: m}, func(w codecs.Writer) error {
		for _, text := range entries {
			name, content, _ := strings.Cut(text, "=")
			e := &codecs.Entry{Name: name}
			if rest, ok := strings.CutPrefix(name, "-"); ok {
				e.Name, e.Flags = rest, codecs.Deleted
			}
			if err := w.Add(ctx, e, strings.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
