package program

import (
	"cmp"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/aes256"
)

const (
	segmentGoal    = 2 << 20   // stored bytes after which a segment ends, usually
	segmentContent = 512 << 20 // content after which it does
)

// Emitter writes the operations of one new file into segments. It knows what the
// machine that will execute them knows.
type Emitter struct {
	Enc     coder.Encoder
	H       *delta.Header
	Recipes *RecipeList
	Keys    delta.KeyList
	Done    func(stream []byte, file int) error // takes a finished segment, which begins in that file
	Goal    int                                 // stored bytes after which a segment ends, 0 for the usual

	Open    bool
	Unit    Sealing // that is open in the segment
	File    int     // at hand
	Pos     int64   // in the output
	Digests map[[DigestSize]byte]int
	Run     Copied         // a copy that may still grow
	digests int            // that were written; Digests has each sum once
	Seen    map[int32]bool // old entries that were copied as pieces
	Ranges  []Range        // of the source that the segment knows
	Copies  []Copied
	Plan    *Known // tables whose pieces are copied

	w     writer
	state State
	first int   // file in which the segment begins
	pad   int64 // zeros before the copy that may still grow
	moved bool  // it is of whole pieces, whose heads change

	wholes  []Range // the old files as wholes, and where they start then
	wholeAt []int64
}

// RecipeList numbers recipes in the order of their first use.
type RecipeList struct {
	List []delta.Recipe
	Used map[delta.Recipe]int64 // bytes made by each
}

func (l *RecipeList) number(r delta.Recipe, n int64) int {
	if l.Used == nil {
		l.Used = map[delta.Recipe]int64{}
	}
	l.Used[r] += n
	for i, have := range l.List {
		if have == r {
			return i
		}
	}
	l.List = append(l.List, r)
	return len(l.List) - 1
}

// output is what operands refer to of the new file.
func (e *Emitter) output() *output { return e.outputAt(e.Pos) }

// outputAt is the new file when it ended at a place.
func (e *Emitter) outputAt(pos int64) *output {
	return &output{h: e.H, to: e.File, size: e.H.New[e.File].Size, pos: pos}
}

// op begins an operation, and a segment where none is open.
func (e *Emitter) op(op uint64) {
	if !e.Open {
		e.Enc.Reset()
		e.w = writer{enc: &e.Enc, keys: &e.Keys, index: coder.NewIndex(nil)}
		e.state, e.Ranges = newState(e.H.ToldBy(e.File)), nil
		e.Open, e.first = true, e.File
		e.Unit = Sealing{}
	}
	e.w.word(inOp, op)
}

// Cursor returns where in the source the content after the last one probably is.
func (e *Emitter) Cursor() int64 { return e.state.Cursor }

// Knows reports that pieces and predictions of the segment are of these tables.
func (e *Emitter) Knows(k *Known) bool { return e.Open && e.state.Known == k }

// End finishes the segment if one is open.
func (e *Emitter) End() error {
	e.FlushCopy()
	if !e.Open {
		return nil
	}
	e.Seal(Sealing{})
	e.op(opEnd)
	e.Open = false
	return e.Done(e.Enc.Bytes(), e.first)
}

// Begin goes on with a new file, within the segment if one is open.
func (e *Emitter) Begin(file int) {
	e.FlushCopy()
	if e.Open {
		e.Seal(Sealing{})
		e.op(opNext)
		e.state.nextFile(e.H.ToldBy(file))
	}
	e.File, e.Pos, e.Plan, e.Seen = file, 0, nil, nil
	e.Digests, e.digests = map[[DigestSize]byte]int{}, 0
}

// Whole takes note of a new file that is an old one, unchanged.
func (e *Emitter) Whole(old, file int, n int64) {
	e.FlushCopy()
	e.Copies = append(e.Copies, Copied{File: old, To: file, N: n})
}

// Full reports that the segment should end where it can.
func (e *Emitter) Full() bool {
	return e.Open && (e.Enc.Size() > cmp.Or(e.Goal, segmentGoal) || e.w.contents > segmentContent)
}

// CopyOld copies n bytes of an old file.
func (e *Emitter) CopyOld(file int, off, n int64) {
	if e.Run.N > 0 && (file != e.Run.File || off != e.Run.Off+e.Run.N || e.moved) {
		e.FlushCopy()
	}
	if e.Run.N == 0 {
		e.Seal(Sealing{})
		e.Run = Copied{File: file, To: e.File, Off: off, At: e.Pos}
	}
	e.Run.N += n
	e.Pos += n
}

// FlushCopy writes the copy at hand, which may have grown until now, with the
// padding before it.
func (e *Emitter) FlushCopy() {
	c := e.Run
	if c.N == 0 {
		return
	}
	pad, moved := e.pad, e.moved
	e.Run, e.pad, e.moved = Copied{}, 0, false
	if !e.putPieces(c, pad, moved) {
		e.zeros(c.At-pad, pad)
		e.op(opCopy)
		e.state.codeCopy(&e.w, e.outputAt(c.At), spot{c.File, c.Off}, c.N)
	}
	e.state.copiedTo(c.File, c.Off, c.N)
	e.Copies = append(e.Copies, c)
}

// Padded begins a copy with zeros before it.
func (e *Emitter) Padded(n int64) {
	e.FlushCopy()
	e.Seal(Sealing{})
	e.Pos += n
	e.pad = n
}

// MovePiece copies a piece that was not copied before, and changes its head.
func (e *Emitter) MovePiece(p Stretch) {
	if e.Run.N > 0 && (!e.moved || p.Off != e.Run.Off+e.Run.N || e.Run.File != e.Plan.File) {
		e.FlushCopy()
	}
	if e.Run.N == 0 {
		e.Run, e.moved = Copied{File: e.Plan.File, To: e.File, Off: p.Off, At: e.Pos}, true
	}
	e.Run.N += p.N
	e.Pos += p.N
}

// zeros writes n of them at a place of the output.
func (e *Emitter) zeros(at, n int64) {
	for n > 0 {
		k := min(n, coder.MaxContent)
		e.raw(make([]byte, k), e.state.Cursor, at)
		at, n = at+k, n-k
	}
}

// putPieces writes a copy as pieces of tables, if it is some.
func (e *Emitter) putPieces(c Copied, pad int64, moved bool) bool {
	if e.Plan == nil || c.File != e.Plan.File {
		return false
	}
	if !e.Knows(e.Plan) {
		if _, _, ok := e.Plan.stretch(c.Off, c.N); !ok && !moved {
			return false
		}
		e.Name(e.Plan)
	}
	first, n, ok := e.Plan.stretch(c.Off, c.N)
	if !ok && moved { // another copy took one of them: all are there again when the tables are named again
		e.Name(e.Plan)
		first, n, ok = e.Plan.stretch(c.Off, c.N)
	}
	if !ok || !moved && c.At != c.Off && slices.ContainsFunc(e.Plan.Pieces[first:first+n], HasHead) {
		return false
	}
	e.op(opPieces)
	e.state.codePieces(&e.w, e.outputAt(c.At-pad), pieces{first, n, pad})
	return true
}

// Name sets the tables that are meant from here on.
func (e *Emitter) Name(k *Known) {
	e.op(opTables)
	e.state.codeNamed(&e.w, e.output(), k.Kind, k.File, k.At)
	k.renew()
	e.state.Known = k
}

// Predict makes a prediction of the tables that were named the source: content, which
// index is over.
func (e *Emitter) Predict(p Prediction, content []byte, index *coder.Index) {
	var names []byte
	for _, it := range p.Items {
		if it.Old < 0 {
			names = append(names, it.New...)
		}
	}
	e.op(opPredict)
	e.w.bytes = names
	e.state.codePrediction(&e.w, e.output(), &p, predictedBy(p.More))
	e.Ranges = []Range{{File: -1}}
	e.state.predicted(nil)
	e.w.index, e.w.tail = index, int64(len(content))
}

// predictedBy is an emitter that writes the operands of a prediction, with more tables.
type predictedBy []*Known

func (predictedBy) begin() error                   { return nil }
func (more predictedBy) tables(i int) (int, Range) { return more[i].File, more[i].At }
func (predictedBy) join(int, Range) error          { return nil }
func (predictedBy) arrange() (int64, error)        { return 0, nil }

// Source names the old content for what follows. index is over it.
func (e *Emitter) Source(ranges []Range, index *coder.Index) {
	e.FlushCopy()
	if e.wholeAt == nil {
		e.wholes, e.wholeAt = allRanges(e.H.Old, len(e.H.Listed()))
	}
	all, starts := e.wholes, e.wholeAt
	if len(all) > len(ranges) || !slices.Equal(all, ranges[:len(all)]) {
		all, starts = nil, nil
		e.op(opSource)
	} else {
		e.op(opAll)
	}
	e.state.codeRanges(&e.w, e.output(), all[:len(all):len(all)], ranges[len(all):], starts)
	e.Ranges = ranges
	src := NewSource(nil, ranges)
	e.state.src = src
	e.w.index, e.w.tail = index, src.Size()
}

// Raw writes up to delta.MaxContent bytes of content as they are; guess is their
// probable place in the source.
func (e *Emitter) Raw(p []byte, guess int64) {
	e.FlushCopy()
	e.raw(p, guess, e.Pos)
	e.Pos += int64(len(p))
}

// raw writes content at a place of the output.
func (e *Emitter) raw(p []byte, guess, at int64) {
	e.op(opRaw)
	e.w.bytes = p
	n := int64(len(p))
	e.state.codeRaw(&e.w, e.outputAt(at), n, guess, e.Unit.Key > 0)
	e.Copies = note(e.Copies, e.state.src, guess, n, at, e.File)
}

// Make writes content by a recipe, which gives stored bytes, in blocks of that
// size.
func (e *Emitter) Make(p []byte, guess, block int64, r delta.Recipe, stored int64) {
	e.FlushCopy()
	e.op(opMake)
	e.w.bytes = p
	op := e.state.codeMake(&e.w, e.output(), making{int64(len(p)), block, int64(e.Recipes.number(r, stored))})
	e.state.codeContent(&e.w, inMakeGuess, op.n, guess)
	e.Pos += stored
}

// Digest says that the SHA-1 sum of the output from..to is at a place of the
// output.
func (e *Emitter) Digest(sum [DigestSize]byte, at, from, to int64) {
	e.FlushCopy()
	e.Seal(Sealing{})
	e.op(opDigest)
	e.state.codeDigest(&e.w, e.output(), covering{at, from, to})
	e.digested(sum)
}

// PartDigest says that at a place of the output is the SHA-1 of the part that the 16
// bytes before it name.
func (e *Emitter) PartDigest(sum [DigestSize]byte, at int64) {
	e.FlushCopy()
	e.Seal(Sealing{})
	e.op(opPart)
	e.state.codeDigestAt(&e.w, e.output(), at)
	e.digested(sum)
}

func (e *Emitter) digested(sum [DigestSize]byte) {
	e.Digests[sum] = e.digests
	e.digests++
}

// SameDigest says that a digest written before is at another place too.
func (e *Emitter) SameDigest(of int, at int64, unit Sealing) {
	e.FlushCopy()
	e.Seal(Sealing{})
	a := again{of: int64(of), at: at}
	if unit.Key == 0 {
		e.op(opSame)
		e.state.codeSame(&e.w, e.output(), a, e.digests)
		return
	}
	e.op(opSealedSame)
	a.key, a.skip = int64(unit.Key), (at-unit.Start)&(aes256.Block-1)
	e.state.codeSealedSame(&e.w, e.output(), a, e.digests)
}

// Trial is how many bytes content takes, coded by old content.
func Trial(content, old []byte) int {
	var e coder.Encoder
	e.Reset()
	index := coder.NewIndex(old)
	guess := int64(0)
	for at := 0; at < len(content); at += coder.MaxContent {
		e.Content(content[at:min(at+coder.MaxContent, len(content))], index, guess, int64(len(old)))
		guess = e.Next()
	}
	return e.Size()
}
