package maker

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/pkdeltatest"
	"pakdb/diff/pkdelta/program"
)

// TestRepeat: copies that reach into what they write, by all distances around the
// size of a buffer.
func TestRepeat(t *testing.T) {
	for _, k := range []int{1, 2, 3, 1000, program.FlushSize - 1, program.FlushSize, program.FlushSize + 1, 300_000} {
		want := bytes.Repeat(pkdeltatest.Noisy(uint64(k), k), 1+700_000/k)[:700_001]
		h := &pkdelta.Header{New: []pkdelta.File{{Name: "x", Size: int64(len(want))}}}
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
		out := &pkdeltatest.Memory{B: make([]byte, len(want))}
		m := &program.Machine{H: h, Old: &program.OldFiles{}}
		m.Begin(0, out, int64(len(want)), 0, nil, nil)
		if err := m.Run(context.Background(), stream); err != nil || !bytes.Equal(out.B, want) {
			t.Errorf("every %d bytes: %v", k, err)
		}
	}
}

// TestRows: long rows of one byte cost a few bytes each, wherever they begin and
// end.
func TestRows(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes in rows")
	}
	noise := string(pkdeltatest.Noisy(1, 3<<20))
	row := func(c string, n int) string { return strings.Repeat(c, n) }
	for _, new := range []string{
		row("x", 11<<20), // several parts
		noise[:77] + row("\x00", 3<<20) + noise[77:1000],
		noise[:1<<20] + row("a", 2<<20) + row("b", 2<<20-1) + noise[1<<20:],
		row("a", minRepeat) + "b" + row("a", minRepeat+1),
	} {
		old, inputs := files(noise), files(new)
		p := makeOf(t, old, inputs)
		applied(t, p, old, inputs)
		if t.Logf("%d bytes", len(p)); len(p) > 130 {
			t.Errorf("%d bytes for %d", len(p), len(new))
		}
	}
	var f fileMaker
	f.maker, f.Layout = &maker{old: &inside.Build{}}, &inside.Layout{}
	if list, err := f.repeats([]byte(noise), 0); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
}
