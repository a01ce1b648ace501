package program

import (
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/table"
	"pakdb/internal/aes256"
)

const (
	segmentGoal    = 2 << 20   // stored bytes after which a segment ends
	segmentContent = 512 << 20 // content after which it does
)

// Emitter writes the operations of one new file into segments. It knows what the
// machine that will execute them knows.
type Emitter struct {
	Enc     delta.Encoder
	H       *pkdelta.Header
	Recipes *RecipeList
	Keys    pkdelta.KeyList
	Unit    Sealing                             // that is open in the segment
	Done    func(stream []byte, file int) error // takes a finished segment, which begins in that file

	Open    bool
	File    int   // at hand
	first   int   // of the segment
	Pos     int64 // in the output
	content int64 // of the segment
	Digests map[[DigestSize]byte]int
	nDigest int
	Run     Copied         // a copy that may still grow
	pad     int64          // zeros before it
	Seen    map[int32]bool // old entries that were copied as pieces
	moved   bool           // it is of whole pieces, whose heads change
	State
	Ranges  []Range // of the source that the segment knows
	Copies  []Copied
	Plan    *Known  // tables whose pieces are copied
	wholes  []Range // the old files as wholes, and where they start then
	wholeAt []int64
	tail    int64 // size of the source
	index   *delta.Index
}

// RecipeList numbers recipes in the order of their first use.
type RecipeList struct {
	List []pkdelta.Recipe
	Used map[pkdelta.Recipe]int64 // bytes made by each
}

func (l *RecipeList) number(r pkdelta.Recipe, n int64) int {
	if l.Used == nil {
		l.Used = map[pkdelta.Recipe]int64{}
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

// Op begins an operation, and a segment where none is open.
func (e *Emitter) Op(op uint64) {
	if !e.Open {
		e.Enc.Reset()
		e.State, e.Ranges, e.tail, e.index = State{same: -1}, nil, 0, delta.NewIndex(nil)
		e.Open, e.content, e.first = true, 0, e.File
		e.Unit = Sealing{}
		for range e.Ends {
			e.toFile(e.H.ToldBy(e.File))
		}
	}
	e.Enc.Number(inOp, op)
}

// End finishes the segment if one is open.
func (e *Emitter) End() error {
	e.FlushCopy()
	if !e.Open {
		return nil
	}
	e.Seal(Sealing{})
	e.Op(opEnd)
	e.Open = false
	return e.Done(e.Enc.Bytes(), e.first)
}

// Begin goes on with a new file, within the segment if one is open.
func (e *Emitter) Begin(file int) {
	e.FlushCopy()
	if e.Open {
		e.Seal(Sealing{})
		e.Op(opNext)
		e.rawFrom, e.rawTo, e.same, e.lastDigest = 0, 0, -1, 0
		e.toFile(e.H.ToldBy(file))
	}
	e.File, e.Pos, e.Plan, e.Seen = file, 0, nil, nil
	e.Digests, e.nDigest = map[[DigestSize]byte]int{}, 0
}

// Whole takes note of a new file that is an old one, unchanged.
func (e *Emitter) Whole(old, file int, n int64) {
	e.FlushCopy()
	e.Copies = append(e.Copies, Copied{File: old, To: file, N: n})
}

// Full reports that the segment should end where it can.
func (e *Emitter) Full() bool {
	return e.Open && (e.Enc.Size() > segmentGoal || e.content > segmentContent)
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
		e.copy(c)
	}
	e.copiedTo(c.File, c.Off, c.N)
	e.Copies = append(e.Copies, c)
}

// copy writes a copy of bytes that stand in an old file, or this one, already.
func (e *Emitter) copy(c Copied) {
	e.Op(opCopy)
	n := len(e.H.Old)
	switch {
	case c.At+c.N == e.H.New[e.File].Size:
		e.Enc.Number(inCopyLen, copyRest)
	case c.File < n && c.Off+c.N == e.H.Old[c.File].Size:
		e.Enc.Number(inCopyLen, copyToEnd)
	default:
		e.Enc.Number(inCopyLen, uint64(c.N+copyLengths))
	}
	if k := e.goesOn(c.File, c.Off); k >= 0 {
		e.Enc.Number(inCopyFrom, uint64(k))
		return
	}
	from := uint64(len(e.Ends))
	if c.File < n {
		from += 1 + Zigzag(int64(c.File-e.lastOld(n)))
	}
	e.Enc.Number(inCopyFrom, from)
	e.Enc.Number(inCopyOff, Zigzag(c.Off-e.behind(c.File)))
}

// length writes how many bytes of the new file are written from at on.
func (e *Emitter) length(in int, n, at int64) {
	if at+n == e.H.New[e.File].Size && e.Unit.Key == 0 {
		n = 0
	}
	e.Enc.Number(in, uint64(n))
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
		k := min(n, delta.MaxContent)
		e.Op(opRaw)
		e.length(inRawLen, k, at)
		guess := e.Cursor
		e.Put(make([]byte, k), InRawGuess, guess)
		e.Copies = note(e.Copies, e.src, guess, k, at, e.File)
		e.rawFrom, e.rawTo = at, at+k
		at, n = at+k, n-k
	}
}

// putPieces writes a copy as pieces of tables, if it is some.
func (e *Emitter) putPieces(c Copied, pad int64, moved bool) bool {
	if e.Plan == nil || c.File != e.Plan.File {
		return false
	}
	if e.Known != e.Plan || !e.Open {
		if _, _, ok := e.Plan.span(c.Off, c.N); !ok && !moved {
			return false
		}
		e.Name(e.Plan)
	}
	first, n, ok := e.Plan.span(c.Off, c.N)
	if !ok && moved { // another copy took one of them: all are there again when the tables are named again
		e.Name(e.Plan)
		first, n, ok = e.Plan.span(c.Off, c.N)
	}
	if !ok || !moved && c.At != c.Off && slices.ContainsFunc(e.Plan.Pieces[first:first+n], HasHead) {
		return false
	}
	e.Op(opPieces)
	e.Enc.Number(InSkip, Zigzag(e.Plan.order.Skip(first)))
	e.Enc.Number(InRun, uint64(n-1))
	if e.Plan.Kind == table.IoStore {
		e.Enc.Number(inPad, Zigzag(pad-e.Plan.Kind.Pad(c.At-pad, e.Plan.Pieces[first].N)))
	}
	e.Plan.order.Take(first, n)
	return true
}

// Name tells which tables are meant from here on.
func (e *Emitter) Name(k *Known) {
	e.Op(opTables)
	e.Enc.Number(InTable, uint64(k.Kind))
	e.PutTables(k)
	k.renew()
	e.Known = k
}

// PutTables tells where tables of a known kind are: at the end of their file, at
// its front, or all of it.
func (e *Emitter) PutTables(k *Known) {
	e.Enc.Number(inCopyFile, uint64(k.File))
	e.Enc.Number(inRangeFile, Zigzag(int64(k.At.File-e.last.File)))
	if k.Kind != table.IoStore {
		e.Enc.Number(inRangeLen, Zigzag(k.At.Stored-e.last.Stored))
	}
	e.last = k.At
}

// Source names the old content for what follows. index is over it.
func (e *Emitter) Source(ranges []Range, index *delta.Index) {
	e.FlushCopy()
	if e.wholeAt == nil {
		e.wholes, e.wholeAt = allRanges(e.H.Old, len(e.H.Listed()))
	}
	all, starts := e.wholes, e.wholeAt
	if len(all) > len(ranges) || !slices.Equal(all, ranges[:len(all)]) {
		all, starts = nil, nil
		e.Op(opSource)
	} else {
		e.Op(opAll)
	}
	e.Enc.Number(inRanges, uint64(len(ranges)-len(all)))
	for _, r := range ranges[len(all):] {
		e.putRange(r)
	}
	e.Ranges, e.index, e.Cursor, e.starts = ranges, index, 0, starts
	e.follow()
	e.src, e.tail = NewSource(nil, ranges), 0
	for _, r := range ranges {
		e.tail += r.Size
	}
}

// Predicted makes a prediction the source.
func (e *Emitter) Predicted(content []byte, index *delta.Index) {
	e.Ranges, e.index, e.Cursor, e.starts = []Range{{File: -1}}, index, 0, nil
	e.src, e.tail = nil, int64(len(content))
}

func (e *Emitter) putRange(r Range) {
	e.Enc.Number(inRangeFile, Zigzag(int64(r.File-e.last.File)))
	e.Enc.Number(inRangeOff, Zigzag(r.Off-e.last.endIn(r.File)))
	e.Enc.Number(inRangeLen, Zigzag(r.Stored-e.last.Stored))
	m := methodNumber(r)
	e.Enc.Number(inMethod, uint64(m+len(pkdelta.Methods)*e.Keys.Number(r.Key)))
	if m > 0 {
		e.Enc.Number(inRangeSize, Zigzag(r.Size-e.last.Size))
	}
	e.last = r
}

func methodNumber(r Range) int {
	for i, m := range pkdelta.Methods {
		if m == r.Method {
			return i
		}
	}
	return 0 // only ranges of these methods are made
}

// Raw writes up to delta.MaxContent bytes of content as they are; guess is their
// probable place in the source.
func (e *Emitter) Raw(p []byte, guess int64) {
	e.FlushCopy()
	e.Op(opRaw)
	e.length(inRawLen, int64(len(p)), e.Pos)
	e.Put(p, InRawGuess, guess)
	e.Copies = note(e.Copies, e.src, guess, int64(len(p)), e.Pos, e.File)
	e.rawFrom, e.rawTo = e.Pos, e.Pos+int64(len(p))
	e.Pos += int64(len(p))
}

// Make writes content by a recipe, which gives stored bytes, in blocks of that
// size.
func (e *Emitter) Make(p []byte, guess, block int64, r pkdelta.Recipe, stored int64) {
	e.FlushCopy()
	e.Op(opMake)
	e.Enc.Number(inMakeLen, uint64(len(p)))
	e.Enc.Number(inMakeBlock, uint64(block))
	e.Enc.Number(inRecipe, uint64(e.Recipes.number(r, stored)))
	e.Put(p, inMakeGuess, guess)
	e.Pos += stored
}

// Put codes content against the source. in is the context of the first guess.
func (e *Emitter) Put(p []byte, in int, guess int64) {
	e.Enc.Number(in, Zigzag(guess-e.Cursor))
	e.content += int64(len(p))
	for at := 0; at < len(p); at += delta.MaxContent {
		e.Enc.Content(p[at:min(at+delta.MaxContent, len(p))], e.index, guess, e.tail)
		guess = e.Enc.Next()
	}
	e.Cursor = guess
}

// Digest says that the SHA-1 sum of the output from..to stands at a place of the
// output.
func (e *Emitter) Digest(sum [DigestSize]byte, at, from, to int64) {
	e.FlushCopy()
	e.Seal(Sealing{})
	e.Op(opDigest)
	e.Enc.Number(inDigestAt, Zigzag(at-e.rawFrom))
	e.Enc.Number(inDigestFrom, Zigzag(from-e.rawTo))
	e.Enc.Number(inDigestTo, uint64(e.Pos-to))
	e.digested(sum, at)
}

// PartDigest says that at a place of the output stands the SHA-1 of what the 16
// bytes before it tell.
func (e *Emitter) PartDigest(sum [DigestSize]byte, at int64) {
	e.FlushCopy()
	e.Seal(Sealing{})
	e.Op(opPart)
	e.Enc.Number(inDigestAt, Zigzag(at-e.rawFrom))
	e.digested(sum, at)
}

func (e *Emitter) digested(sum [DigestSize]byte, at int64) {
	e.lastDigest = at + DigestSize
	e.Digests[sum] = e.nDigest
	e.nDigest++
}

// SameDigest says that a digest written before stands at another place too.
func (e *Emitter) SameDigest(of int, at int64, unit Sealing) {
	e.FlushCopy()
	e.Seal(Sealing{})
	if unit.Key > 0 {
		e.Op(opSealedSame)
		e.Enc.Number(inKey, uint64(e.Keys.Number(unit.Key)))
		e.Enc.Number(inUnit, uint64((at-unit.Start)&(aes256.Block-1)))
	} else {
		e.Op(opSame)
	}
	e.Enc.Number(inSameAt, Zigzag(at-e.lastDigest))
	e.Enc.Number(inSameOf, Zigzag(int64(of-e.same-1)))
	e.same, e.lastDigest = of, at+DigestSize
}

// Trial is how many bytes content takes, coded by old content.
func Trial(content, old []byte) int {
	var e delta.Encoder
	e.Reset()
	index := delta.NewIndex(old)
	guess := int64(0)
	for at := 0; at < len(content); at += delta.MaxContent {
		e.Content(content[at:min(at+delta.MaxContent, len(content))], index, guess, int64(len(old)))
		guess = e.Next()
	}
	return e.Size()
}
