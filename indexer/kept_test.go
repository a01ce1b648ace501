package indexer

import (
	"encoding/binary"
	"testing"

	"pakdb/schema"
)

// TestFactsAreKept: of a content with several names the facts of the least general inspector
// are kept, however many other contents lie between.
func TestFactsAreKept(t *testing.T) {
	var s inspected
	keeps := func(content int, inspector string) bool {
		row := schema.Entry{Facts: &schema.Facts{Inspector: inspector}}
		binary.LittleEndian.PutUint32(row.Content[:], uint32(content))
		s.keep(&row)
		return row.Facts != nil
	}
	for i := range 200_000 {
		if !keeps(i, "config/3") {
			t.Fatalf("the first facts of content %d are dropped", i)
		}
	}
	if keeps(0, "heads/2") || keeps(1, "config/3") || !keeps(2, "wav/1") {
		t.Error("the least general facts do not stay")
	}
}
