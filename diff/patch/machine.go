package patch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"pakdb/diff/delta"
	"pakdb/internal/progress"
)

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
	watch   *progress.Counter
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
	m.watch.Add(int64(len(p)))
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
		if err := m.old.work.spend(opCost); err != nil {
			return err
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
	if limit < 0 || v > uint64(limit) { // below 0: there is nothing to choose from
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
	if m.old.listed == nil {
		m.old.listed = m.h.listed()
	}
	ranges, starts := allRanges(m.h.Old, len(m.old.listed))
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
// other, with so many bytes of names behind them.
func allRanges(old []File, listed int) (ranges []Range, starts []int64) {
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
	if listed > 0 {
		ranges = append(ranges, Range{File: listedFile, Stored: int64(listed), Size: int64(listed)})
	}
	return ranges, starts
}

// source makes ranges the source, behind those that are given.
func (m *machine) source(ranges []Range) error {
	n, err := m.number(inRanges, maxRanges)
	if err == nil {
		err = m.old.work.spend(itemCost * n)
	}
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
	file, err := m.signed(inRangeFile, int64(m.last.File), int64(len(m.h.Old))-1)
	if err != nil {
		return r, err
	}
	size := m.h.Old[file].Size
	r.File = int(file)
	if r.Off, err = m.signed(inRangeOff, m.last.endIn(r.File), size); err != nil {
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
			if errors.Is(err, delta.ErrCorrupt) { // else the old file could not be read
				err = fmt.Errorf("%w: %w", ErrCorrupt, err)
			}
			return nil, err
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
