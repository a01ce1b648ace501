package maker

import (
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
)

// Of small builds everything that may matter is one source: it is named once,
// and what is new, renamed or in no archive's table finds all there is.

const (
	maxSolid      = 4 << 20  // of content: what is indexed by 4 bytes
	maxBest       = 32 << 20 // of old and new files that the greatest effort is made for
	rangesToSpare = 32       // that are named whether they may matter or not
	blocksToSpare = 8
)

// solid is a source of all old content, but for entries that the new build has as
// they are and under their names.
type solid struct {
	ranges []program.Range
	files  map[int]int64      // where the stored bytes of an old file begin
	blocks map[position]int64 // where the content of an old extent begins
	size   int64
}

// newSolid returns nil for builds that are too large, or of which so little
// differs that naming what matters costs less. check looks at blocks before they
// are taken.
func newSolid(old *inside.Build, listed int64, kept func(*inside.Entry) bool, changed int, check func(file int, x *inside.Extent) error) (*solid, error) {
	s := &solid{files: map[int]int64{}, blocks: map[position]int64{}}
	keep := make([]bool, len(old.Files))
	free := 0 // ranges that are named by naming all
	if sizeOfLayouts(old.Files) <= maxSolid {
		free = len(old.Files)
	}
	for i := range old.Files {
		keep[i] = free > 0 || len(old.Files) <= rangesToSpare
	}
	for i := range old.Entries {
		e := &old.Entries[i]
		keep[e.File] = keep[e.File] || !kept(e)
	}
	for i := range old.Files {
		if l := &old.Files[i]; keep[i] && l.Size > 0 {
			s.files[i] = s.size
			s.add(program.Range{File: i, Stored: l.Size, Size: l.Size})
		}
	}
	if free > 0 && listed > 0 {
		s.add(program.Range{File: program.ListedFile, Stored: listed, Size: listed})
	}
	for i := range old.Entries {
		e := &old.Entries[i]
		if kept(e) && len(old.Entries) > blocksToSpare {
			continue
		}
		extents := old.Files[e.File].Extents[e.First : e.First+e.Count]
		for i := range extents {
			if s.size > maxSolid {
				return nil, nil
			}
			x := &extents[i]
			if err := check(e.File, x); err != nil {
				return nil, err
			}
			if x.Method != compress.None {
				s.blocks[position{int32(e.File), x.Off}] = s.size
				s.add(program.Range{File: e.File, Off: x.Off, Stored: x.Coded, Method: x.Method, Size: x.Size})
			}
		}
	}
	if s.size <= listed || s.size > maxSolid || len(s.ranges)-free > 2*changed+2 {
		return nil, nil
	}
	return s, nil
}

func sizeOfLayouts(list []inside.Layout) (n int64) {
	for i := range list {
		n += list[i].Size
	}
	return n
}

func (s *solid) add(r program.Range) {
	s.ranges = append(s.ranges, r)
	s.size += r.Size
}

// stored is where a byte of an old file stands, if the file is there.
func (s *solid) stored(file int, off int64) int64 { return s.files[file] + off }

// content is where a place of an old entry's content stands.
func (s *solid) content(l *inside.Layout, e *inside.Entry, place int64) int64 {
	for _, x := range l.Extents[e.First : e.First+e.Count] {
		if place >= x.Size {
			place -= x.Size
			continue
		}
		if at, ok := s.blocks[position{int32(e.File), x.Off}]; ok {
			return at + place
		}
		return s.stored(e.File, x.Off) + place
	}
	return 0
}

// changedExtents counts what the new build has and the old one has not, and returns the old
// entries of the same names. The new build may still have the content of such an entry
// under another name.
func (m *maker) changedExtents() (n int, edited map[*inside.Entry]bool) {
	edited = map[*inside.Entry]bool{}
	for i := range m.new.Files {
		for k := range m.new.Files[i].Extents {
			x := &m.new.Files[i].Extents[k]
			if _, ok := m.pairs.find(m.old, x, position{-1, 0}); ok {
				continue
			}
			n++
			if old := m.pairs.entries[x.Entry]; old >= 0 {
				edited[&m.old.Entries[old]] = true
			}
		}
	}
	return n, edited
}

// table is where a table at off of a new file probably stands: as far from the
// front of the old one, or from its end.
func (s *solid) table(file int, files []inside.Layout, off, size int64) int64 {
	switch {
	case file < 0:
		return 0
	case off < size/2:
		return s.stored(file, off)
	}
	return s.stored(file, max(0, files[file].Size-(size-off)))
}
