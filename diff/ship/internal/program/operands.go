package program

import (
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/aes256"
)

// State is what operands refer to. Both sides keep it, and the functions that code
// operands change it. It begins anew with each segment.
type State struct {
	Known      *Known // tables
	src        coder.Old
	Cursor     int64                // in the source, after the content before
	Ends       [EndsRemembered]spot // of copies: where these go on, the last one first
	starts     []int64              // of the old files in a source that has all of them; else nil
	last       Range                // named before
	rawFrom    int64                // output of the last opRaw
	rawTo      int64
	same       int   // index of the digest that opSame took
	lastDigest int64 // end of the digest written last
}

// EndsRemembered is how many copies are known as such that a later one may go on from.
const EndsRemembered = 4

// newState returns that of a segment which begins in a file with a twin.
func newState(start int) State {
	s := State{same: -1}
	for range s.Ends {
		s.toFile(start)
	}
	return s
}

// nextFile goes on with the next new file. What refers to output begins anew.
func (s *State) nextFile(start int) {
	s.rawFrom, s.rawTo, s.same, s.lastDigest = 0, 0, -1, 0
	s.toFile(start)
}

// predicted makes a prediction the source. A writer needs no bytes of it.
func (s *State) predicted(content coder.Old) { s.src, s.Cursor, s.starts = content, 0, nil }

// output is the new file at hand, as far as operands refer to it.
type output struct {
	h    *delta.Header
	to   int   // which of the new files it is
	size int64 // that it will have
	pos  int64 // where it ends so far
	keys int64 // that there are
}

// lastOld is the highest number of an old file.
func (x *output) lastOld() int64 { return int64(len(x.h.Old)) - 1 }

// sizeOf is how much of an old file, or of the new one so far, can be copied.
func (x *output) sizeOf(file int) int64 {
	if file == len(x.h.Old) {
		return x.pos
	}
	return x.h.Old[file].Size
}

// Lengths of copies that are no numbers of bytes.
const (
	copyRest    = iota // all that the new file lacks
	copyToEnd          // up to the end of the file that it is from
	copyLengths        // the others are these and the number
)

// codeCopy codes what opCopy copies: n bytes from a spot on.
func (s *State) codeCopy(c side, x *output, from spot, n int64) (spot, int64) {
	length := n + copyLengths
	switch {
	case x.pos+n == x.size:
		length = copyRest
	case from.file < len(x.h.Old) && from.off+n == x.h.Old[from.file].Size:
		length = copyToEnd
	}
	length = c.number(inCopyLen, length, x.size-x.pos+copyLengths)
	from = s.codeSpot(c, x, from)
	if c.err() != nil {
		return from, 0
	}
	switch length {
	case copyRest:
		n = x.size - x.pos
	case copyToEnd:
		n = x.sizeOf(from.file) - from.off
	default:
		n = length - copyLengths
	}
	if n <= 0 { // its end may be after that of the new file, where it was one before
		c.fail(corrupt("copy of %d bytes", n))
	}
	return from, n
}

// codeSpot codes where a copy begins.
func (s *State) codeSpot(c side, x *output, from spot) spot {
	n, ends := len(x.h.Old), uint64(len(s.Ends))
	k := uint64(s.goesOn(from.file, from.off))
	if k >= ends { // -1
		if k = ends; from.file < n {
			k += 1 + zigzag(int64(from.file-s.lastOld(n)))
		}
	}
	if k = c.word(inCopyFrom, k); k < ends {
		return s.Ends[k]
	}
	from.file = n
	if k -= ends; k > 0 {
		d := unzigzag(k - 1)
		if from.file = s.lastOld(n); d < int64(-from.file) || d >= int64(n-from.file) {
			c.fail(corrupt("copy from %d files after old file %d of %d", d, from.file, n))
			return spot{}
		}
		from.file += int(d)
	}
	from.off = c.place(inCopyOff, from.off, s.behind(from.file), x.sizeOf(from.file))
	return from
}

// codeRanges codes the ranges of a source after those that are given, which begin at
// starts if they are all old files, and returns all.
func (s *State) codeRanges(c side, x *output, given, more []Range, starts []int64) []Range {
	n := int(c.number(inRanges, int64(len(more)), MaxRanges))
	c.spend(itemCost * int64(n))
	total := int64(0)
	for _, r := range given {
		if total += r.Size; total > maxSourced {
			c.fail(corrupt("a source of %d bytes", total))
			break
		}
	}
	for i := 0; i < n && c.err() == nil; i++ {
		var r Range
		if i < len(more) {
			r = more[i]
		}
		r = s.codeRange(c, x, r)
		if total += r.Size; total > maxSourced {
			c.fail(corrupt("a source of %d bytes", total))
		}
		given = append(given, r)
	}
	s.Cursor, s.starts = 0, starts
	s.follow()
	return given
}

// maxSourced is how large a source may be: what guesses are far from overflowing
// with.
const maxSourced = 1 << 40

// codeRange codes a range of an old file, by the one named before.
func (s *State) codeRange(c side, x *output, r Range) Range {
	r.File = int(c.place(inRangeFile, int64(r.File), int64(s.last.File), x.lastOld()))
	if c.err() != nil {
		return Range{}
	}
	size := x.h.Old[r.File].Size
	r.Off = c.place(inRangeOff, r.Off, s.last.endIn(r.File), size)
	r.Stored = c.place(inRangeLen, r.Stored, s.last.Stored, size)
	methods := int64(len(delta.Methods))
	method := int64(max(slices.Index(delta.Methods[:], r.Method), 0)) // only ranges of these are made
	method = c.number(inMethod, method+methods*int64(c.key(r.Key)), methods*(1+x.keys)-1)
	r.Key, method = int(method/methods), method%methods
	if r.Method = delta.Methods[method]; method > 0 {
		r.Size = c.place(inRangeSize, r.Size, s.last.Size, MaxBlock)
	} else {
		r.Size = r.Stored
	}
	s.last = r
	r.check(c, x.h.Old)
	return r
}

// codeLength codes how many bytes of at most so many are written: 0 is all. whole is
// whether that may be said.
func codeLength(c side, in int, n, most int64, whole bool) int64 {
	if whole && n == most {
		n = 0
	}
	if n = c.number(in, n, most); n == 0 {
		n = most
	}
	return n
}

// codeContent codes n bytes of content against the source, and returns where in that
// the first of them was looked for. in is the context of that guess.
func (s *State) codeContent(c side, in int, n, guess int64) int64 {
	// The guess says nothing of what is after its source, but it must not overflow.
	first := s.Cursor + unzigzag(c.word(in, zigzag(guess-s.Cursor)))
	if first < -1<<40 || first > 1<<41 {
		c.fail(corrupt("guess %d", first))
	}
	guess = first
	for at := int64(0); at < n && c.err() == nil; at += coder.MaxContent {
		guess = c.content(at, min(n-at, coder.MaxContent), guess)
	}
	s.Cursor = guess
	return first
}

// codeRaw codes how many bytes opRaw writes, and where these are looked for, with the
// bytes. sealed is whether they are encrypted.
func (s *State) codeRaw(c side, x *output, n, guess int64, sealed bool) (_, _ int64) {
	n = codeLength(c, inRawLen, n, min(x.size-x.pos, coder.MaxContent), !sealed && x.pos+n == x.size)
	guess = s.codeContent(c, inRawGuess, n, guess)
	s.rawFrom, s.rawTo = x.pos, x.pos+n
	return n, guess
}

// making is what opMake is followed by: content in blocks, and the recipe that stores
// these.
type making struct{ n, block, recipe int64 }

// codeMake codes all of opMake but the content.
func (s *State) codeMake(c side, x *output, m making) making {
	m.n = c.number(inMakeLen, m.n, MaxBlock)
	m.block = c.number(inMakeBlock, m.block, MaxBlock)
	m.recipe = c.number(inRecipe, m.recipe, int64(len(x.h.Recipes))-1)
	if m.block == 0 {
		c.fail(corrupt("blocks of no bytes"))
	}
	return m
}

// covering is a digest at a place of the output, over from..to of it.
type covering struct{ at, from, to int64 }

func (s *State) codeDigest(c side, x *output, d covering) covering {
	d.at = s.codeDigestAt(c, x, d.at)
	d.from = c.place(inDigestFrom, d.from, s.rawTo, x.pos)
	d.to = x.pos - c.number(inDigestTo, x.pos-d.to, x.pos-d.from)
	return d
}

// codeDigestAt is all of opPart, and the beginning of opDigest.
func (s *State) codeDigestAt(c side, x *output, at int64) int64 {
	at = c.place(inDigestAt, at, s.rawFrom, x.pos-DigestSize)
	s.lastDigest = at + DigestSize
	return at
}

// again says that digest number of is at another place too. In what is encrypted
// by a key, skip bytes of its AES block are before it.
type again struct {
	of, at    int64
	key, skip int64
}

func (s *State) codeSame(c side, x *output, a again, digests int) again {
	a.at = c.place(inSameAt, a.at, s.lastDigest, x.pos-DigestSize)
	a.of = c.place(inSameOf, a.of, int64(s.same)+1, int64(digests)-1)
	s.same, s.lastDigest = int(a.of), a.at+DigestSize
	return a
}

func (s *State) codeSealedSame(c side, x *output, a again, digests int) again {
	a.key = c.number(inKey, int64(c.key(int(a.key))), x.keys)
	a.skip = c.number(inUnit, a.skip, aes256.Block-1)
	a = s.codeSame(c, x, a, digests)
	if a.key == 0 || a.at < a.skip || aes256.Align(a.skip+DigestSize) > x.pos-(a.at-a.skip) {
		c.fail(corrupt("a digest at %d in data that is not encrypted", a.at))
	}
	return a
}

// unit is what opSeal begins: key 0 ends one. The unit began so many AES blocks ago.
type unit struct{ key, back int64 }

func codeUnit(c side, x *output, u unit) unit {
	if u.key = c.number(inKey, int64(c.key(int(u.key))), x.keys); u.key > 0 {
		u.back = c.number(inUnit, u.back, x.pos/aes256.Block)
	}
	return u
}
