package program

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

// bomb is a segment of few bytes that has much decoded, or coded again, and the
// file that it is for.
func bomb(t *testing.T, write func(e *Emitter, blocks [2]Range, indexes [2]*coder.Index)) (old, stream []byte) {
	t.Helper()
	const size = 8 << 20 // of which one is kept, not two
	var blocks [2]Range
	var indexes [2]*coder.Index
	for i := range blocks {
		content := bytes.Repeat([]byte{byte('a' + i)}, size)
		indexes[i] = coder.NewIndex(content)
		stored, err := compress.Encode(compress.Zlib, nil, content)
		if err != nil {
			t.Fatal(err)
		}
		blocks[i] = Range{Off: int64(len(old)), Stored: int64(len(stored)), Method: compress.Zlib, Size: size}
		old = append(old, stored...)
	}
	e := &Emitter{H: &delta.Header{Files: delta.Files{Old: []delta.File{{Size: 1}}, New: []delta.File{{Size: 100 * 4599}}}}, Recipes: &RecipeList{}, Done: func(s []byte, _ int) error {
		stream = bytes.Clone(s)
		return nil
	}}
	e.Begin(0)
	write(e, blocks, indexes)
	if err := e.End(); err != nil {
		t.Fatal(err)
	}
	return old, stream
}

// TestAllNamed: how often a patch of many old files names them all is bounded.
func TestAllNamed(t *testing.T) {
	h := &delta.Header{Files: delta.Files{Old: make([]delta.File, 100_000), New: []delta.File{{Name: "x", Size: 1}}}}
	var e coder.Encoder
	e.Reset()
	for range 1000 {
		e.Number(inOp, opAll)
		e.Number(inRanges, 0)
	}
	m := &Machine{H: h, Old: &OldFiles{Work: work{limit: 64 << 20}}}
	m.Begin(0, &Virtual{Spool: TempSpool()}, 1, 0, nil, nil)
	if err := m.Run(context.Background(), e.Bytes()); !errors.Is(err, delta.ErrCorrupt) || m.Old.Work.done > 80<<20 {
		t.Errorf("%d bytes of work, %v", m.Old.Work.done, err)
	}
}

// TestOperations: how many operations there are is bounded, also of those that
// write nothing: a stream says them again and again for next to nothing.
func TestOperations(t *testing.T) {
	const most = 1 << 20
	for name, c := range map[string]struct {
		times int
		write func(e *coder.Encoder)
	}{
		"digests of nothing": {3000, func(e *coder.Encoder) {
			e.Number(inOp, opDigest)
			e.Number(inDigestAt, 0)
			e.Number(inDigestFrom, 0)
			e.Number(inDigestTo, 0)
		}},
		"sources of nothing": {3000, func(e *coder.Encoder) {
			e.Number(inOp, opSource)
			e.Number(inRanges, 0)
		}},
		"ranges": {2, func(e *coder.Encoder) {
			e.Number(inOp, opSource)
			e.Number(inRanges, MaxRanges)
			for range MaxRanges {
				for _, in := range []int{inRangeFile, inRangeOff, inRangeLen, inMethod} {
					e.Number(in, 0)
				}
			}
		}},
		"blocks": {1, func(e *coder.Encoder) {
			e.Number(inOp, opMake)
			e.Number(inMakeLen, 2000)
			e.Number(inMakeBlock, 1)
			e.Number(inRecipe, 0)
			e.Number(inMakeGuess, 0)
			e.Content(make([]byte, 2000), coder.NewIndex(nil), 0, 0)
		}},
	} {
		h := &delta.Header{Files: delta.Files{Old: []delta.File{{Size: 100}}, New: []delta.File{{Name: "x", Size: 40}}}, Needs: delta.Needs{Recipes: []delta.Recipe{{}}}}
		var e coder.Encoder
		e.Reset()
		e.Number(inOp, opRaw)
		e.Number(inRawLen, 0)
		e.Number(inRawGuess, 0)
		e.Content(make([]byte, 40), coder.NewIndex(nil), 0, 0)
		for range c.times {
			c.write(&e)
		}
		e.Number(inOp, opEnd)
		old := &Part{ReaderAt: bytes.NewReader(make([]byte, 100))}
		m := &Machine{H: h, Old: &OldFiles{Files: []io.ReaderAt{old}, Work: work{limit: most}}}
		m.Begin(0, &Virtual{Spool: TempSpool()}, 40, 0, nil, nil)
		err := m.Run(context.Background(), e.Bytes())
		if !errors.Is(err, delta.ErrCorrupt) || m.Old.Work.done <= most || len(m.Digests) > most/opCost {
			t.Errorf("%s: %d bytes of work, %d digests, %v", name, m.Old.Work.done, len(m.Digests), err)
		}
	}
}

// TestCopiesOfNothing: a copy of no bytes is refused, and so is one up to the end of
// the new file from a place of the one before that this one does not have.
func TestCopiesOfNothing(t *testing.T) {
	raw := func(e *coder.Encoder, n int) {
		e.Number(inOp, opRaw)
		e.Number(inRawLen, uint64(n))
		e.Number(inRawGuess, 0)
		e.Content(make([]byte, n), coder.NewIndex(nil), 0, 0)
	}
	own := func(e *coder.Encoder, length, off int64) {
		e.Number(inOp, opCopy)
		e.Number(inCopyLen, uint64(length))
		e.Number(inCopyFrom, uint64(len(State{}.Ends))) // of the new file
		e.Number(inCopyOff, zigzag(off))
	}
	again := func(e *coder.Encoder, length int64) {
		e.Number(inOp, opCopy)
		e.Number(inCopyLen, uint64(length))
		e.Number(inCopyFrom, 0)
	}
	for name, write := range map[string]func(e *coder.Encoder){
		"what is lacking, where nothing is": func(e *coder.Encoder) { raw(e, 40); own(e, copyRest, 40) },
		"from the end to the end":           func(e *coder.Encoder) { raw(e, 20); own(e, copyToEnd, 20) },
		"of an old file":                    func(e *coder.Encoder) { raw(e, 40); again(e, copyRest) },
		"no bytes":                          func(e *coder.Encoder) { raw(e, 20); own(e, copyLengths, 5) },
		"of the file before": func(e *coder.Encoder) {
			raw(e, 20)
			own(e, copyLengths+20, 5)
			e.Number(inOp, opNext)
			again(e, copyToEnd)
		},
	} {
		h := &delta.Header{Files: delta.Files{Old: []delta.File{{Size: 100}}, New: []delta.File{{Name: "x", Size: 40}, {Name: "y", Size: 40}}}}
		var e coder.Encoder
		e.Reset()
		write(&e)
		e.Number(inOp, opEnd)
		old := &Part{ReaderAt: bytes.NewReader(make([]byte, 100))}
		for _, out := range []Output{&Virtual{Spool: TempSpool()}, &deltatest.Memory{B: make([]byte, 40)}} {
			m := &Machine{H: h, Old: &OldFiles{Files: []io.ReaderAt{old}}}
			m.Next = func(context.Context) error { m.Begin(1, out, 40, 0, nil, nil); return nil }
			m.Begin(0, out, 40, 0, nil, nil)
			if err := m.Run(context.Background(), e.Bytes()); !errors.Is(err, delta.ErrCorrupt) {
				t.Errorf("%s, %T: %v", name, out, err)
			}
		}
	}
}

// TestPartDigests: a digest of what the numbers before it tell, or of nothing
// where these tell what is not there.
func TestPartDigests(t *testing.T) {
	for _, c := range []struct {
		from, n uint64
		at      int64
		ok      bool
	}{{3, 13, 32, true}, {0, 0, 32, true}, {0, 32, 32, true}, {0, 53, 32, false}, {53, 0, 32, false}, {1 << 63, 1 << 63, 32, false}, {0, 1, 15, false}, {0, 1, 33, false}} {
		p := append(make([]byte, 16), make([]byte, 36)...)
		binary.LittleEndian.PutUint64(p[16:], c.from)
		binary.LittleEndian.PutUint64(p[24:], c.n)
		h := &delta.Header{Files: delta.Files{New: []delta.File{{Name: "x", Size: int64(len(p))}}}}
		var stream []byte
		e := &Emitter{H: h, Recipes: &RecipeList{}, Digests: map[[DigestSize]byte]int{}, Done: func(s []byte, _ int) error {
			stream = bytes.Clone(s)
			return nil
		}}
		e.Begin(0)
		e.Raw(p, 0)
		e.PartDigest([DigestSize]byte{}, c.at)
		if err := e.End(); err != nil {
			t.Fatal(err)
		}
		out := &deltatest.Memory{B: make([]byte, len(p))}
		m := &Machine{H: h, Old: &OldFiles{}}
		m.Begin(0, out, int64(len(p)), 0, nil, nil)
		err := m.Run(context.Background(), stream)
		if c.ok && (err != nil || [DigestSize]byte(out.B[c.at:]) != sha1.Sum(p[c.from:c.from+c.n])) || !c.ok && !errors.Is(err, delta.ErrCorrupt) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestWork: what may be decoded and coded again is bounded by what a patch
// declares.
func TestWork(t *testing.T) {
	testkit.NotShort(t)
	for name, write := range map[string]func(e *Emitter, blocks [2]Range, indexes [2]*coder.Index){
		"decoded": func(e *Emitter, blocks [2]Range, indexes [2]*coder.Index) {
			for i := range 100 {
				e.Source(blocks[i%2:i%2+1], indexes[i%2])
				e.Raw([]byte("a"), 0)
			}
		},
		"coded again": func(e *Emitter, _ [2]Range, _ [2]*coder.Index) {
			for range 100 {
				e.Make(make([]byte, 1<<20), 0, 1<<20, delta.Recipe{Method: compress.Zlib, Params: [4]uint8{1, 8, 15}}, 4599)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			old, stream := bomb(t, write)
			h := &delta.Header{Files: delta.Files{Old: []delta.File{{Name: "x", Size: int64(len(old))}}, New: []delta.File{{Name: "x", Size: 100 * 4599}}}, Needs: delta.Needs{Recipes: []delta.Recipe{{Method: compress.Zlib, Params: [4]uint8{1, 8, 15}}}}}
			run := func(w work) (work, error) {
				m := &Machine{H: h, Old: &OldFiles{Files: []io.ReaderAt{bytes.NewReader(old)}, Names: []string{"x"}, Work: w}}
				m.Begin(0, &Virtual{Spool: TempSpool()}, h.New[0].Size, 0, nil, nil)
				err := m.Run(context.Background(), stream)
				return m.Old.Work, err
			}
			w, err := run(work{limit: 64 << 20})
			if !errors.Is(err, delta.ErrCorrupt) || w.done <= w.limit || w.done > w.limit+17<<20 {
				t.Errorf("%d bytes of work, %v", w.done, err)
			}
			if len(stream) > 4000 {
				t.Errorf("a bomb of %d bytes", len(stream))
			}
		})
	}
	small, large := WorkFor(&delta.Header{Files: delta.Files{New: []delta.File{{Size: 1}}}}), WorkFor(&delta.Header{Files: delta.Files{Old: []delta.File{{Size: 1 << 62}, {Size: 1 << 62}}}})
	if small.limit < workFloor || small.limit > 2*workFloor || large.limit <= small.limit {
		t.Errorf("limits %d, %d", small.limit, large.limit)
	}
	if most := WorkFor(&delta.Header{Files: delta.Files{New: make([]delta.File, delta.MaxFiles)}}); most.limit < 4*opCost*delta.MaxFiles {
		t.Errorf("%d of work are too little for %d files of few bytes", most.limit, delta.MaxFiles)
	}
}
