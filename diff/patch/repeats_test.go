package patch

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestRepeat: copies that reach into what they write, by all distances around the
// size of a buffer.
func TestRepeat(t *testing.T) {
	for _, k := range []int{1, 2, 3, 1000, flushSize - 1, flushSize, flushSize + 1, 300_000} {
		want := bytes.Repeat(noisy(uint64(k), k), 1+700_000/k)[:700_001]
		h := &Header{New: []File{{Name: "x", Size: int64(len(want))}}}
		var stream []byte
		e := &emitter{h: h, recipes: &recipeList{}, done: func(s []byte, _ int) error {
			stream = bytes.Clone(s)
			return nil
		}}
		e.begin(0)
		e.raw(want[:k], 0)
		e.copyOld(0, 0, int64(len(want)-k))
		if err := e.end(); err != nil {
			t.Fatal(err)
		}
		out := &memory{b: make([]byte, len(want))}
		m := &machine{h: h, old: &oldFiles{}}
		m.begin(0, out, int64(len(want)), 0, nil, nil)
		if err := m.run(context.Background(), stream); err != nil || !bytes.Equal(out.b, want) {
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
	noise := string(noisy(1, 3<<20))
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
	f.maker, f.layout = &maker{old: &build{}}, &layout{}
	if list, err := f.repeats([]byte(noise), 0); err != nil || len(list) > 0 {
		t.Error(list, err)
	}
}
