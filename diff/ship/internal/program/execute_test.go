package program_test

import (
	"bytes"
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/aes256"
)

// deflated is a recipe: zlib at its usual level.
var deflated = delta.Recipe{Method: compress.Zlib, Params: [4]uint8{6, 8, 15}}

// emitting writes operations into new files, and knows what these will have.
type emitting struct {
	t    *rapid.T
	r    *rand.Rand
	e    *program.Emitter
	old  [][]byte
	news [][]byte // that are complete, and the one at hand
	sums int      // digests in the one at hand
	ring *delta.KeyRing

	coder *delta.Coder
}

// in returns a number from least to most.
func (x *emitting) in(least, most int) int { return least + x.r.IntN(most-least+1) }

func (x *emitting) here() *[]byte { return &x.news[len(x.news)-1] }

// words are content: words, which may stand in an old file too.
func (x *emitting) words() []byte {
	return deltatest.Words(uint64(x.in(1, 5)), x.in(1, 400))
}

func (x *emitting) raw(p []byte, guess int64) {
	x.e.Raw(p, guess)
	*x.here() = append(*x.here(), p...)
}

// operations are those that a test chooses from.
var operations = map[string]func(x *emitting){
	"copy": func(x *emitting) {
		k := x.in(0, len(x.old))
		from := append(x.old[:len(x.old):len(x.old)], *x.here())[k]
		if len(from) == 0 {
			return
		}
		off := x.in(0, len(from)-1)
		n := x.in(1, len(from)-off)
		x.e.CopyOld(k, int64(off), int64(n))
		*x.here() = append(*x.here(), from[off:off+n]...)
	},
	"raw": func(x *emitting) {
		x.raw(x.words(), int64(x.in(-5, 500)))
	},
	"raw by old bytes": func(x *emitting) {
		k := x.in(0, len(x.old)-1)
		n := int64(len(x.old[k]))
		x.e.Source([]program.Range{{File: k, Stored: n, Size: n}}, coder.NewIndex(x.old[k]))
		x.raw(x.words(), int64(x.in(-5, 500)))
	},
	"made again": func(x *emitting) {
		p := x.words()
		stored, err := x.coder.Encode(nil, p, deflated)
		if err != nil {
			x.t.Fatal(err)
		}
		x.e.Make(p, 0, int64(len(p)), deflated, int64(len(stored)))
		*x.here() = append(*x.here(), stored...)
	},
	"digest": func(x *emitting) {
		if len(*x.here()) < program.DigestSize {
			return
		}
		from := x.in(0, len(*x.here()))
		to := x.in(from, len(*x.here()))
		at := x.in(0, len(*x.here())-program.DigestSize)
		sum := sha1.Sum((*x.here())[from:to])
		x.e.Digest(sum, int64(at), int64(from), int64(to))
		copy((*x.here())[at:], sum[:])
		x.sums++
	},
	"move": func(x *emitting) {
		k := x.in(0, len(x.old)-1)
		off := x.in(0, len(x.old[k])-1)
		n := x.in(1, len(x.old[k])-off)
		x.e.Seal(program.Sealing{})
		x.e.Move(program.Range{File: k, Off: int64(off), Stored: int64(n), Size: int64(n)}, int64(n))
		*x.here() = append(*x.here(), x.old[k][off:off+n]...)
	},
	"encrypted": func(x *emitting) {
		key, start := x.in(1, 2), len(*x.here())
		p := x.words()
		x.e.FlushCopy()
		x.e.Seal(program.Sealing{Key: key, Start: int64(start)})
		x.e.Raw(p, 0)
		x.e.Seal(program.Sealing{})
		p = append(p, aes256.AppendPadding(nil, p[:min(len(p), aes256.Block)], int64(len(p)))...)
		aes256.EncryptECB(x.ring.Blocks[key-1], p)
		*x.here() = append(*x.here(), p...)
	},
	"next file": func(x *emitting) {
		if len(*x.here()) > 0 && len(x.news) < 3 {
			x.news, x.sums = append(x.news, nil), 0
			x.e.Begin(len(x.news) - 1)
		}
	},
}

// drawn emits operations. The sizes of the new files, which decide how lengths are
// written, are those of a first round of the same operations.
func drawn(t *rapid.T, old [][]byte, sizes []int, do func(x *emitting)) (x *emitting, h *delta.Header, streams [][]byte) {
	h = &delta.Header{Needs: delta.Needs{Recipes: []delta.Recipe{deflated}}}
	for i, b := range old {
		h.Old = append(h.Old, delta.File{Name: fmt.Sprint(i), Size: int64(len(b))})
	}
	for i, n := range sizes {
		h.New = append(h.New, delta.File{Name: fmt.Sprint(i), Size: int64(n)})
	}
	x = &emitting{t: t, old: old, news: [][]byte{nil}, ring: &delta.KeyRing{}, coder: &delta.Coder{}}
	for i := range 2 {
		if _, err := x.ring.Add(bytes.Repeat([]byte{byte(i + 1)}, aes256.KeySize), [16]byte{}); err != nil {
			t.Fatal(err)
		}
	}
	x.e = &program.Emitter{H: h, Recipes: &program.RecipeList{}, Keys: delta.KeyList{Ring: x.ring}, Done: func(s []byte, _ int) error {
		streams = append(streams, bytes.Clone(s))
		return nil
	}}
	x.e.Begin(0)
	do(x)
	if err := x.e.End(); err != nil {
		t.Fatal(err)
	}
	return x, h, streams
}

// TestExecute: what an emitter writes, a machine executes to the bytes that were
// meant, into a file and into one that is not written.
func TestExecute(t *testing.T) {
	var all []string
	for name := range operations {
		all = append(all, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { execute(t, []string{name, "raw"}) })
		})
	}
	t.Run("any", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { execute(t, all) }) })
}

func execute(t *rapid.T, names []string) {
	old := [][]byte{deltatest.Words(1, rapid.IntRange(1, 900).Draw(t, "first")), deltatest.Words(2, 300)}
	type choice struct {
		name string
		seed uint64
	}
	choices := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) choice {
		return choice{rapid.SampledFrom(names).Draw(t, "operation"), rapid.Uint64().Draw(t, "seed")}
	}), 1, 9).Draw(t, "operations")
	run := func(sizes []int) (*emitting, *delta.Header, [][]byte) {
		return drawn(t, old, sizes, func(x *emitting) {
			for _, c := range choices {
				x.r = rand.New(rand.NewPCG(c.seed, 1))
				operations[c.name](x)
			}
			x.raw([]byte("end"), 0)
		})
	}
	x, _, _ := run([]int{1 << 40, 1 << 40, 1 << 40})
	var sizes []int
	for _, b := range x.news {
		sizes = append(sizes, len(b))
	}
	x, h, streams := run(append(sizes, 1, 1)[:3])
	for _, virtual := range []bool{false, true} {
		if err := x.executed(h, streams, virtual); err != nil {
			t.Fatalf("%v, virtual %v: %v", choices, virtual, err)
		}
	}
}

// executed executes segments and compares.
func (x *emitting) executed(h *delta.Header, streams [][]byte, virtual bool) error {
	files := &program.OldFiles{Keys: x.e.Keys.Blocks()}
	for i, b := range x.old {
		files.Files, files.Names = append(files.Files, &program.Part{ReaderAt: bytes.NewReader(b)}), append(files.Names, fmt.Sprint(i))
	}
	m := &program.Machine{H: h, Old: files}
	var outputs []program.Output
	begin := func() {
		k := len(outputs)
		out := program.Output(&deltatest.Memory{B: make([]byte, h.New[k].Size)})
		if virtual {
			out = &program.Virtual{Spool: program.TempSpool()}
		}
		outputs = append(outputs, out)
		m.Begin(k, out, h.New[k].Size, 0, nil, nil)
	}
	begin()
	m.Next = func(context.Context) error { begin(); return nil }
	for _, s := range streams {
		if err := m.Run(context.Background(), s); err != nil {
			return err
		}
	}
	for i, want := range x.news {
		got := make([]byte, len(want))
		if n, err := outputs[i].ReadAt(got, 0); n < len(want) && err != nil && err != io.EOF {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("new file %d has other bytes: %.80q, not %.80q", i, got, want)
		}
	}
	return nil
}
