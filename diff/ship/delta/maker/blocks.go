package maker

import (
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/coder"
)

// blockRun is a run of compressed extents that is being explained.
type blockRun struct {
	f       *fileMaker
	first   int    // extent
	content []byte // of all of them
	blocks  []block
	src     oldSource
	at      int64 // content explained
	gap     bool  // what stands before the next extent is not explained yet
}

// piece explains blocks from j on that one operation makes, and returns how many.
func (s *blockRun) piece(j int) (int, error) {
	b := s.blocks[j]
	if !b.made {
		return 1, s.asStored(j)
	}
	if len(b.content) > bigBlock {
		return 1, s.large(j)
	}
	if err := s.before(j); err != nil {
		return 0, err
	}
	content, stored := b.content, s.f.out.file.Extents[s.first+j].Stored
	n := 1
	for s.joins(j+n, b, len(content)-n*len(b.content)) && len(content) < coder.MaxContent {
		content = s.content[s.at:][:len(content)+len(s.blocks[j+n].content)]
		stored += s.f.out.file.Extents[s.first+j+n].Stored
		n++
	}
	s.make(content, int64(len(b.content)), b.recipe, stored)
	return n, nil
}

// make writes the operation for content in blocks of a size.
func (s *blockRun) make(content []byte, size int64, r delta.Recipe, stored int64) {
	guess := s.src.base + s.at
	s.f.out.seal(s.f.out.pos)
	if s.f.out.e.Unit.Key > 0 {
		s.f.out.stats.Sealed += stored
	}
	s.f.out.e.Make(content, guess+s.f.drift, max(size, 1), r, stored)
	s.f.drift = s.f.out.e.Cursor() - guess - int64(len(content))
	s.at += int64(len(content))
	s.f.out.pos += stored
	s.gap = true
}

// bigBlock is the content of a block that may be too much for a segment which has
// something already.
const bigBlock = 3 << 19

// large explains a large block in a segment of its own. If it is too much even for
// that, its stored bytes are coded, which segments can be cut in.
func (s *blockRun) large(j int) error {
	if err := s.f.out.e.End(); err != nil {
		return err
	}
	before, file, pos, copies := *s, *s.f, s.f.out.e.Pos, len(s.f.out.e.Copies)
	if err := s.before(j); err != nil {
		return err
	}
	b := s.blocks[j]
	s.make(b.content, int64(len(b.content)), b.recipe, s.f.out.file.Extents[s.first+j].Stored)
	if s.f.out.e.Enc.Size() <= delta.MaxSegment-segmentSlack {
		return nil
	}
	s.f.out.e.Open, s.f.out.e.Pos, s.f.out.e.Copies = false, pos, s.f.out.e.Copies[:copies]
	*s, *s.f = before, file
	return s.asStored(j)
}

// segmentSlack is more than an encoder keeps back, and the end of a segment.
const segmentSlack = 1 << 10

// joins reports that block j can follow blocks like first in one operation. odd
// is not 0 when the one before was smaller than they.
func (s *blockRun) joins(j int, first block, odd int) bool {
	if j >= len(s.blocks) || odd != 0 || !s.blocks[j].made || s.blocks[j].recipe != first.recipe ||
		len(s.blocks[j].content) > len(first.content) {
		return false
	}
	_, gap := s.f.out.gapBefore(s.first + j)
	return gap == 0 && s.f.out.sameUnit(&s.f.out.file.Extents[s.first+j-1], &s.f.out.file.Extents[s.first+j])
}

// before sets the source, and explains what stands before extent j.
func (s *blockRun) before(j int) error {
	if err := s.f.out.load.use(s.src.ranges); err != nil {
		return err
	}
	off, gap := s.f.out.gapBefore(s.first + j)
	if gap == 0 || !s.gap {
		return nil
	}
	guess := s.src.head
	if s.at > 0 {
		guess = s.f.out.e.Cursor()
	}
	return s.f.out.gap(off, gap, guess, &s.f.m.new.Entries[s.f.out.file.Extents[s.first+j].Entry], s.first+j)
}

// asStored explains a block whose recipe is not known, by the stored bytes of the
// old entry.
func (s *blockRun) asStored(j int) error {
	x := &s.f.out.file.Extents[s.first+j]
	if err := s.before(j); err != nil {
		return err
	}
	ranges, guess := s.f.src.stored(&s.src, s.first+j)
	p, err := s.f.out.file.Read(x.Off, x.Coded)
	if err != nil {
		return err
	}
	runs, err := s.f.runs(p, x.Off, reach{file: -1})
	if err != nil {
		return err
	}
	err = s.f.out.withRuns(p, x.Off, runs, func(p []byte, off int64, after *storedRun) error {
		if after != nil {
			ranges, guess := s.f.src.behind(after, int64(len(p)))
			return s.f.out.rawBy(ranges, p, off, guess)
		}
		return s.f.out.rawBy(ranges, p, off, guess)
	})
	if err != nil {
		return err
	}
	s.f.out.endUnit(x)
	s.at += x.Size
	s.gap = true
	return nil
}
