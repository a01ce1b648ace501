package maker

import (
	"bytes"
	"context"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/program"
)

// TestRepeat: copies that reach into what they write, by all distances around the
// size of a buffer.
func TestRepeat(t *testing.T) {
	for _, k := range []int{1, 2, 3, 1000, program.FlushSize - 1, program.FlushSize, program.FlushSize + 1, 300_000} {
		want := bytes.Repeat(deltatest.Noisy(uint64(k), k), 1+700_000/k)[:700_001]
		h := &delta.Header{Files: delta.Files{New: []delta.File{{Name: "x", Size: int64(len(want))}}}}
		var stream []byte
		e := &program.Emitter{H: h, Recipes: &program.RecipeList{}, Done: func(s []byte, _ int) error {
			stream = bytes.Clone(s)
			return nil
		}}
		e.Begin(0)
		e.Raw(want[:k], 0)
		e.CopyOld(0, 0, int64(len(want)-k))
		if err := e.End(); err != nil {
			t.Fatal(err)
		}
		out := &deltatest.Memory{B: make([]byte, len(want))}
		m := &program.Machine{H: h, Old: &program.OldFiles{}}
		m.Begin(0, out, int64(len(want)), 0, nil, nil)
		if err := m.Run(context.Background(), stream); err != nil || !bytes.Equal(out.B, want) {
			t.Errorf("every %d bytes: %v", k, err)
		}
	}
}
