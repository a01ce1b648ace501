package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/internal/progress"
)

// output is a new file that is being written.
type output interface {
	io.ReaderAt
	io.WriterAt
}

// Machine executes the segments of one new file.
type Machine struct {
	H       *pkdelta.Header
	Old     *OldFiles
	dec     delta.Decoder
	coders  []blockCoder
	Out     output
	Watch   *progress.Counter
	size    int64 // that the output will have
	Pos     int64 // where the output ends so far
	buf     []byte
	bufAt   int64 // bytes behind the last written one wait in buf
	content []byte
	stored  []byte
	Digests []int64 // places in the output of those computed
	hashed  int64   // bytes of output that they cover
	Copies  []Copied
	unit    seal
	Next    func(context.Context) error // completes the new file and begins the one after it
	to      int                         // which of the new files it is
	Read    *Known                      // the tables that were read last
	Spent   int64                       // bytes of tables
	State
}

// State is what operations refer to. It begins anew with each segment.
type State struct {
	Known      *Known // tables
	src        delta.Old
	Cursor     int64   // in the source, behind the content before
	Ends       [4]spot // of copies: where these go on, the last one first
	starts     []int64 // of the old files in a source that has all of them; else nil
	last       Range   // named before
	guess      int64   // of where the last content begins in the source
	rawFrom    int64   // output of the last opRaw
	rawTo      int64
	same       int   // index of the digest that opSame took
	lastDigest int64 // end of the digest written last
}

// Begin starts a new file, or continues one behind its first pos bytes.
func (m *Machine) Begin(to int, out output, size, pos int64, digests []int64, copies []Copied) {
	m.to = to
	m.Copies = append(m.Copies[:0], copies...)
	m.Digests = append(m.Digests[:0], digests...)
	m.Out, m.size, m.Pos, m.bufAt, m.hashed = out, size, pos, pos, 0
	m.buf = m.buf[:0]
}

// FlushSize is how much output is written at once.
const FlushSize = 256 << 10

// write appends to the output, up to the declared size.
func (m *Machine) write(p []byte) error {
	if int64(len(p)) > m.size-m.Pos {
		return fmt.Errorf("%w: more than %d bytes of output", pkdelta.ErrCorrupt, m.size)
	}
	m.Pos += int64(len(p))
	m.Watch.Add(int64(len(p)))
	if m.unit.key != nil {
		p = m.unit.add(p)
	}
	return m.writeStored(p)
}

// writeStored appends bytes that are as they will stand in the file.
func (m *Machine) writeStored(p []byte) error {
	if len(m.buf)+len(p) > FlushSize {
		if err := m.flush(); err != nil {
			return err
		}
	}
	if len(p) >= FlushSize {
		_, err := m.Out.WriteAt(p, m.bufAt)
		m.bufAt += int64(len(p))
		return err
	}
	m.buf = append(m.buf, p...)
	return nil
}

func (m *Machine) flush() error {
	if len(m.buf) == 0 {
		return nil
	}
	_, err := m.Out.WriteAt(m.buf, m.bufAt)
	m.bufAt += int64(len(m.buf))
	m.buf = m.buf[:0]
	return err
}

// Run executes a segment whose hash has been checked.
func (m *Machine) Run(ctx context.Context, stream []byte) error {
	m.dec.Reset(stream)
	m.unit.key, m.unit.held = nil, m.unit.held[:0]
	m.State = State{src: NewSource(m.Old, nil), same: -1}
	for range m.Ends {
		m.toFile(m.H.ToldBy(m.to))
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		op := m.dec.Number(inOp)
		if err := m.dec.Err(); err != nil {
			return fmt.Errorf("%w: %w", pkdelta.ErrCorrupt, err)
		}
		if err := m.whole(op); err != nil {
			return err
		}
		if op == opEnd {
			return m.flush()
		}
		if err := m.Old.Work.spend(opCost); err != nil {
			return err
		}
		if err := m.do(ctx, op); err != nil {
			return err
		}
	}
}

// whole refuses what needs the output as it is written, while an AES block of it
// is not complete.
func (m *Machine) whole(op uint64) error {
	switch op {
	case opSource, opAll, opRaw, opMake, opTables, OpPredict, opSeal, opMove:
		return nil
	}
	if m.unit.key != nil {
		return fmt.Errorf("%w: operation %d in what is encrypted", pkdelta.ErrCorrupt, op)
	}
	return nil
}

func (m *Machine) do(ctx context.Context, op uint64) error {
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
	case OpPredict:
		return m.predict()
	case opSeal:
		return m.sealUnit()
	case opMove:
		return m.moveOld()
	case opSealedSame:
		return m.sealedDigest()
	}
	return fmt.Errorf("%w: operation %d", pkdelta.ErrCorrupt, op)
}

// number reads a number up to limit.
func (m *Machine) number(in int, limit int64) (int64, error) {
	v := m.dec.Number(in)
	if limit < 0 || v > uint64(limit) { // below 0: there is nothing to choose from
		return 0, fmt.Errorf("%w: number %d in context %d, at most %d", pkdelta.ErrCorrupt, v, in, limit)
	}
	return int64(v), nil
}

// length reads how many bytes of at most so many are written: 0 is all.
func (m *Machine) length(in int, most int64) (int64, error) {
	n, err := m.number(in, most)
	if n == 0 {
		n = most
	}
	return n, err
}

// signed reads a signed number that leads from base to a place within limit.
func (m *Machine) signed(in int, base, limit int64) (int64, error) {
	v := base + unzigzag(m.dec.Number(in))
	if v < 0 || v > limit {
		return 0, fmt.Errorf("%w: place %d in context %d, at most %d", pkdelta.ErrCorrupt, v, in, limit)
	}
	return v, nil
}

// nextFile goes on with the next new file. What refers to output begins anew.
func (m *Machine) nextFile(ctx context.Context) error {
	if m.Next == nil {
		return fmt.Errorf("%w: a segment of several files", pkdelta.ErrCorrupt)
	}
	if err := m.flush(); err != nil {
		return err
	}
	m.rawFrom, m.rawTo, m.same, m.lastDigest = 0, 0, -1, 0
	if err := m.Next(ctx); err != nil {
		return err
	}
	m.toFile(m.H.ToldBy(m.to))
	return nil
}

func (m *Machine) scratch(n int) []byte {
	if cap(m.stored) < n {
		m.stored = make([]byte, n)
	}
	return m.stored[:n]
}

// allOld makes all old files the source, and more ranges.
func (m *Machine) allOld() error {
	if err := m.Old.Work.spend(allCost * int64(len(m.H.Old))); err != nil {
		return err
	}
	if m.Old.Listed == nil {
		m.Old.Listed = m.H.Listed()
	}
	ranges, starts := allRanges(m.H.Old, len(m.Old.Listed))
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
func allRanges(old []pkdelta.File, listed int) (ranges []Range, starts []int64) {
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
		ranges = append(ranges, Range{File: ListedFile, Stored: int64(listed), Size: int64(listed)})
	}
	return ranges, starts
}

// source makes ranges the source, behind those that are given.
func (m *Machine) source(ranges []Range) error {
	n, err := m.number(inRanges, MaxRanges)
	if err == nil {
		err = m.Old.Work.spend(itemCost * n)
	}
	if err != nil {
		return err
	}
	total := int64(0)
	for _, r := range ranges {
		if total += r.Size; total > maxSourced {
			return fmt.Errorf("%w: a source of %d bytes", pkdelta.ErrCorrupt, total)
		}
	}
	for range n {
		r, err := m.nextRange()
		if err != nil {
			return err
		}
		if total += r.Size; total > maxSourced {
			return fmt.Errorf("%w: a source of %d bytes", pkdelta.ErrCorrupt, total)
		}
		ranges = append(ranges, r)
	}
	m.src, m.Cursor, m.starts = NewSource(m.Old, ranges), 0, nil
	return nil
}

// maxSourced is how large a source may be: what guesses are far from overflowing
// with.
const maxSourced = 1 << 40

func (m *Machine) nextRange() (r Range, err error) {
	file, err := m.signed(inRangeFile, int64(m.last.File), int64(len(m.H.Old))-1)
	if err != nil {
		return r, err
	}
	size := m.H.Old[file].Size
	r.File = int(file)
	if r.Off, err = m.signed(inRangeOff, m.last.endIn(r.File), size); err != nil {
		return r, err
	}
	if r.Stored, err = m.signed(inRangeLen, m.last.Stored, size); err != nil {
		return r, err
	}
	method, err := m.number(inMethod, int64(len(pkdelta.Methods)*(1+len(m.Old.Keys)))-1)
	if err != nil {
		return r, err
	}
	r.Key = int(method) / len(pkdelta.Methods)
	method %= int64(len(pkdelta.Methods))
	r.Method, r.Size = pkdelta.Methods[method], r.Stored
	if method > 0 {
		if r.Size, err = m.signed(inRangeSize, m.last.Size, MaxBlock); err != nil {
			return r, err
		}
	}
	m.last = r
	if err := m.dec.Err(); err != nil {
		return r, fmt.Errorf("%w: %w", pkdelta.ErrCorrupt, err)
	}
	return r, r.check(m.H.Old)
}

// decode reads n bytes of content into m.content. Of what lies behind its source
// the guess may tell nothing, but it must not overflow.
func (m *Machine) decode(n int64, in int) ([]byte, error) {
	guess := m.Cursor + unzigzag(m.dec.Number(in))
	if guess < -1<<40 || guess > 1<<41 {
		return nil, fmt.Errorf("%w: guess %d", pkdelta.ErrCorrupt, guess)
	}
	m.guess, m.content = guess, m.content[:0]
	for int64(len(m.content)) < n {
		k := min(n-int64(len(m.content)), delta.MaxContent)
		part, err := m.dec.Content(int(k), m.src, guess, m.src.Size())
		if err != nil {
			if errors.Is(err, delta.ErrCorrupt) { // else the old file could not be read
				err = fmt.Errorf("%w: %w", pkdelta.ErrCorrupt, err)
			}
			return nil, err
		}
		m.content = append(m.content, part...)
		guess = m.dec.Next()
	}
	m.Cursor = guess
	return m.content, nil
}

func (m *Machine) raw() error {
	n, err := m.length(inRawLen, min(m.size-m.Pos, delta.MaxContent))
	if err != nil {
		return err
	}
	p, err := m.decode(n, InRawGuess)
	if err != nil {
		return err
	}
	m.Copies = note(m.Copies, m.src, m.guess, n, m.Pos, m.to)
	m.rawFrom, m.rawTo = m.Pos, m.Pos+n
	return m.write(p)
}

func (m *Machine) make() error {
	n, err := m.number(inMakeLen, MaxBlock)
	if err != nil {
		return err
	}
	block, err := m.number(inMakeBlock, MaxBlock)
	if err != nil {
		return err
	}
	recipe, err := m.number(inRecipe, int64(len(m.H.Recipes))-1)
	if err != nil {
		return err
	}
	if block == 0 {
		return fmt.Errorf("%w: blocks of no bytes", pkdelta.ErrCorrupt)
	}
	p, err := m.decode(n, inMakeGuess)
	if err != nil {
		return err
	}
	return m.encode(p, int(block), m.H.Recipes[recipe])
}
