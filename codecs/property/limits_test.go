package property_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/property"
)

// arrayOfNames is the export of UE 5.3 with an array of n names, element k having the
// number that number says.
func arrayOfNames(n int, number func(k int) uint32) []byte {
	u32 := binary.LittleEndian.AppendUint32
	b := []byte{}
	for _, v := range []uint32{1, 0, 2, 0, uint32(4 + 8*n), 0, 3, 0} { // A, ArrayProperty, size, index, NameProperty
		b = u32(b, v)
	}
	b = u32(append(b, 0), uint32(n))
	for k := range n {
		b = u32(u32(b, 4), number(k))
	}
	return append(b, make([]byte, 12)...) // None, no identifier
}

// An export is bounded in memory, whatever the counts and the names are.
func TestBoundsOfMemory(t *testing.T) {
	f := fixture{ue4: 522, ue5: 1009, flags: 0x80000200, names: "None A ArrayProperty NameProperty " + strings.Repeat("x", 1000)}
	for _, c := range []struct {
		name   string
		n      int
		number func(k int) uint32
		says   string
	}{
		{"values", property.DefaultMaxNodes + 1, func(int) uint32 { return 0 }, "more values"},
		{"names with numbers", 20000, func(k int) uint32 { return uint32(k + 1) }, "names with numbers"},
	} {
		d := property.NewDecoder(f.facts(), property.Options{})
		var o property.Export
		d.Export(&o, 0, arrayOfNames(c.n, c.number))
		if o.Status != property.Lost || !errors.Is(o.Why, codecs.ErrLimit) {
			t.Errorf("%s: %s, %v", c.name, o.Status, o.Why)
		}
		if size := 72 * cap(o.List.Nodes); size > 40<<20 {
			t.Errorf("%s: %d bytes of nodes", c.name, size)
		}
		d.Export(&o, 0, arrayOfNames(1000, c.number)) // the next export is none the worse
		if o.Status != property.Exact || len(o.List.Nodes) != 1001 {
			t.Errorf("%s: then %s, %v, %d nodes", c.name, o.Status, o.Why, len(o.List.Nodes))
		}
	}
}
