package program

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/internal/stored"
)

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

// behind is where the last copy from a file ended, of those that are remembered.
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
