package delta_test

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/diff/ship/delta"
)

// Sums of sizes do not overflow: a patch that needs more room than there can be would seem
// to need none.
func TestSizesOfAllFiles(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, new []int64
		fails    bool
	}{
		{"small", []int64{1, 2}, []int64{3}, false},
		{"all that is allowed", []int64{delta.MaxTotal - 1, 1}, []int64{delta.MaxTotal}, false},
		{"new files", []int64{1}, []int64{delta.MaxTotal, 1}, true},
		{"old files", []int64{delta.MaxTotal, 1}, []int64{1}, true},
		{"a sum above 63 bits", []int64{1}, []int64{1 << 62, 1 << 62}, true},
		{"a sum above 64 bits", []int64{1}, []int64{1 << 62, 1 << 62, 1 << 62, 1 << 62}, true},
	} {
		h := &delta.Header{Files: delta.Files{Old: files("old", tt.old), New: files("new", tt.new)}}
		_, _, err := delta.ReadHeader(bytes.NewReader(h.Marshal(nil)), delta.MaxHeader)
		if tt.fails != errors.Is(err, delta.ErrCorrupt) || err != nil && !tt.fails {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func files(name string, sizes []int64) (list []delta.File) {
	for i, size := range sizes {
		list = append(list, delta.File{Name: name + string(rune('a'+i)), Size: size, Sum: delta.Sum{byte(i), byte(size), name[0]}})
	}
	return list
}
