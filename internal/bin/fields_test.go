package bin_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"pakdb/internal/bin"
)

var errClass = errors.New("damaged")

func TestReader(t *testing.T) {
	b := binary.AppendUvarint(nil, 300)
	b = append(binary.AppendUvarint(b, 2), "ab"...)
	b = binary.AppendVarint(b, -8)
	b = append(b, "name\x00"...)
	b = binary.LittleEndian.AppendUint64(b, 1<<40)
	r := bin.NewFields(b, errClass)
	if n := r.Number("n", 300); n != 300 {
		t.Errorf("number %d", n)
	}
	if s := r.Text("s", 2); s != "ab" {
		t.Errorf("text %q", s)
	}
	if n := r.Signed("i", 8); n != -8 {
		t.Errorf("signed %d", n)
	}
	if s := r.Line("l", 0, 4); s != "name" {
		t.Errorf("line %q", s)
	}
	if n := r.Uint64(); n != 1<<40 || r.Len() != 0 || r.Err() != nil {
		t.Errorf("%d, %d left, %v", n, r.Len(), r.Err())
	}
}

func TestFailures(t *testing.T) {
	for name, tt := range map[string]struct {
		b    []byte
		read func(*bin.Fields)
		want string
	}{
		"above the limit":    {[]byte{9, 1}, func(r *bin.Fields) { r.Number("n", 8) }, "damaged: n"},
		"no number":          {nil, func(r *bin.Fields) { r.Number("n", 8) }, "damaged: n"},
		"endless number":     {[]byte{0x80, 0x80}, func(r *bin.Fields) { r.Number("n", 8) }, "damaged: n"},
		"below the limit":    {binary.AppendVarint(nil, -9), func(r *bin.Fields) { r.Signed("n", 8) }, "damaged: n"},
		"more than is there": {[]byte{4, 1, 2, 3}, func(r *bin.Fields) { r.Count("things", 100, 1) }, "damaged: 4 things in 3 bytes"},
		"large things":       {[]byte{2, 1, 2, 3}, func(r *bin.Fields) { r.Count("things", 100, 2) }, "damaged: 2 things in 3 bytes"},
		"bytes":              {[]byte{1}, func(r *bin.Fields) { r.Bytes(2) }, "damaged: ends early"},
	} {
		r := bin.NewFields(tt.b, errClass)
		tt.read(r)
		if err := r.Err(); !errors.Is(err, errClass) || err.Error() != tt.want {
			t.Errorf("%s: %v", name, err)
		}
		r.Fail("later")
		if r.Err().Error() != tt.want || r.Len() != 0 || r.Number("n", 1) != 0 {
			t.Errorf("%s: the first failure does not stay: %v, %d left", name, r.Err(), r.Len())
		}
	}
}
