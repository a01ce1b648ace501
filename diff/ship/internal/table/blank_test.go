package table_test

import (
	"bytes"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/internal/table"
)

// Blank tables predict what they were made of.
func TestBlank(t *testing.T) {
	for _, version := range []string{"3", "5", "7", "8A", "8B", "9", "10", "11", "12"} {
		for _, method := range []string{"none", "zlib"} {
			name := version + " " + method
			file := archive(t, unrealpak.Format(), &codecs.CreateOptions{Version: version, Method: compress.Method(method), BlockSize: 1024}, "x.pak")
			whole, err := table.Parse(table.Unreal, file, 0)
			if err != nil {
				t.Fatal(err)
			}
			end := int64(0)
			refs := make([]int64, len(whole.Rows()))
			items := make([]table.Item, len(refs))
			for i, r := range whole.Rows() {
				end = max(end, r.Off+r.Size)
				refs[i], items[i] = int64(i), table.Item{Old: i, Off: r.Off}
			}
			at := int64(len(file[:end]))
			tables, err := table.Parse(table.Unreal, file[at:], at)
			if err != nil {
				t.Fatal(err)
			}
			b, err := table.Blank(tables, refs)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			blank, err := table.Parse(table.Unreal, b, table.BlankAt)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, r := range blank.Rows() {
				if r.Off != refs[i] {
					t.Errorf("%s: row %d at %d, want %d", name, i, r.Off, refs[i])
				}
			}
			got, err := blank.Predict(items, table.Kept, bytes.NewReader(file), at)
			if err != nil || !bytes.Equal(got, file[at:]) {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(file[at:]), err)
			}
		}
	}
}

// Where tables end is found with something else behind them.
func TestEnds(t *testing.T) {
	for name, b := range map[string][]byte{"nothing": nil, "no magic": make([]byte, 1000), "a magic at the end": {0xe1, 0x12, 0x6f, 0x5a}} {
		if ends := table.Ends(b); len(ends) != 0 {
			t.Errorf("%s: %v", name, ends)
		}
	}
	b := append([]byte{7, 0xe1, 0x12, 0x6f, 0x5a}, make([]byte, 46)...)
	if ends := table.Ends(b); len(ends) != 1 || ends[0] != 45 {
		t.Errorf("%v", ends)
	}
}

// Tables that cannot be blank say so.
func TestNotBlank(t *testing.T) {
	if _, err := table.Blank(nil, nil); err == nil {
		t.Error("nothing is blank")
	}
}
