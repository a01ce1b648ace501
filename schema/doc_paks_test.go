package schema_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
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
	addContainers(t, filepath.Join(dir, "ue"))
	for _, label := range []string{"ue", "ue-next"} {
		quick := label == "ue-next"
		_, err := indexer.Run(context.Background(), indexer.Options{Catalog: c, Registry: all.Registry(),
			Label: label, Paths: []string{filepath.Join(dir, label)}, Quick: quick})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// addContainers adds a container and a patch of it that has no paths.
func addContainers(t testing.TB, dir string) {
	t.Helper()
	var ids []*codecs.Entry
	header, err := zen.AppendContainerHeader(nil, &unreal.ContainerFacts{Version: 5, ContainerID: iostore.ContainerID("Game.utoc"),
		Packages: []unreal.StoredPackage{{ID: 1, Imports: []uint64{2}}}})
	if err != nil {
		t.Fatal(err)
	}
	writeContainer(t, filepath.Join(dir, "Game.utoc"), "../../../", func(ctx context.Context, w codecs.Writer) error {
		if err := w.Add(ctx, &codecs.Entry{Name: "Game/Content/A.ubulk"}, strings.NewReader("bulk")); err != nil {
			return err
		}
		return w.Add(ctx, iostore.HeaderEntry(iostore.ContainerID("Game.utoc")), bytes.NewReader(header))
	})
	src := codecstest.OpenFile(t, filepath.Join(dir, "Game.utoc"))
	for e, err := range codecstest.Open(t, iostore.Format(), src, nil).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, &codecs.Entry{ID: e.ID, Type: e.Type})
	}
	writeContainer(t, filepath.Join(dir, "Game_P.utoc"), "", func(ctx context.Context, w codecs.Writer) error {
		return w.Add(ctx, ids[0], strings.NewReader("other bulk"))
	})
}

func writeContainer(t testing.TB, path, mount string, fill func(context.Context, codecs.Writer) error) {
	t.Helper()
	ctx := context.Background()
	err := codecs.WriteFile(ctx, path, iostore.Format(), &codecs.CreateOptions{MountPoint: mount}, func(w codecs.Writer) error { return fill(ctx, w) })
	if err != nil {
		t.Fatal(err)
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
