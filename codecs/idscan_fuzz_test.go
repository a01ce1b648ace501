package codecs_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"pakdb/codecs"
)

// FuzzScan finds what a search without a filter finds.
func FuzzScan(f *testing.F) {
	f.Add([]byte("12345678..12345678"), uint64(0x3837363534333231), byte(0))
	f.Add([]byte{0, 0, 0, 7, 0, 0, 0, 7}, uint64(7), byte(7))
	f.Fuzz(func(t *testing.T, content []byte, id uint64, how byte) {
		layout := codecs.IDLayout{Width: 8 - int(how&1)*4, Big: how&2 != 0, Align: 1 + int(how>>2)%8}
		ids := []uint64{id, ^id, id >> 8}
		set := codecs.NewIDSet(layout, slices.Values(ids))
		if layout.Width == 4 {
			for i := range ids {
				ids[i] = uint64(uint32(ids[i]))
			}
		}
		var order binary.ByteOrder = binary.LittleEndian
		if layout.Big {
			order = binary.BigEndian
		}
		var want, got []int
		for off := 0; off <= len(content)-layout.Width; off += layout.Align {
			v := uint64(order.Uint32(content[off:]))
			if layout.Width == 8 {
				v = order.Uint64(content[off:])
			}
			if v != 0 && slices.Contains(ids, v) {
				want = append(want, off)
			}
		}
		set.Scan(content, func(off int, _ uint64) { got = append(got, off) })
		if !slices.Equal(got, want) {
			t.Errorf("%+v: found at %v, want %v", layout, got, want)
		}
	})
}
