package patch

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/internal/stored"
)

func (m *machine) copy(ctx context.Context) error {
	n, err := m.number(inCopyLen, m.size-m.pos+copyLengths)
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
		n = m.size - m.pos
	case copyToEnd:
		n = size - from.off
	default:
		n -= copyLengths
	}
	if n <= 0 { // its end may be behind that of the new file, where it was one before
		return fmt.Errorf("%w: copy of %d bytes", ErrCorrupt, n)
	}
	if from.file == len(m.h.Old) && from.off < size {
		return m.copyOwn(ctx, from.off, n)
	}
	if n > size-from.off {
		return fmt.Errorf("%w: copy of %d bytes at %d of %d", ErrCorrupt, n, from.off, size)
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
func (m *machine) copyFrom() (spot, error) {
	n := len(m.h.Old)
	k := m.dec.Number(inCopyFrom)
	if k < uint64(len(m.ends)) {
		return m.ends[k], nil
	}
	file := n
	if k -= uint64(len(m.ends)); k > 0 {
		d := unzigzag(k - 1)
		if file = m.lastOld(n); d < int64(-file) || d >= int64(n-file) {
			return spot{}, fmt.Errorf("%w: copy from %d files behind old file %d of %d", ErrCorrupt, d, file, n)
		}
		file += int(d)
	}
	off, err := m.signed(inCopyOff, m.behind(file), m.sizeOf(file))
	return spot{file, off}, err
}

// lastOld is which of n old files the last copy from one was from.
func (s *state) lastOld(n int) int {
	for _, at := range s.ends {
		if at.file < n {
			return at.file
		}
	}
	return 0
}

// behind is where the last copy from a file ended, of those that are remembered.
func (s *state) behind(file int) int64 {
	for _, at := range s.ends {
		if at.file == file {
			return at.off
		}
	}
	return 0
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
	if m.pos-off < flushSize {
		return m.repeat(ctx, off, n)
	}
	for n > 0 {
		if err := errors.Join(ctx.Err(), m.flush()); err != nil {
			return err
		}
		p := m.scratch(flushSize)[:min(n, flushSize)]
		if err := stored.ReadAt(m.out, p, off); err != nil {
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
func (m *machine) repeat(ctx context.Context, off, n int64) error {
	k := int(m.pos - off)
	p := m.scratch(flushSize)[:flushSize-flushSize%k]
	if err := errors.Join(m.flush(), stored.ReadAt(m.out, p[:k], off)); err != nil {
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
			m.watch.Add(n)
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
		if err := stored.ReadAt(m.old.files[file], p, off); err != nil {
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
