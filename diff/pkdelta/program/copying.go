package program

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/pkdelta"
	"pakdb/internal/stored"
)

func (m *Machine) copy(ctx context.Context) error {
	n, err := m.number(inCopyLen, m.size-m.Pos+copyLengths)
	if err != nil {
		return err
	}
	from, err := m.copyFrom()
	if err != nil {
		return err
	}
	size := m.sizeOf(from.file)
	switch n {
	case copyRest:
		n = m.size - m.Pos
	case copyToEnd:
		n = size - from.off
	default:
		n -= copyLengths
	}
	if n <= 0 { // its end may be behind that of the new file, where it was one before
		return fmt.Errorf("%w: copy of %d bytes", pkdelta.ErrCorrupt, n)
	}
	if from.file == len(m.H.Old) && from.off < size {
		return m.copyOwn(ctx, from.off, n)
	}
	if n > size-from.off {
		return fmt.Errorf("%w: copy of %d bytes at %d of %d", pkdelta.ErrCorrupt, n, from.off, size)
	}
	return m.copyBytes(ctx, from.file, from.off, n)
}

// Lengths of copies that are no numbers of bytes.
const (
	copyRest    = iota // all that the new file lacks
	copyToEnd          // up to the end of the file that it is from
	copyLengths        // the others are these and the number
)

// copyFrom reads where a copy begins.
func (m *Machine) copyFrom() (spot, error) {
	n := len(m.H.Old)
	k := m.dec.Number(inCopyFrom)
	if k < uint64(len(m.Ends)) {
		return m.Ends[k], nil
	}
	file := n
	if k -= uint64(len(m.Ends)); k > 0 {
		d := unzigzag(k - 1)
		if file = m.lastOld(n); d < int64(-file) || d >= int64(n-file) {
			return spot{}, fmt.Errorf("%w: copy from %d files behind old file %d of %d", pkdelta.ErrCorrupt, d, file, n)
		}
		file += int(d)
	}
	off, err := m.signed(inCopyOff, m.behind(file), m.sizeOf(file))
	return spot{file, off}, err
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

// behind is where the last copy from a file ended, of those that are remembered.
func (s *State) behind(file int) int64 {
	for _, at := range s.Ends {
		if at.file == file {
			return at.off
		}
	}
	return 0
}

// sizeOf is how much of an old file, or of the new one so far, can be copied.
func (m *Machine) sizeOf(file int) int64 {
	if file == len(m.H.Old) {
		return m.Pos
	}
	return m.H.Old[file].Size
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

// copyOwn copies bytes of the new file, of which the last may be its first.
func (m *Machine) copyOwn(ctx context.Context, off, n int64) error {
	m.copiedTo(len(m.H.Old), off, n)
	m.Copies = append(m.Copies, Copied{len(m.H.Old), m.to, off, n, m.Pos, false})
	if m.Pos-off < FlushSize {
		return m.repeat(ctx, off, n)
	}
	for n > 0 {
		if err := errors.Join(ctx.Err(), m.flush()); err != nil {
			return err
		}
		p := m.scratch(FlushSize)[:min(n, FlushSize)]
		if err := stored.ReadAt(m.Out, p, off); err != nil {
			return err
		}
		if err := m.write(p); err != nil {
			return err
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// repeat writes the end of the output, from off on, again and again.
func (m *Machine) repeat(ctx context.Context, off, n int64) error {
	k := int(m.Pos - off)
	p := m.scratch(FlushSize)[:FlushSize-FlushSize%k]
	if err := errors.Join(m.flush(), stored.ReadAt(m.Out, p[:k], off)); err != nil {
		return err
	}
	for ; k < len(p); k *= 2 {
		copy(p[k:], p[:k])
	}
	for n > 0 {
		q := p[:min(n, int64(len(p)))]
		if err := errors.Join(ctx.Err(), m.write(q)); err != nil {
			return err
		}
		n -= int64(len(q))
	}
	return nil
}

// copyBytes copies bytes that the old file has.
func (m *Machine) copyBytes(ctx context.Context, file int, off, n int64) error {
	if n > m.size-m.Pos {
		return fmt.Errorf("%w: more than %d bytes of output", pkdelta.ErrCorrupt, m.size)
	}
	m.copiedTo(file, off, n)
	m.Copies = append(m.Copies, Copied{file, m.to, off, n, m.Pos, false})
	return m.transfer(ctx, file, off, n)
}

// transfer appends bytes of an old file to the output.
func (m *Machine) transfer(ctx context.Context, file int, off, n int64) error {
	if v, ok := m.Out.(*Virtual); ok {
		if err := m.flush(); err != nil {
			return err
		}
		if v.CopyFrom(m.Old.Files[file], off, n) {
			m.Watch.Add(n)
			m.Pos, m.bufAt = m.Pos+n, m.bufAt+n
			return ctx.Err()
		}
	}
	buf := m.scratch(int(min(n, FlushSize)))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(n, FlushSize)]
		if err := stored.ReadAt(m.Old.Files[file], p, off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.H.Old[file].Name, off, err)
		}
		if err := m.write(p); err != nil {
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
	m.Copies = append(m.Copies, Copied{File: k, To: m.to, N: m.size})
	return errors.Join(m.transfer(ctx, k, 0, m.size), m.flush())
}
