package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/internal/aes256"
	"pakdb/internal/stored"
)

// Machine executes the segments of one new file.
type Machine struct {
	H       *delta.Header
	Old     *OldFiles
	Copies  []Copied
	Digests []int64                     // places in the output of those computed
	Next    func(context.Context) error // completes the new file and begins the one after it
	Watch   *stored.Progress

	out    sink
	r      reader
	state  State
	coders blockCoders
	tables tableReader
	hashed int64 // bytes of output that digests cover
	to     int   // which of the new files it is
}

// Use gives the machine other old files. It forgets the tables of those before.
func (m *Machine) Use(old *OldFiles) { m.Old, m.tables = old, tableReader{} }

// Begin starts a new file, or continues one after its first pos bytes.
func (m *Machine) Begin(to int, out Output, size, pos int64, digests []int64, copies []Copied) {
	m.to = to
	m.Copies = append(m.Copies[:0], copies...)
	m.Digests = append(m.Digests[:0], digests...)
	m.out.begin(out, size, pos, m.Watch)
	m.hashed = 0
}

// Pos returns where the output ends so far.
func (m *Machine) Pos() int64 { return m.out.pos }

// Out returns the output.
func (m *Machine) Out() Output { return m.out.to }

// output is what operands refer to of the new file.
func (m *Machine) output() *output {
	return &output{m.H, m.to, m.out.size, m.out.pos, int64(len(m.Old.Keys))}
}

// Run executes a segment whose hash has been checked.
func (m *Machine) Run(ctx context.Context, stream []byte) error {
	m.r.reset(stream, &m.Old.Work)
	m.out.unit.reset()
	m.state = newState(m.H.ToldBy(m.to))
	m.source(nil)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		op := m.r.word(inOp, 0)
		if err := m.r.err(); err != nil {
			return err
		}
		if m.out.unit.key != nil && !mayBeSealed(op) {
			return corrupt("operation %d in encrypted data", op)
		}
		if op == opEnd {
			return m.out.flush()
		}
		if err := m.Old.Work.spend(opCost); err != nil {
			return err
		}
		if err := m.do(ctx, op); err != nil {
			return err
		}
	}
}

// mayBeSealed reports that an operation does not need the output as it is written,
// which it is not while an AES block of it is not complete.
func mayBeSealed(op uint64) bool {
	switch op {
	case opSource, opAll, opRaw, opMake, opTables, opPredict, opSeal, opMove:
		return true
	}
	return false
}

func (m *Machine) do(ctx context.Context, op uint64) error {
	switch op {
	case opCopy:
		return m.copy(ctx)
	case opSource:
		return m.ranges(nil, nil)
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
		return m.nameTables()
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
	return corrupt("operation %d", op)
}

// nextFile goes on with the next new file.
func (m *Machine) nextFile(ctx context.Context) error {
	if m.Next == nil {
		return corrupt("a segment of several files")
	}
	if err := m.out.flush(); err != nil {
		return err
	}
	if err := m.Next(ctx); err != nil {
		return err
	}
	m.state.nextFile(m.H.ToldBy(m.to))
	return nil
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
	return m.ranges(ranges, starts)
}

// ranges makes ranges the source, after those that are given.
func (m *Machine) ranges(given []Range, starts []int64) error {
	list := m.state.codeRanges(&m.r, m.output(), given, nil, starts)
	if err := m.r.err(); err != nil {
		return err
	}
	m.source(list)
	return nil
}

// source makes ranges the source.
func (m *Machine) source(ranges []Range) {
	m.state.src = NewSource(m.Old, ranges)
	m.r.src = m.state.src
}

// allCost is what an old file counts for where all are named, in bytes.
const allCost = 64

// allRanges are the old files as wholes, and where they start one after the
// other, with so many bytes of names after them.
func allRanges(old []delta.File, listed int) (ranges []Range, starts []int64) {
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

// raw writes content as it is.
func (m *Machine) raw() error {
	x := m.output()
	n, guess := m.state.codeRaw(&m.r, x, 0, 0, false)
	if err := m.r.err(); err != nil {
		return err
	}
	m.Copies = note(m.Copies, m.state.src, guess, n, x.pos, m.to)
	return m.out.write(m.r.bytes[:n])
}

// make writes content as a recipe stores it.
func (m *Machine) make() error {
	op := m.state.codeMake(&m.r, m.output(), making{})
	if err := m.r.err(); err != nil {
		return err
	}
	x, err := m.coders.begin(&m.out, &m.Old.Work, int(op.n), int(op.block), m.H.Recipes[op.recipe])
	if err != nil {
		return err
	}
	if op.n <= coder.MaxContent { // it stays where it is
		m.r.dec.Ready = x.take
	}
	m.state.codeContent(&m.r, inMakeGuess, op.n, 0)
	m.r.dec.Ready = nil
	if err := m.r.err(); err != nil {
		return errors.Join(err, x.end())
	}
	return x.finish(m.r.bytes[:op.n])
}

// sealUnit begins or ends what is encrypted.
func (m *Machine) sealUnit() error {
	x := m.output()
	x.pos += m.out.unit.lacks()
	u := codeUnit(&m.r, x, unit{})
	if err := m.r.err(); err != nil {
		return err
	}
	if err := m.out.fillBlock(); err != nil || u.key == 0 {
		m.out.unit.key = nil
		return err
	}
	key := m.Old.Keys[u.key-1]
	var head []byte
	if u.back > 0 {
		if err := m.out.flush(); err != nil {
			return err
		}
		head = make([]byte, aes256.Block)
		if err := stored.ReadAt(m.out.to, head, m.out.pos-u.back*aes256.Block); err != nil {
			return err
		}
		aes256.DecryptECB(key, head)
	}
	m.out.unit.begin(key, head)
	return nil
}

// moveOld writes bytes of an old file, which may be encrypted there, as content.
func (m *Machine) moveOld() error {
	r := m.state.codeRange(&m.r, m.output(), Range{})
	if err := m.r.err(); err != nil {
		return err
	}
	if r.Method != delta.Methods[0] {
		return corrupt("a move of compressed data")
	}
	src := NewSource(m.Old, []Range{r})
	for at := int64(0); at < r.Size; {
		p := m.out.scratch(int(min(r.Size-at, FlushSize)))
		if _, err := src.ReadAt(p, at); err != nil {
			return err
		}
		if err := m.out.write(p); err != nil {
			return err
		}
		at += int64(len(p))
	}
	return m.out.fillBlock()
}

func (m *Machine) copy(ctx context.Context) error {
	from, n := m.state.codeCopy(&m.r, m.output(), spot{}, 0)
	if err := m.r.err(); err != nil {
		return err
	}
	size := m.output().sizeOf(from.file)
	if from.file == len(m.H.Old) && from.off < size {
		m.copied(from.file, from.off, n)
		return m.out.copyOwn(ctx, from.off, n)
	}
	if n > size-from.off {
		return corrupt("copy of %d bytes at %d of %d", n, from.off, size)
	}
	return m.copyBytes(ctx, from.file, from.off, n)
}

// lastOld is which of n old files the last copy from one was from.
func (s *State) lastOld(n int) int {
	for _, at := range s.Ends {
		if at.file < n {
			return at.file
		}
	}
	return 0
}

// behind is the end of the last remembered copy from a file.
func (s *State) behind(file int) int64 {
	for _, at := range s.Ends {
		if at.file == file {
			return at.off
		}
	}
	return 0
}

// spot is a place of an old file, or of the new one if it is as many as there are
// old ones.
type spot struct {
	file int
	off  int64
}

// goesOn returns which of the last copies ended there, or -1.
func (s *State) goesOn(file int, off int64) int { return slices.Index(s.Ends[:], spot{file, off}) }

// copiedTo puts the end of a copy before the others, in place of the one that it
// goes on from, or else of the last.
func (s *State) copiedTo(file int, off, n int64) {
	k := s.goesOn(file, off)
	if k < 0 {
		k = len(s.Ends) - 1
	}
	copy(s.Ends[1:k+1], s.Ends[:k])
	s.Ends[0] = spot{file, off + n}
	s.follow()
}

// toFile makes the start of an old file, if there is one, the last place that a
// copy may go on from.
func (s *State) toFile(file int) {
	if file >= 0 {
		copy(s.Ends[1:], s.Ends[:])
		s.Ends[0] = spot{file, 0}
	}
	s.follow()
}

// follow puts the cursor where the last copy goes on, in a source that has that.
func (s *State) follow() {
	if at := s.Ends[0]; at.file < len(s.starts) {
		s.Cursor = s.starts[at.file] + at.off
	}
}

// copied takes note of a copy to the end of the output.
func (m *Machine) copied(file int, off, n int64) {
	m.state.copiedTo(file, off, n)
	m.Copies = append(m.Copies, Copied{file, m.to, off, n, m.out.pos, false})
}

// copyBytes copies bytes that the old file has.
func (m *Machine) copyBytes(ctx context.Context, file int, off, n int64) error {
	if err := m.out.hasRoom(n); err != nil {
		return err
	}
	m.copied(file, off, n)
	return m.transfer(ctx, file, off, n)
}

// transfer appends bytes of an old file to the output.
func (m *Machine) transfer(ctx context.Context, file int, off, n int64) error {
	if done, err := m.out.virtualCopy(m.Old.Files[file], off, n); done || err != nil {
		return errors.Join(err, ctx.Err())
	}
	buf := m.out.scratch(int(min(n, FlushSize)))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(n, FlushSize)]
		if err := stored.ReadAt(m.Old.Files[file], p, off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.H.Old[file].Name, off, err)
		}
		if err := m.out.write(p); err != nil {
			return err
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// Unchanged makes the file at hand if it is an old one: as a copy of all of it
// would, but that this goes on nowhere.
func (m *Machine) Unchanged(ctx context.Context) error {
	k := m.H.SameAs(m.to)
	if k < 0 {
		return nil
	}
	m.Copies = append(m.Copies, Copied{File: k, To: m.to, N: m.out.size})
	return errors.Join(m.transfer(ctx, k, 0, m.out.size), m.out.flush())
}
