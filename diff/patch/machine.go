package patch

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/delta"
)

// methods are the block methods of ranges, in the order of their numbers in
// patch files.
var methods = [...]compress.Method{compress.None, compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd, compress.LZO1X, compress.Oodle}

// output is a new file that is being written.
type output interface {
	io.ReaderAt
	io.WriterAt
}

// machine executes the segments of one new file.
type machine struct {
	h       *Header
	old     *oldFiles
	dec     delta.Decoder
	coders  []blockCoder
	out     output
	watch   *Progress
	size    int64 // that the output will have
	pos     int64 // where the output ends so far
	buf     []byte
	bufAt   int64 // bytes behind the last written one wait in buf
	content []byte
	stored  []byte
	digests []int64 // places in the output of those computed
	hashed  int64   // bytes of output that they cover
	copies  []copied
	unit    seal
	next    func(context.Context) error // completes the new file and begins the one after it
	to      int                         // which of the new files it is
	read    *known                      // the tables that were read last
	spent   int64                       // bytes of tables
	state
}

// state is what operations refer to. It begins anew with each segment.
type state struct {
	known      *known // tables
	src        delta.Old
	cursor     int64   // in the source, behind the content before
	ends       [4]spot // of copies: where these go on, the last one first
	starts     []int64 // of the old files in a source that has all of them; else nil
	last       Range   // named before
	guess      int64   // of where the last content begins in the source
	rawFrom    int64   // output of the last opRaw
	rawTo      int64
	same       int   // index of the digest that opSame took
	lastDigest int64 // end of the digest written last
}

// begin starts a new file, or continues one behind its first pos bytes.
func (m *machine) begin(to int, out output, size, pos int64, digests []int64, copies []copied) {
	m.to = to
	m.copies = append(m.copies[:0], copies...)
	m.digests = append(m.digests[:0], digests...)
	m.out, m.size, m.pos, m.bufAt, m.hashed = out, size, pos, pos, 0
	m.buf = m.buf[:0]
}

// flushSize is how much output is written at once.
const flushSize = 256 << 10

// write appends to the output, up to the declared size.
func (m *machine) write(p []byte) error {
	if int64(len(p)) > m.size-m.pos {
		return fmt.Errorf("%w: more than %d bytes of output", ErrCorrupt, m.size)
	}
	m.pos += int64(len(p))
	m.watch.add(int64(len(p)))
	if m.unit.key != nil {
		p = m.unit.add(p)
	}
	return m.writeStored(p)
}

// writeStored appends bytes that are as they will stand in the file.
func (m *machine) writeStored(p []byte) error {
	if len(m.buf)+len(p) > flushSize {
		if err := m.flush(); err != nil {
			return err
		}
	}
	if len(p) >= flushSize {
		_, err := m.out.WriteAt(p, m.bufAt)
		m.bufAt += int64(len(p))
		return err
	}
	m.buf = append(m.buf, p...)
	return nil
}

func (m *machine) flush() error {
	if len(m.buf) == 0 {
		return nil
	}
	_, err := m.out.WriteAt(m.buf, m.bufAt)
	m.bufAt += int64(len(m.buf))
	m.buf = m.buf[:0]
	return err
}

// run executes a segment whose hash has been checked.
func (m *machine) run(ctx context.Context, stream []byte) error {
	m.dec.Reset(stream)
	m.unit.key, m.unit.held = nil, m.unit.held[:0]
	m.state = state{src: newSource(m.old, nil), same: -1}
	for range m.ends {
		m.toFile(m.h.toldBy(m.to))
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		op := m.dec.Number(inOp)
		if err := m.dec.Err(); err != nil {
			return fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		if err := m.whole(op); err != nil {
			return err
		}
		if op == opEnd {
			return m.flush()
		}
		if err := m.do(ctx, op); err != nil {
			return err
		}
	}
}

// whole refuses what needs the output as it is written, while an AES block of it
// is not complete.
func (m *machine) whole(op uint64) error {
	switch op {
	case opSource, opAll, opRaw, opMake, opTables, opPredict, opSeal, opMove:
		return nil
	}
	if m.unit.key != nil {
		return fmt.Errorf("%w: operation %d in what is encrypted", ErrCorrupt, op)
	}
	return nil
}

func (m *machine) do(ctx context.Context, op uint64) error {
	switch op {
	case opCopy:
		return m.copy(ctx)
	case opSource:
		return m.source(nil)
	case opAll:
		return m.allOld()
	case opRaw:
		return m.raw()
	case opMake:
		return m.make()
	case opDigest:
		return m.digest(ctx)
	case opPart:
		return m.partDigest(ctx)
	case opSame:
		return m.sameDigest()
	case opNext:
		return m.nextFile(ctx)
	case opTables:
		return m.tables()
	case opPieces:
		return m.copyPieces(ctx)
	case opPredict:
		return m.predict()
	case opSeal:
		return m.sealUnit()
	case opMove:
		return m.moveOld()
	case opSealedSame:
		return m.sealedDigest()
	}
	return fmt.Errorf("%w: operation %d", ErrCorrupt, op)
}

// number reads a number up to limit.
func (m *machine) number(in int, limit int64) (int64, error) {
	v := m.dec.Number(in)
	if v > uint64(limit) {
		return 0, fmt.Errorf("%w: number %d in context %d, at most %d", ErrCorrupt, v, in, limit)
	}
	return int64(v), nil
}

// length reads how many bytes of at most so many are written: 0 is all.
func (m *machine) length(in int, most int64) (int64, error) {
	n, err := m.number(in, most)
	if n == 0 {
		n = most
	}
	return n, err
}

// signed reads a signed number that leads from base to a place within limit.
func (m *machine) signed(in int, base, limit int64) (int64, error) {
	v := base + unzigzag(m.dec.Number(in))
	if v < 0 || v > limit {
		return 0, fmt.Errorf("%w: place %d in context %d, at most %d", ErrCorrupt, v, in, limit)
	}
	return v, nil
}

func (m *machine) copy(ctx context.Context) error {
	n, err := m.length(inCopyLen, m.size-m.pos)
	if err != nil {
		return err
	}
	from, err := m.copyFrom()
	if err != nil {
		return err
	}
	size := m.sizeOf(from.file)
	if from.file == len(m.h.Old) && from.off < size {
		return m.copyOwn(ctx, from.off, n)
	}
	if n > size-from.off {
		return fmt.Errorf("%w: copy of %d bytes at %d of %d", ErrCorrupt, n, from.off, size)
	}
	return m.copyBytes(ctx, from.file, from.off, n)
}

// copyFrom reads where a copy begins.
func (m *machine) copyFrom() (spot, error) {
	k, err := m.number(inCopyFrom, int64(len(m.ends)+len(m.h.Old)))
	if err != nil || k < int64(len(m.ends)) {
		return m.ends[k], err
	}
	file := int(k) - len(m.ends)
	off, err := m.signed(inCopyOff, m.ends[0].off, m.sizeOf(file))
	return spot{file, off}, err
}

// sizeOf is how much of an old file, or of the new one so far, can be copied.
func (m *machine) sizeOf(file int) int64 {
	if file == len(m.h.Old) {
		return m.pos
	}
	return m.h.Old[file].Size
}

// spot is a place of an old file, or of the new one if it is as many as there are
// old ones.
type spot struct {
	file int
	off  int64
}

// goesOn returns which of the last copies ended there, or -1.
func (s *state) goesOn(file int, off int64) int { return slices.Index(s.ends[:], spot{file, off}) }

// copiedTo puts the end of a copy before the others, in place of the one that it
// goes on from, or else of the last.
func (s *state) copiedTo(file int, off, n int64) {
	k := s.goesOn(file, off)
	if k < 0 {
		k = len(s.ends) - 1
	}
	copy(s.ends[1:k+1], s.ends[:k])
	s.ends[0] = spot{file, off + n}
	s.follow()
}

// toFile makes the start of an old file, if there is one, the last place that a
// copy may go on from.
func (s *state) toFile(file int) {
	if file >= 0 {
		copy(s.ends[1:], s.ends[:])
		s.ends[0] = spot{file, 0}
	}
	s.follow()
}

// follow puts the cursor where the last copy goes on, in a source that has that.
func (s *state) follow() {
	if at := s.ends[0]; at.file < len(s.starts) {
		s.cursor = s.starts[at.file] + at.off
	}
}

// copyOwn copies bytes of the new file, of which the last may be its first.
func (m *machine) copyOwn(ctx context.Context, off, n int64) error {
	m.copiedTo(len(m.h.Old), off, n)
	m.copies = append(m.copies, copied{len(m.h.Old), m.to, off, n, m.pos, false})
	for n > 0 {
		if err := errors.Join(ctx.Err(), m.flush()); err != nil {
			return err
		}
		p := m.scratch(flushSize)[:min(n, flushSize, m.pos-off)]
		if err := readAt(m.out, p, off); err != nil {
			return err
		}
		if err := m.write(p); err != nil {
			return err
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// copyBytes copies bytes that the old file has.
func (m *machine) copyBytes(ctx context.Context, file int, off, n int64) error {
	if n > m.size-m.pos {
		return fmt.Errorf("%w: more than %d bytes of output", ErrCorrupt, m.size)
	}
	m.copiedTo(file, off, n)
	m.copies = append(m.copies, copied{file, m.to, off, n, m.pos, false})
	return m.transfer(ctx, file, off, n)
}

// transfer appends bytes of an old file to the output.
func (m *machine) transfer(ctx context.Context, file int, off, n int64) error {
	if v, ok := m.out.(*virtual); ok {
		if err := m.flush(); err != nil {
			return err
		}
		if v.copyFrom(m.old.files[file], off, n) {
			m.watch.add(n)
			m.pos, m.bufAt = m.pos+n, m.bufAt+n
			return ctx.Err()
		}
	}
	buf := m.scratch(int(min(n, flushSize)))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(n, flushSize)]
		if err := readAt(m.old.files[file], p, off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.h.Old[file].Name, off, err)
		}
		if err := m.write(p); err != nil {
			return err
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// unchanged makes the file at hand if it is an old one: as a copy of all of it
// would, but that this goes on nowhere.
func (m *machine) unchanged(ctx context.Context) error {
	k := m.h.sameAs(m.to)
	if k < 0 {
		return nil
	}
	m.copies = append(m.copies, copied{file: k, to: m.to, n: m.size})
	return errors.Join(m.transfer(ctx, k, 0, m.size), m.flush())
}

// nextFile goes on with the next new file. What refers to output begins anew.
func (m *machine) nextFile(ctx context.Context) error {
	if m.next == nil {
		return fmt.Errorf("%w: a segment of several files", ErrCorrupt)
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.rawFrom, m.rawTo, m.same, m.lastDigest = 0, 0, -1, 0
	if err := m.next(ctx); err != nil {
		return err
	}
	m.toFile(m.h.toldBy(m.to))
	return nil
}

func (m *machine) scratch(n int) []byte {
	if cap(m.stored) < n {
		m.stored = make([]byte, n)
	}
	return m.stored[:n]
}

// allOld makes all old files the source, and more ranges.
func (m *machine) allOld() error {
	if err := m.old.work.spend(allCost * int64(len(m.h.Old))); err != nil {
		return err
	}
	ranges, starts := allRanges(m.h.Old)
	if err := m.source(ranges); err != nil {
		return err
	}
	m.starts = starts
	m.follow()
	return nil
}

// allCost is what an old file counts for where all are named, in bytes.
const allCost = 64

// allRanges are the old files as wholes, and where they start one behind the
// other.
func allRanges(old []File) (ranges []Range, starts []int64) {
	end := int64(0)
	starts = make([]int64, len(old))
	for i, f := range old {
		if starts[i] = end; f.Size > 0 {
			ranges = append(ranges, Range{File: i, Stored: f.Size, Size: f.Size})
			end += f.Size
		}
		if end < 0 {
			end = math.MaxInt64 / 2 // refused as a source
			starts[i] = end
		}
	}
	return ranges, starts
}

// source makes ranges the source, behind those that are given.
func (m *machine) source(ranges []Range) error {
	n, err := m.number(inRanges, maxRanges)
	if err != nil {
		return err
	}
	total := int64(0)
	for _, r := range ranges {
		if total += r.Size; total > maxSourced {
			return fmt.Errorf("%w: a source of %d bytes", ErrCorrupt, total)
		}
	}
	for range n {
		r, err := m.nextRange()
		if err != nil {
			return err
		}
		if total += r.Size; total > maxSourced {
			return fmt.Errorf("%w: a source of %d bytes", ErrCorrupt, total)
		}
		ranges = append(ranges, r)
	}
	m.src, m.cursor, m.starts = newSource(m.old, ranges), 0, nil
	return nil
}

// maxSourced is how large a source may be: what guesses are far from overflowing
// with.
const maxSourced = 1 << 40

func (m *machine) nextRange() (r Range, err error) {
	file, err := m.number(inRangeFile, int64(len(m.h.Old))-1)
	if err != nil {
		return r, err
	}
	size := m.h.Old[file].Size
	r.File = int(file)
	if r.Off, err = m.signed(inRangeOff, m.last.end(), size); err != nil {
		return r, err
	}
	if r.Stored, err = m.signed(inRangeLen, m.last.Stored, size); err != nil {
		return r, err
	}
	method, err := m.number(inMethod, int64(len(methods)*(1+len(m.old.keys)))-1)
	if err != nil {
		return r, err
	}
	r.Key = int(method) / len(methods)
	method %= int64(len(methods))
	r.Method, r.Size = methods[method], r.Stored
	if method > 0 {
		if r.Size, err = m.signed(inRangeSize, m.last.Size, maxBlock); err != nil {
			return r, err
		}
	}
	m.last = r
	if err := m.dec.Err(); err != nil {
		return r, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return r, r.check(m.h.Old)
}

// decode reads n bytes of content into m.content. Of what lies behind its source
// the guess may tell nothing, but it must not overflow.
func (m *machine) decode(n int64, in int) ([]byte, error) {
	guess := m.cursor + unzigzag(m.dec.Number(in))
	if guess < -1<<40 || guess > 1<<41 {
		return nil, fmt.Errorf("%w: guess %d", ErrCorrupt, guess)
	}
	m.guess, m.content = guess, m.content[:0]
	for int64(len(m.content)) < n {
		k := min(n-int64(len(m.content)), delta.MaxContent)
		part, err := m.dec.Content(int(k), m.src, guess, m.src.Size())
		if err != nil {
			return nil, fmt.Errorf("content for %s: %w", m.h.New[0].Name, err)
		}
		m.content = append(m.content, part...)
		guess = m.dec.Next()
	}
	m.cursor = guess
	return m.content, nil
}

func (m *machine) raw() error {
	n, err := m.length(inRawLen, min(m.size-m.pos, delta.MaxContent))
	if err != nil {
		return err
	}
	p, err := m.decode(n, inRawGuess)
	if err != nil {
		return err
	}
	m.copies = note(m.copies, m.src, m.guess, n, m.pos, m.to)
	m.rawFrom, m.rawTo = m.pos, m.pos+n
	return m.write(p)
}

func (m *machine) make() error {
	n, err := m.number(inMakeLen, maxBlock)
	if err != nil {
		return err
	}
	block, err := m.number(inMakeBlock, maxBlock)
	if err != nil {
		return err
	}
	recipe, err := m.number(inRecipe, int64(len(m.h.Recipes))-1)
	if err != nil {
		return err
	}
	if block == 0 {
		return fmt.Errorf("%w: blocks of no bytes", ErrCorrupt)
	}
	p, err := m.decode(n, inMakeGuess)
	if err != nil {
		return err
	}
	return m.encode(p, int(block), m.h.Recipes[recipe])
}

// digest computes the SHA-1 of output and puts it where it belongs.
func (m *machine) digest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.pos-digestSize)
	if err != nil {
		return err
	}
	from, err := m.signed(inDigestFrom, m.rawTo, m.pos)
	if err != nil {
		return err
	}
	back, err := m.number(inDigestTo, m.pos-from)
	if err != nil {
		return err
	}
	return m.digestOf(ctx, at, from, m.pos-back)
}

// partDigest computes that of what the 16 bytes before it tell: the place and the
// size.
func (m *machine) partDigest(ctx context.Context) error {
	at, err := m.signed(inDigestAt, m.rawFrom, m.pos-digestSize)
	if err != nil {
		return err
	}
	var told [16]byte
	if at < int64(len(told)) {
		return fmt.Errorf("%w: a digest of a part at %d", ErrCorrupt, at)
	}
	if err := errors.Join(m.flush(), readAt(m.out, told[:], at-int64(len(told)))); err != nil {
		return err
	}
	from, n := binary.LittleEndian.Uint64(told[:]), binary.LittleEndian.Uint64(told[8:])
	if from > uint64(m.pos) || n > uint64(m.pos)-from {
		return fmt.Errorf("%w: a digest of %d bytes at %d of %d", ErrCorrupt, n, from, m.pos)
	}
	return m.digestOf(ctx, at, int64(from), int64(from+n))
}

// digestOf puts the SHA-1 of output to a place.
func (m *machine) digestOf(ctx context.Context, at, from, to int64) error {
	// Entries and the parts of an index are covered once or twice; more would be
	// meant to keep processors busy.
	if m.hashed += to - from; m.hashed > 4*m.size {
		return fmt.Errorf("%w: digests of %d bytes in a file of %d", ErrCorrupt, m.hashed, m.size)
	}
	if err := m.flush(); err != nil {
		return err
	}
	sum := sha1.New()
	buf := m.scratch(flushSize)
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(to-from, flushSize)]
		if err := readAt(m.out, p, from); err != nil {
			return err
		}
		sum.Write(p)
		from += int64(len(p))
	}
	m.digests = append(m.digests, at)
	m.lastDigest = at + digestSize
	_, err := m.out.WriteAt(sum.Sum(nil), at)
	return err
}

// sameDigest writes a digest of this segment a second time.
func (m *machine) sameDigest() error {
	at, sum, err := m.digestAgain()
	if err == nil {
		_, err = m.out.WriteAt(sum[:], at)
	}
	return err
}

// digestAgain reads which digest is meant, and where it belongs.
func (m *machine) digestAgain() (at int64, sum [digestSize]byte, err error) {
	if at, err = m.signed(inSameAt, m.lastDigest, m.pos-digestSize); err != nil {
		return at, sum, err
	}
	of, err := m.signed(inSameOf, int64(m.same)+1, int64(len(m.digests))-1)
	if err != nil {
		return at, sum, err
	}
	if err := m.flush(); err != nil {
		return at, sum, err
	}
	m.same, m.lastDigest = int(of), at+digestSize
	return at, sum, readAt(m.out, sum[:], m.digests[of])
}
