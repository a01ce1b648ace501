package table_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/codecs/iostore"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/internal/table"
)

// archive is a small archive of three entries.
func archive(t testing.TB, f *codecs.Format, o *codecs.CreateOptions, file string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), file)
	err := codecs.WriteFile(context.Background(), path, f, o, func(w codecs.Writer) error {
		for _, name := range []string{"Folder/Deep/one.uasset", "two.uasset", "Folder/three.uasset"} {
			content := bytes.Repeat([]byte(name), 1+len(name)%7*90)
			if f.Name == retropak.Format().Name {
				width := 16
				if strings.HasPrefix(o.Version, "MP1") || o.Version == "MP2" {
					width = 8
				}
				name = fmt.Sprintf("TXTR/%0*x", width, len(name))
			}
			if err := w.Add(context.Background(), &codecs.Entry{Name: name}, bytes.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzPredict: no tables and no items lead to a panic, or to more bytes than a
// prediction may have.
func FuzzPredict(f *testing.F) {
	for _, version := range []string{"3", "7", "8A", "8B", "10", "11", "12"} {
		b := archive(f, unrealpak.Format(), &codecs.CreateOptions{Version: version, Method: "zlib", BlockSize: 1024}, "x.pak")
		f.Add(b, []byte{0, 1, 2, 200, 2})
	}
	f.Add(archive(f, gpak.Format(), nil, "x.sip"), []byte{1, 0, 200})
	for _, version := range []string{"MP1", "MP3"} {
		f.Add(archive(f, retropak.Format(), &codecs.CreateOptions{Version: version}, "x.pak"), []byte{1, 0, 200})
	}
	for _, version := range []string{"3", "5", "8"} {
		f.Add(archive(f, iostore.Format(), container(version), "x.utoc"), []byte{1, 200, 0})
	}
	f.Fuzz(func(t *testing.T, file []byte, script []byte) {
		for kind := range table.Kinds {
			content := file
			if kind.Front() {
				n, err := table.Len(kind, file)
				if err != nil {
					continue
				}
				content = file[:n]
			}
			tables, err := table.Parse(kind, content, 0)
			if err != nil {
				continue
			}
			rows := tables.Rows()
			if b, err := table.Blank(tables, make([]int64, len(rows))); err == nil {
				_, _ = table.Parse(kind, b, table.BlankAt)
			}
			for form := range table.Forms {
				var items []table.Item
				for _, c := range script {
					if k := int(c); k < len(rows) {
						items = append(items, table.Item{Old: k, Off: rows[k].Off}, table.Item{Old: -1, New: tables.New(k), Off: rows[k].Off})
					} else {
						items = append(items, table.Item{Old: -1, New: string(script), Off: int64(c)})
					}
				}
				b, err := tables.Predict(items, form, bytes.NewReader(file), int64(len(file)))
				if err == nil && len(b) > 2*len(file)+len(items)*(2*len(file)+2*len(script)+1000) {
					t.Fatalf("%d bytes from %d", len(b), len(file))
				}
			}
		}
	})
}

// TestPredictTheSame: nothing changed, nothing differs.
func TestPredictTheSame(t *testing.T) {
	for _, version := range []string{"3", "5", "7", "8A", "8B", "9", "10", "11", "12"} {
		for _, method := range []string{"none", "zlib"} {
			file := archive(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Method: compress.Method(method), BlockSize: 1024}, "x.pak")
			whole, err := table.Parse(table.Unreal, file, 0)
			if err != nil {
				t.Fatal(err)
			}
			end := int64(0)
			for _, r := range whole.Rows() {
				end = max(end, r.Off+r.Size)
			}
			same(t, version+" "+method, table.Unreal, file[end:], file)
		}
	}
}

// container has the options of a container whose chunks get their ids from paths.
func container(version string) *codecs.CreateOptions {
	return &codecs.CreateOptions{Version: version, MountPoint: "../../../Game/Content/", Method: "zlib", BlockSize: 1024}
}

// TestFrontTables: the same of tables that stand before entries, or apart from them.
func TestFrontTables(t *testing.T) {
	kinds := map[table.Kind][][]byte{table.GPAK: {archive(t, gpak.Format(), nil, "x.sip")}}
	for _, version := range retropak.Format().Versions {
		kinds[table.Retro] = append(kinds[table.Retro], archive(t, retropak.Format(), &codecs.CreateOptions{Version: version}, "x.pak"))
	}
	for kind, files := range kinds {
		for i, file := range files {
			n, err := table.Len(kind, file)
			if err != nil {
				t.Errorf("%v %d: %v", kind, i, err)
				continue
			}
			same(t, fmt.Sprint(kind, i), kind, file[:n], file[:n])
		}
	}
	for _, version := range iostore.Format().Versions {
		file := archive(t, iostore.Format(), container(version), "x.utoc")
		same(t, "iostore "+version, table.IoStore, file, file)
	}
}

func same(t *testing.T, name string, kind table.Kind, content, file []byte) {
	t.Helper()
	tables, err := table.Parse(kind, content, int64(len(file)-len(content)))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var items []table.Item
	for i, r := range tables.Rows() {
		items = append(items, table.Item{Old: i, Off: r.Off})
	}
	for form := range table.Forms {
		got, err := tables.Predict(items, form, bytes.NewReader(file), int64(len(file)-len(content)))
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s, form %d: %d bytes of %d, %v", name, form, len(got), len(content), err)
		}
	}
}
