package maker_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/internal/testkit"
)

func in(name string, b []byte) delta.Input {
	return delta.Input{Name: name, Source: codecs.Source{ReaderAt: bytes.NewReader(b), Name: name, Size: int64(len(b))}}
}

func TestEstimate(t *testing.T) {
	testkit.NotShort(t)
	r, old := rand.New(rand.NewPCG(1, 1)), make([]byte, 3<<20+5)
	for i := range old {
		old[i] = byte(r.Uint32())
	}
	new := append([]byte("front"), old...) // every chunk of new stands elsewhere in old, but for the first and the last
	new[2<<20+100]++                       // and the third is changed
	same, added := []byte("the same file"), []byte("what is new")
	e, err := maker.NewEstimate(context.Background(), []delta.Input{in("a", old), in("b", same)},
		[]delta.Input{in("a", new), in("b", same), in("c", added)}, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(len(new) + len(same) + len(added)); e.New != want {
		t.Errorf("new: %d, want %d", e.New, want)
	}
	if want := int64(len(new) + len(added)); e.Whole != want || e.Entries != want || e.Changed != 2 {
		t.Errorf("whole: %d, entries: %d in %d, want %d in 2", e.Whole, e.Entries, e.Changed, want)
	}
	if e.Total != 6 || e.Missing != 3 {
		t.Errorf("%d of %d chunks missing, want 3 of 6: the first, the third, and the new file", e.Missing, e.Total)
	}
	if e.Files != 3 || e.WholeFiles != 2 || e.Stored != 3 || len(e.Old) != 2 || len(e.Now) != 3 || e.Old[1] != e.Now[1] {
		t.Errorf("%+v", e)
	}
	if e.Chunks < 2<<20 || e.Chunks > 2<<20+100 {
		t.Errorf("chunks: %d bytes", e.Chunks)
	}
	if e.Delta > 600 {
		t.Errorf("delta: %d bytes", e.Delta)
	}
}
