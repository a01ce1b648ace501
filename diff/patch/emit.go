package patch

import (
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/patch/table"
	"pakdb/internal/aes256"
)

const (
	segmentGoal    = 2 << 20   // stored bytes after which a segment ends
	segmentContent = 512 << 20 // content after which it does
)

// emitter writes the operations of one new file into segments. It knows what the
// machine that will execute them knows.
type emitter struct {
	enc     delta.Encoder
	h       *Header
	recipes *recipeList
	keys    keyList
	unit    sealing                             // that is open in the segment
	done    func(stream []byte, file int) error // takes a finished segment, which begins in that file

	open    bool
	file    int   // at hand
	first   int   // of the segment
	pos     int64 // in the output
	content int64 // of the segment
	digests map[[digestSize]byte]int
	nDigest int
	run     copied         // a copy that may still grow
	pad     int64          // zeros before it
	seen    map[int32]bool // old entries that were copied as pieces
	moved   bool           // it is of whole pieces, whose heads change
	state
	ranges  []Range // of the source that the segment knows
	copies  []copied
	plan    *known  // tables whose pieces are copied
	wholes  []Range // the old files as wholes, and where they start then
	wholeAt []int64
	tail    int64 // size of the source
	index   *delta.Index
}

// recipeList numbers recipes in the order of their first use.
type recipeList struct {
	list []Recipe
	used map[Recipe]int64 // bytes made by each
}

func (l *recipeList) number(r Recipe, n int64) int {
	if l.used == nil {
		l.used = map[Recipe]int64{}
	}
	l.used[r] += n
	for i, have := range l.list {
		if have == r {
			return i
		}
	}
	l.list = append(l.list, r)
	return len(l.list) - 1
}

// op begins an operation, and a segment where none is open.
func (e *emitter) op(op uint64) {
	if !e.open {
		e.enc.Reset()
		e.state, e.ranges, e.tail, e.index = state{same: -1}, nil, 0, delta.NewIndex(nil)
		e.open, e.content, e.first = true, 0, e.file
		e.unit = sealing{}
		for range e.ends {
			e.toFile(e.h.toldBy(e.file))
		}
	}
	e.enc.Number(inOp, op)
}

// end finishes the segment if one is open.
func (e *emitter) end() error {
	e.flushCopy()
	if !e.open {
		return nil
	}
	e.seal(sealing{})
	e.op(opEnd)
	e.open = false
	return e.done(e.enc.Bytes(), e.first)
}

// begin goes on with a new file, within the segment if one is open.
func (e *emitter) begin(file int) {
	e.flushCopy()
	if e.open {
		e.seal(sealing{})
		e.op(opNext)
		e.rawFrom, e.rawTo, e.same, e.lastDigest = 0, 0, -1, 0
		e.toFile(e.h.toldBy(file))
	}
	e.file, e.pos, e.plan, e.seen = file, 0, nil, nil
	e.digests, e.nDigest = map[[digestSize]byte]int{}, 0
}

// whole takes note of a new file that is an old one, unchanged.
func (e *emitter) whole(old, file int, n int64) {
	e.flushCopy()
	e.copies = append(e.copies, copied{file: old, to: file, n: n})
}

// full reports that the segment should end where it can.
func (e *emitter) full() bool {
	return e.open && (e.enc.Size() > segmentGoal || e.content > segmentContent)
}

// copyOld copies n bytes of an old file.
func (e *emitter) copyOld(file int, off, n int64) {
	if e.run.n > 0 && (file != e.run.file || off != e.run.off+e.run.n || e.moved) {
		e.flushCopy()
	}
	if e.run.n == 0 {
		e.seal(sealing{})
		e.run = copied{file: file, to: e.file, off: off, at: e.pos}
	}
	e.run.n += n
	e.pos += n
}

// flushCopy writes the copy at hand, which may have grown until now, with the
// padding before it.
func (e *emitter) flushCopy() {
	c := e.run
	if c.n == 0 {
		return
	}
	pad, moved := e.pad, e.moved
	e.run, e.pad, e.moved = copied{}, 0, false
	if !e.putPieces(c, pad, moved) {
		e.zeros(c.at-pad, pad)
		e.copy(c)
	}
	e.copiedTo(c.file, c.off, c.n)
	e.copies = append(e.copies, c)
}

// copy writes a copy of bytes that stand in an old file, or this one, already.
func (e *emitter) copy(c copied) {
	e.op(opCopy)
	n := len(e.h.Old)
	switch {
	case c.at+c.n == e.h.New[e.file].Size:
		e.enc.Number(inCopyLen, copyRest)
	case c.file < n && c.off+c.n == e.h.Old[c.file].Size:
		e.enc.Number(inCopyLen, copyToEnd)
	default:
		e.enc.Number(inCopyLen, uint64(c.n+copyLengths))
	}
	if k := e.goesOn(c.file, c.off); k >= 0 {
		e.enc.Number(inCopyFrom, uint64(k))
		return
	}
	from := uint64(len(e.ends))
	if c.file < n {
		from += 1 + zigzag(int64(c.file-e.lastOld(n)))
	}
	e.enc.Number(inCopyFrom, from)
	e.enc.Number(inCopyOff, zigzag(c.off-e.behind(c.file)))
}

// length writes how many bytes of the new file are written from at on.
func (e *emitter) length(in int, n, at int64) {
	if at+n == e.h.New[e.file].Size && e.unit.key == 0 {
		n = 0
	}
	e.enc.Number(in, uint64(n))
}

// padded begins a copy with zeros before it.
func (e *emitter) padded(n int64) {
	e.flushCopy()
	e.seal(sealing{})
	e.pos += n
	e.pad = n
}

// movePiece copies a piece that was not copied before, and changes its head.
func (e *emitter) movePiece(p stretch) {
	if e.run.n > 0 && (!e.moved || p.off != e.run.off+e.run.n || e.run.file != e.plan.file) {
		e.flushCopy()
	}
	if e.run.n == 0 {
		e.run, e.moved = copied{file: e.plan.file, to: e.file, off: p.off, at: e.pos}, true
	}
	e.run.n += p.n
	e.pos += p.n
}

// zeros writes n of them at a place of the output.
func (e *emitter) zeros(at, n int64) {
	for n > 0 {
		k := min(n, delta.MaxContent)
		e.op(opRaw)
		e.length(inRawLen, k, at)
		guess := e.cursor
		e.put(make([]byte, k), inRawGuess, guess)
		e.copies = note(e.copies, e.src, guess, k, at, e.file)
		e.rawFrom, e.rawTo = at, at+k
		at, n = at+k, n-k
	}
}

// putPieces writes a copy as pieces of tables, if it is some.
func (e *emitter) putPieces(c copied, pad int64, moved bool) bool {
	if e.plan == nil || c.file != e.plan.file {
		return false
	}
	if e.known != e.plan || !e.open {
		if _, _, ok := e.plan.span(c.off, c.n); !ok && !moved {
			return false
		}
		e.name(e.plan)
	}
	first, n, ok := e.plan.span(c.off, c.n)
	if !ok && moved { // another copy took one of them: all are there again when the tables are named again
		e.name(e.plan)
		first, n, ok = e.plan.span(c.off, c.n)
	}
	if !ok || !moved && c.at != c.off && slices.ContainsFunc(e.plan.pieces[first:first+n], hasHead) {
		return false
	}
	e.op(opPieces)
	e.enc.Number(inSkip, zigzag(e.plan.order.skip(first)))
	e.enc.Number(inRun, uint64(n-1))
	if e.plan.kind == table.IoStore {
		e.enc.Number(inPad, zigzag(pad-e.plan.kind.Pad(c.at-pad, e.plan.pieces[first].n)))
	}
	e.plan.order.take(first, n)
	return true
}

// name tells which tables are meant from here on.
func (e *emitter) name(k *known) {
	e.op(opTables)
	e.enc.Number(inTable, uint64(k.kind))
	e.putTables(k)
	k.renew()
	e.known = k
}

// putTables tells where tables of a known kind are: at the end of their file, at
// its front, or all of it.
func (e *emitter) putTables(k *known) {
	e.enc.Number(inCopyFile, uint64(k.file))
	e.enc.Number(inRangeFile, zigzag(int64(k.at.File-e.last.File)))
	if k.kind != table.IoStore {
		e.enc.Number(inRangeLen, zigzag(k.at.Stored-e.last.Stored))
	}
	e.last = k.at
}

// source names the old content for what follows. index is over it.
func (e *emitter) source(ranges []Range, index *delta.Index) {
	e.flushCopy()
	if e.wholeAt == nil {
		e.wholes, e.wholeAt = allRanges(e.h.Old, len(e.h.listed()))
	}
	all, starts := e.wholes, e.wholeAt
	if len(all) > len(ranges) || !slices.Equal(all, ranges[:len(all)]) {
		all, starts = nil, nil
		e.op(opSource)
	} else {
		e.op(opAll)
	}
	e.enc.Number(inRanges, uint64(len(ranges)-len(all)))
	for _, r := range ranges[len(all):] {
		e.putRange(r)
	}
	e.ranges, e.index, e.cursor, e.starts = ranges, index, 0, starts
	e.follow()
	e.src, e.tail = newSource(nil, ranges), 0
	for _, r := range ranges {
		e.tail += r.Size
	}
}

// predicted makes a prediction the source.
func (e *emitter) predicted(content []byte, index *delta.Index) {
	e.ranges, e.index, e.cursor, e.starts = []Range{{File: -1}}, index, 0, nil
	e.src, e.tail = nil, int64(len(content))
}

func (e *emitter) putRange(r Range) {
	e.enc.Number(inRangeFile, zigzag(int64(r.File-e.last.File)))
	e.enc.Number(inRangeOff, zigzag(r.Off-e.last.endIn(r.File)))
	e.enc.Number(inRangeLen, zigzag(r.Stored-e.last.Stored))
	m := methodNumber(r)
	e.enc.Number(inMethod, uint64(m+len(methods)*e.keys.number(r.Key)))
	if m > 0 {
		e.enc.Number(inRangeSize, zigzag(r.Size-e.last.Size))
	}
	e.last = r
}

func methodNumber(r Range) int {
	for i, m := range methods {
		if m == r.Method {
			return i
		}
	}
	return 0 // only ranges of these methods are made
}

// raw writes up to delta.MaxContent bytes of content as they are; guess is their
// probable place in the source.
func (e *emitter) raw(p []byte, guess int64) {
	e.flushCopy()
	e.op(opRaw)
	e.length(inRawLen, int64(len(p)), e.pos)
	e.put(p, inRawGuess, guess)
	e.copies = note(e.copies, e.src, guess, int64(len(p)), e.pos, e.file)
	e.rawFrom, e.rawTo = e.pos, e.pos+int64(len(p))
	e.pos += int64(len(p))
}

// make writes content by a recipe, which gives stored bytes, in blocks of that
// size.
func (e *emitter) make(p []byte, guess, block int64, r Recipe, stored int64) {
	e.flushCopy()
	e.op(opMake)
	e.enc.Number(inMakeLen, uint64(len(p)))
	e.enc.Number(inMakeBlock, uint64(block))
	e.enc.Number(inRecipe, uint64(e.recipes.number(r, stored)))
	e.put(p, inMakeGuess, guess)
	e.pos += stored
}

// put codes content against the source. in is the context of the first guess.
func (e *emitter) put(p []byte, in int, guess int64) {
	e.enc.Number(in, zigzag(guess-e.cursor))
	e.content += int64(len(p))
	for at := 0; at < len(p); at += delta.MaxContent {
		e.enc.Content(p[at:min(at+delta.MaxContent, len(p))], e.index, guess, e.tail)
		guess = e.enc.Next()
	}
	e.cursor = guess
}

// digest says that the SHA-1 sum of the output from..to stands at a place of the
// output.
func (e *emitter) digest(sum [digestSize]byte, at, from, to int64) {
	e.flushCopy()
	e.seal(sealing{})
	e.op(opDigest)
	e.enc.Number(inDigestAt, zigzag(at-e.rawFrom))
	e.enc.Number(inDigestFrom, zigzag(from-e.rawTo))
	e.enc.Number(inDigestTo, uint64(e.pos-to))
	e.digested(sum, at)
}

// partDigest says that at a place of the output stands the SHA-1 of what the 16
// bytes before it tell.
func (e *emitter) partDigest(sum [digestSize]byte, at int64) {
	e.flushCopy()
	e.seal(sealing{})
	e.op(opPart)
	e.enc.Number(inDigestAt, zigzag(at-e.rawFrom))
	e.digested(sum, at)
}

func (e *emitter) digested(sum [digestSize]byte, at int64) {
	e.lastDigest = at + digestSize
	e.digests[sum] = e.nDigest
	e.nDigest++
}

// sameDigest says that a digest written before stands at another place too.
func (e *emitter) sameDigest(of int, at int64, unit sealing) {
	e.flushCopy()
	e.seal(sealing{})
	if unit.key > 0 {
		e.op(opSealedSame)
		e.enc.Number(inKey, uint64(e.keys.number(unit.key)))
		e.enc.Number(inUnit, uint64((at-unit.start)&(aes256.Block-1)))
	} else {
		e.op(opSame)
	}
	e.enc.Number(inSameAt, zigzag(at-e.lastDigest))
	e.enc.Number(inSameOf, zigzag(int64(of-e.same-1)))
	e.same, e.lastDigest = of, at+digestSize
}

// trial is how many bytes content takes, coded by old content.
func trial(content, old []byte) int {
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
