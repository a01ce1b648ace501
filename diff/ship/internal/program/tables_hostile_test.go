package program

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/diff/ship/internal/table"
	"pakdb/internal/testkit"
)

// TestHostileTables executes operations on tables with numbers that nobody would
// write. They end, in output that is not too long or in an error of the right
// class.
func TestHostileTables(t *testing.T) {
	testkit.NotShort(t)
	old := deltatest.PakOf(t, deltatest.Words(1, 3000), deltatest.Words(2, 2000), deltatest.Words(3, 1000), deltatest.Words(4, 500))
	h := &delta.Header{Files: delta.Files{Old: []delta.File{{Name: "x.pak", Size: int64(len(old))}}, New: []delta.File{{Name: "x.pak", Size: 20_000}}}}
	k, err := table.Parse(table.Unreal, old, 0)
	if err != nil {
		t.Fatal(err)
	}
	end := int64(0)
	for _, r := range k.Rows() {
		end = max(end, r.Off+r.Size)
	}
	at := Range{Off: end, Stored: int64(len(old)) - end}
	r := rand.New(rand.NewPCG(5, 5))
	done := map[bool]int{}
	for range testkit.Of(150, 400) {
		m := &Machine{H: h, Old: &OldFiles{Files: []io.ReaderAt{bytes.NewReader(old)}, Names: []string{"x.pak"}}}
		out := &deltatest.Memory{B: make([]byte, 20_000)}
		m.Begin(0, out, 20_000, 0, nil, nil)
		err := m.Run(context.Background(), hostile(r, at))
		if err != nil && !errors.Is(err, delta.ErrCorrupt) {
			t.Fatal(err)
		}
		done[err == nil]++
	}
	if done[true] < 20 || done[false] < 20 {
		t.Errorf("one-sided: %v", done)
	}
}

// hostile is a segment of operations on tables, with random numbers.
func hostile(r *rand.Rand, at Range) []byte {
	var e coder.Encoder
	e.Reset()
	number := func(in int, v int64) {
		if r.IntN(40) == 0 {
			v = r.Int64() >> r.IntN(63)
		}
		e.Number(in, uint64(v))
	}
	last := int64(0)
	for range 1 + r.IntN(6) {
		switch r.IntN(3) {
		case 0:
			number(inOp, opTables)
			number(inTable, 0)
			number(inCopyFile, 0)
			number(inRangeFile, 0)
			number(inRangeLen, int64(zigzag(at.Stored-last)))
			last = at.Stored
		case 1:
			number(inOp, opPieces)
			number(inSkip, int64(r.IntN(9)))
			number(inRun, int64(r.IntN(2)))
		case 2:
			number(inOp, opPredict)
			how := r.IntN(12) + 12*(r.IntN(5)/4)
			number(inTable, int64(how))
			if how >= 12 {
				number(inCopyFile, 0)
				number(inRangeFile, 0)
				number(inRangeLen, int64(zigzag(at.Stored-last)))
				last = at.Stored
			}
			if how%12 >= 6 {
				number(inTable, r.Int64())
			}
			steps := r.IntN(4)
			number(inTable, int64(steps))
			names := 0
			for range steps {
				run := r.IntN(3)
				if number(inRun, int64(run)); run > 0 {
					number(inSkip, int64(r.IntN(9)))
				}
				added := r.IntN(2)
				number(inAdded, int64(added))
				for range added {
					n := r.IntN(20)
					names += n
					number(inNameLen, int64(n))
					number(inNewAt, int64(r.IntN(3)))
				}
			}
			if names > 0 {
				number(inRawGuess, 0)
				e.Content(bytes.Repeat([]byte("a/"), names)[:names], coder.NewIndex(nil), 0, 0)
			}
			number(inOp, opRaw)
			number(inRawLen, 5)
			number(inRawGuess, 0)
			e.Content([]byte("bytes"), coder.NewIndex(nil), 0, 0)
		}
	}
	e.Number(inOp, opEnd)
	return e.Bytes()
}
