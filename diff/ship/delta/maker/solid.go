package maker

import (
	"context"
	"errors"
	"slices"
	"sort"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
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

// stored is where a byte of an old file is, if the file is there.
func (s *solid) stored(file int, off int64) int64 { return s.files[file] + off }

// content is where a place of an old entry's content is.
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

// table is where a table at off of a new file probably is: as far from the
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

// loader has the old content at hand in memory, and makes it the source of operations.
type loader struct {
	files program.OldFiles
	e     *program.Emitter
	now   loaded
	index coder.Index
}

// loaded is old content in memory.
type loaded struct {
	ranges  []program.Range
	content []byte
	indexed bool
}

// use makes the content of ranges the source of what follows.
func (l *loader) use(ranges []program.Range) error {
	if l.e.Open && sameRanges(ranges, l.e.Ranges) {
		return nil
	}
	h, err := l.load(ranges)
	if err != nil {
		return err
	}
	if !h.indexed {
		l.index.Reset(h.content)
		h.indexed = true
	}
	l.e.Source(ranges, &l.index)
	return nil
}

// sameRanges compares, which for the very same ones takes no time.
func sameRanges(a, b []program.Range) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// load reads the content of ranges.
func (l *loader) load(ranges []program.Range) (*loaded, error) {
	if l.now.content != nil && sameRanges(ranges, l.now.ranges) {
		return &l.now, nil
	}
	src := program.NewSource(&l.files, ranges)
	content := slices.Grow(l.now.content[:0], int(src.Size()))[:src.Size()]
	l.now = loaded{ranges: ranges[:len(ranges):len(ranges)], content: content}
	if len(l.now.content) > 0 {
		if _, err := src.ReadAt(l.now.content, 0); err != nil {
			return nil, err
		}
	}
	return &l.now, nil
}

// check decodes a block of an old file, which may turn out not to be one.
func (l *loader) check(file int, x *inside.Extent) error {
	if x.Sound || x.Method == compress.None {
		return nil
	}
	_, err := l.files.Block(program.Range{File: file, Off: x.Off, Stored: x.Coded, Method: x.Method, Size: x.Size, Key: x.Key})
	if errors.Is(err, delta.ErrCorrupt) {
		x.Opaque()
		err = nil
	}
	x.Sound = err == nil
	return err
}

// New content that the new file has a second time is copied from the
// output, however far back that is.

// ownContent finds what a new file has had so far.
type ownContent struct {
	file    *inside.Layout
	self    int       // its number
	runs    *runIndex // nil while the contents before have it all
	indexed int64     // of the file
}

// ownBehind is how far before the end of the output runs are looked for: less
// than the coder itself reaches back.
const ownBehind = 2 << 20

// addRuns adds to the runs of p that old files have those that the new one has.
func (o *ownContent) addRuns(ctx context.Context, p []byte, off int64, runs []storedRun) (all []storedRun, err error) {
	if off+int64(len(p)) < ownBehind {
		return runs, nil
	}
	at := 0
	for i := range len(runs) + 1 {
		end := len(p)
		if i < len(runs) {
			end = runs[i].at
		}
		for ; at < end; at = min(at+ownStep, end) {
			if all, err = o.appendRuns(ctx, all, p[:min(at+ownStep, end)], at, off); err != nil {
				return nil, err
			}
		}
		if i < len(runs) {
			all = append(all, runs[i])
			at = end + runs[i].n
		}
	}
	return all, nil
}

// appendRuns looks for p[at:], of what is at off, in what is before it.
func (o *ownContent) appendRuns(ctx context.Context, list []storedRun, p []byte, at int, off int64) ([]storedRun, error) {
	if len(p)-at < minOwn {
		return list, nil
	}
	if err := o.index(ctx, off+int64(at)-ownBehind); err != nil {
		return nil, err
	}
	if o.runs == nil {
		return list, nil
	}
	own, err := o.runs.runs(p[at:], reach{file: -1})
	for _, r := range own {
		r.at, r.file = r.at+at, o.self
		list = append(list, r)
	}
	return list, err
}

// index makes what the new file has before end findable.
func (o *ownContent) index(ctx context.Context, end int64) error {
	if end < o.indexed+ownStep/4 {
		return nil
	}
	if o.runs == nil {
		o.runs = newOwnIndex(o.file)
	}
	first := sort.Search(len(o.file.Extents), func(i int) bool { return o.file.Extents[i].End() > o.indexed })
	for i := first; i < len(o.file.Extents) && o.file.Extents[i].Off < end; i++ {
		x := &o.file.Extents[i]
		if from, to := max(x.Off, o.indexed), min(x.End(), end); from < to && x.Method == compress.None && x.Key == 0 {
			if err := o.runs.add(ctx, 0, from, to-from); err != nil {
				return err
			}
		}
	}
	o.indexed = end
	return nil
}

// minOwn is what of new content is looked for in the new file.
const minOwn = 1 << 10

// ownStep is how much is looked for before more is indexed.
const ownStep = 1 << 20
