package patch

import "pakdb/codecs/compress"

// Of small builds everything that may matter is one source: it is named once,
// and what is new, renamed or in no archive's table finds all there is.

const (
	maxSolid      = 4 << 20  // of content: what is indexed by 4 bytes
	maxBest       = 32 << 20 // of old and new files that the greatest effort is made for
	rangesToSpare = 32       // that are named whether they may matter or not
	blocksToSpare = 8
)

// solid is a source of all old content, but for that which the new build has as
// it is.
type solid struct {
	ranges []Range
	files  map[int]int64      // where the stored bytes of an old file begin
	blocks map[position]int64 // where the content of an old extent begins
	size   int64
}

// newSolid returns nil for builds that are too large, or of which so little
// differs that naming what matters costs less. check looks at blocks before they
// are taken.
func newSolid(old *build, listed int64, copied func(*entry) bool, changed int, check func(file int, x *extent) error) (*solid, error) {
	s := &solid{files: map[int]int64{}, blocks: map[position]int64{}}
	keep := make([]bool, len(old.files))
	free := 0 // ranges that are named by naming all
	if sizeOfLayouts(old.files) <= maxSolid {
		free = len(old.files)
	}
	for i := range old.files {
		keep[i] = free > 0 || len(old.files) <= rangesToSpare
	}
	for i := range old.entries {
		e := &old.entries[i]
		keep[e.file] = keep[e.file] || !copied(e)
	}
	for i := range old.files {
		if l := &old.files[i]; keep[i] && l.Size > 0 {
			s.files[i] = s.size
			s.add(Range{File: i, Stored: l.Size, Size: l.Size})
		}
	}
	if free > 0 && listed > 0 {
		s.add(Range{File: listedFile, Stored: listed, Size: listed})
	}
	for i := range old.entries {
		e := &old.entries[i]
		if copied(e) && len(old.entries) > blocksToSpare {
			continue
		}
		extents := old.files[e.file].extents[e.first : e.first+e.count]
		for i := range extents {
			if s.size > maxSolid {
				return nil, nil
			}
			x := &extents[i]
			if err := check(e.file, x); err != nil {
				return nil, err
			}
			if x.method != compress.None {
				s.blocks[position{int32(e.file), x.off}] = s.size
				s.add(Range{File: e.file, Off: x.off, Stored: x.coded, Method: x.method, Size: x.size})
			}
		}
	}
	if s.size <= listed || s.size > maxSolid || len(s.ranges)-free > 2*changed+2 {
		return nil, nil
	}
	return s, nil
}

func sizeOfLayouts(list []layout) (n int64) {
	for i := range list {
		n += list[i].Size
	}
	return n
}

func (s *solid) add(r Range) {
	s.ranges = append(s.ranges, r)
	s.size += r.Size
}

// stored is where a byte of an old file stands, if the file is there.
func (s *solid) stored(file int, off int64) int64 { return s.files[file] + off }

// content is where a place of an old entry's content stands.
func (s *solid) content(l *layout, e *entry, place int64) int64 {
	for _, x := range l.extents[e.first : e.first+e.count] {
		if place >= x.size {
			place -= x.size
			continue
		}
		if at, ok := s.blocks[position{int32(e.file), x.off}]; ok {
			return at + place
		}
		return s.stored(e.file, x.off) + place
	}
	return 0
}

// changedExtents counts what the new build has and the old one has not.
func (m *maker) changedExtents() (n int) {
	for i := range m.new.files {
		for k := range m.new.files[i].extents {
			if _, ok := m.pairs.find(m.old, &m.new.files[i].extents[k], position{-1, 0}); !ok {
				n++
			}
		}
	}
	return n
}

// solidSource is sourceFor of small builds.
func (f *fileMaker) solidSource(old int32, place int64) oldSource {
	s := oldSource{ranges: f.solid.ranges}
	if old >= 0 {
		e := &f.old.entries[old]
		l := &f.old.files[e.file]
		s.base = f.solid.content(l, e, place)
		if off, gap := l.gapBefore(e.first); gap > 0 {
			s.head = f.solid.stored(e.file, off)
		}
	}
	return s
}

// table is where a table at off of a new file probably stands: as far from the
// front of the old one, or from its end.
func (s *solid) table(file int, files []layout, off, size int64) int64 {
	switch {
	case file < 0:
		return 0
	case off < size/2:
		return s.stored(file, off)
	}
	return s.stored(file, max(0, files[file].Size-(size-off)))
}

// solidStored is where the stored bytes of new extent k probably stand.
func (f *fileMaker) solidStored(k int) int64 {
	x := &f.extents[k]
	old := f.pairs.entries[x.entry]
	if old < 0 {
		return 0
	}
	e := &f.old.entries[old]
	j := min(max(k-f.new.entries[x.entry].first, 0), e.count-1)
	return f.solid.stored(e.file, f.old.files[e.file].extents[e.first+j].off)
}
