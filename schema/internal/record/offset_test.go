package record_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pakdb/schema/internal/record"
)

// Offsets come back as they were packed, those of entries without a place too.
func TestOffsets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p record.OffsetPacker
	var o record.Offsets
	for range 200 {
		n := r.IntN(record.MaxOffsets + 1)
		offsets, stored := make([]int64, n), make([]int64, n)
		end := int64(0)
		for i := range n {
			stored[i] = r.Int64N(1 << 20)
			switch r.IntN(8) {
			case 0:
				offsets[i] = -1
			case 1:
				offsets[i] = r.Int64()
			case 2:
				offsets[i], stored[i] = math.MaxInt64, math.MaxInt64
			default:
				offsets[i] = max(0, end) + 53
			}
			end = offsets[i] + stored[i]
			p.Add(offsets[i], stored[i])
		}
		if p.Len() != n {
			t.Fatalf("%d entries, %d were added", p.Len(), n)
		}
		packed := p.Pack()
		if err := o.Reset(packed); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got, err := o.Next(stored[i]); err != nil || got != offsets[i] {
				t.Fatalf("entry %d of %d: offset %d, %v; want %d", i, n, got, err, offsets[i])
			}
		}
		if _, err := o.Next(1); err == nil {
			t.Fatal("an entry after the last has an offset")
		}
		if err := o.Reset(packed[:len(packed)/2]); err == nil {
			t.Fatal("half of the bytes are no error")
		}
	}
}

// Entries that lie one after the other take almost no room.
func TestOffsetsAreSmall(t *testing.T) {
	var p record.OffsetPacker
	offset := int64(0)
	for i := range record.MaxOffsets {
		stored := int64(i*7919) % 100_000
		p.Add(offset, stored)
		offset += stored + 53
	}
	if packed := p.Pack(); len(packed) > 30 {
		t.Errorf("%d entries in a row take %d bytes", record.MaxOffsets, len(packed))
	}
}
