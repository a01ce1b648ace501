package table_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/diff/ship/internal/table"
)

// TestPredictSamples predicts the tables of archives that other tools made, from
// these tables: what comes out must be what is there.
func TestPredictSamples(t *testing.T) {
	counts := map[table.Kind][3]int{} // read, exact in the first form, in the second
	err := filepath.WalkDir(codecstest.Sample(t, "."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "bugs" || d.Name() == "attack") {
			return fs.SkipDir // made by hand, to be wrong
		}
		if err != nil || d.IsDir() {
			return err
		}
		kinds := map[string][]table.Kind{".pak": {table.Unreal, table.Retro}, ".sip": {table.GPAK}, ".utoc": {table.IoStore}}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, kind := range kinds[strings.ToLower(filepath.Ext(path))] {
			if exact, ok := forms(kind, file); ok {
				c := counts[kind]
				c[0]++
				for form, same := range exact {
					if same {
						c[form+1]++
					}
				}
				counts[kind] = c
				if !exact[0] && (kind != table.Unreal || !exact[1]) {
					t.Errorf("%s: not exact", path)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
}

// forms reports which forms predict tables from themselves, and false for a file
// that has none.
func forms(kind table.Kind, file []byte) (exact [2]bool, ok bool) {
	content, at := file, 0
	switch {
	case kind.Front():
		n, err := table.Len(kind, file)
		if err != nil {
			return exact, false
		}
		content = file[:n]
	case kind == table.Unreal:
		whole, err := table.Parse(kind, file, 0)
		if err != nil {
			return exact, false
		}
		for _, r := range whole.Rows() {
			at = max(at, int(min(r.Off+r.Size, int64(len(file)))))
		}
		content = file[at:]
	}
	tables, err := table.Parse(kind, content, int64(at))
	if err != nil {
		return exact, false
	}
	var items []table.Item
	for i, r := range tables.Rows() {
		items = append(items, table.Item{Old: i, Off: r.Off})
	}
	for form := range table.Forms {
		got, err := tables.Predict(items, form, bytes.NewReader(file), int64(at))
		exact[form] = err == nil && bytes.Equal(got, content)
	}
	return exact, true
}
