package maker

import (
	"bytes"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/diff/ship/internal/table"
)

// head explains the gap before extent k where it is not small, and returns the
// size of one that is.
func (f *fileMaker) head(k int) (gap int64, err error) {
	if _, gap = f.out.gapBefore(k); gap > smallGap {
		return 0, f.table(k)
	}
	return gap, nil
}

// plain explains an extent that is not compressed.
func (f *fileMaker) plain(k int) error {
	x := &f.out.file.Extents[k]
	f.changed(x)
	gap, err := f.head(k)
	if err != nil {
		return err
	}
	before := f.src.before(k)
	f.drift = 0
	for at := int64(0); at < x.Coded; {
		n := min(x.Coded-at, maxRun)
		if err := f.plainPart(x, at, n, before+at, gap, k); err != nil {
			return err
		}
		at, gap = at+n, 0
	}
	f.out.endUnit(x)
	return nil
}

// plainPart explains n bytes of an extent from at on, with gap bytes before them.
func (f *fileMaker) plainPart(x *inside.Extent, at, n, before, gap int64, k int) error {
	p, err := f.out.file.Read(x.Off+at, n)
	if err != nil {
		return err
	}
	r := f.src.reach(f.m.pairs.entries[x.Entry], before+f.drift, n)
	runs, err := f.runs(p, x.Off+at, r)
	if err != nil {
		return err
	}
	src, err := f.src.of(f.out.ctx, x.Entry, before+f.drift, p, gap > 0)
	if err != nil {
		return err
	}
	if gap > 0 {
		if err := f.out.load.use(src.ranges); err != nil {
			return err
		}
		if err := f.out.gap(x.Off-gap, gap, src.head, &f.m.new.Entries[x.Entry], k); err != nil {
			return err
		}
	}
	place, end := r.off, x.Off+at // where in the old file what is at hand goes on; of what was explained
	err = f.out.withRuns(p, x.Off+at, runs, func(p []byte, off int64, after *storedRun) error {
		place, end = place+off-end, off+int64(len(p))
		switch {
		case after == nil:
		case f.src.solid == nil && r.has(after.file, after.end()):
			place = after.end()
		case f.src.solid != nil || r.file == -1 || after.n >= minTrusted:
			place += int64(len(p))
			ranges, base := f.src.behind(after, int64(len(p)))
			return f.out.rawBy(ranges, p, off, base)
		}
		guess := src.base + place - r.off
		if err := f.out.rawBy(src.ranges, p, off, guess); err != nil {
			return err
		}
		place += f.out.e.Cursor() - guess
		return nil
	})
	f.drift += place + x.Off + at + n - end - (r.off + n)
	return err
}

// minTrusted is how long a run must be for what follows it to be looked for after
// it, instead of where the entry is.
const minTrusted = 2 << 10

// runs returns the runs of p, which is at off, that are worth a copy.
func (f *fileMaker) runs(p []byte, off int64, source reach) ([]storedRun, error) {
	if unit, _ := f.out.file.Unit(off); len(p) < minRun || unit.Key > 0 {
		return nil, nil // copies are of what is stored
	}
	runs, err := f.m.stored.find(f.out.ctx, p, source)
	if err != nil {
		return nil, err
	}
	return f.own.addRuns(f.out.ctx, p, off, runs)
}

// compressed explains n compressed extents of one entry, none of which the old build
// has, with what is before each.
func (f *fileMaker) compressed(k, n int) error {
	x := &f.out.file.Extents[k]
	f.changed(x)
	gap, err := f.head(k)
	if err != nil {
		return err
	}
	size := int64(0)
	for j := k; j < k+n; j++ {
		size += f.out.file.Extents[j].Size
	}
	f.spare = slices.Grow(f.spare[:0], int(size))[:size]
	s := &blockRun{f: f, first: k, content: f.spare, gap: gap > 0}
	for j, at := k, int64(0); j < k+n; j++ {
		end := at + f.out.file.Extents[j].Size
		b, err := f.recipes.decode(j, s.content[at:end:end])
		if err != nil {
			return err
		}
		s.blocks = append(s.blocks, b)
		at = end
	}
	if s.src, err = f.src.of(f.out.ctx, x.Entry, f.src.before(k), s.content, gap > 0); err != nil {
		return err
	}
	f.drift = 0
	for j := 0; j < n; {
		if err := f.out.endFull(); err != nil {
			return err
		}
		m, err := s.piece(j)
		if err != nil {
			return err
		}
		j += m
	}
	return nil
}

// tableMemory is how many bytes of memory one of tables takes at most, read and
// predicted.
const tableMemory = 20

// firstTables explains what is before the first entry, if those are tables.
func (f *fileMaker) firstTables() error {
	if f.tables == nil || !f.tables.isFront() {
		return nil
	}
	_, err := f.derive(0, f.tables.new.At.Size)
	return err
}

// lastTables explains the bytes after the last entry.
func (f *fileMaker) lastTables() error {
	if f.tables == nil || f.tables.isFront() {
		return f.table(len(f.out.file.Extents))
	}
	if done, err := f.derive(f.out.gapBefore(len(f.out.file.Extents))); done || err != nil {
		return err
	}
	return f.table(len(f.out.file.Extents))
}

// derive explains n bytes of tables, unless the old ones as they are explain them
// better.
func (f *fileMaker) derive(off, n int64) (bool, error) {
	near := f.out.near(0)
	if same, err := f.out.copySame(off, n, near, &f.m.old.Files[near.file]); same || err != nil {
		return same, err
	}
	f.out.e.FlushCopy()
	want, err := f.out.file.Read(off, n)
	if err != nil {
		return false, err
	}
	p := f.tables.predict(want, f.out.file.Source, off, f.out.e.Copies)
	if p == nil {
		return false, nil
	}
	return true, f.codeTables(p, want, off)
}

// codeTables codes tables by their prediction. Digests that it has right are no
// matter of their own.
func (f *fileMaker) codeTables(p *predicted, want []byte, off int64) error {
	content := bytes.Clone(want)
	var again []sameDigest
	var parts []written
	if !bytes.Equal(p.content, want) {
		again, parts = f.out.digests.inTable(content, off)
	}
	right := func(at int64) bool {
		k := int(at - off)
		if k+program.DigestSize > len(p.content) {
			return false
		}
		had := bytes.Equal(p.content[k:k+program.DigestSize], want[k:k+program.DigestSize])
		copy(content[k:k+program.DigestSize], p.content[k:])
		return had
	}
	again = slices.DeleteFunc(again, func(d sameDigest) bool { return right(d.at) })
	parts = slices.DeleteFunc(parts, func(d written) bool { return right(d.at) })
	f.m.tabled = max(f.m.tabled, p.all.Size)
	p.index = coder.NewIndex(p.content)
	first := true
	err := f.out.raw(content, off, 0, func() error {
		if f.out.e.Open && !first {
			return nil
		}
		first = false
		return f.putPrediction(p)
	})
	if err != nil {
		return err
	}
	f.out.digests.put(again, parts)
	return nil
}

// putPrediction makes the prediction the source.
func (f *fileMaker) putPrediction(p *predicted) error {
	if slices.ContainsFunc(p.added, func(it table.Item) bool { return it.New != "" }) {
		if err := f.out.load.use(f.allTables()); err != nil {
			return err
		}
	}
	if !f.out.e.Knows(f.tables.old) {
		f.out.e.Name(f.tables.old)
	}
	seed, seeded := newSeed(f.tables.old, p.all)
	f.out.e.Predict(program.Prediction{
		Order: p.order, Form: p.form, More: p.more, Seed: seed, Seeded: seeded, Back: f.out.e.File - f.tables.new.File,
		Steps: p.steps, Items: p.items, All: p.all, Moved: p.places,
	}, p.content, p.index)
	return nil
}

// allTables are those of the old file, and the bytes after the entries of the
// others, whose names may come together with its own.
func (f *fileMaker) allTables() []program.Range {
	ranges, total := []program.Range{f.tables.old.At}, f.tables.old.At.Size
	for i := range f.m.old.Files {
		l := &f.m.old.Files[i]
		off, n := l.GapBefore(len(l.Extents))
		if i == f.tables.old.At.File || n == 0 || total+n > maxSource || len(ranges) == rangesToSpare {
			continue
		}
		ranges, total = append(ranges, l.RangesOf(i, off, n)...), total+n
	}
	return ranges
}

// blockRun is a run of compressed extents that is being explained.
type blockRun struct {
	f       *fileMaker
	first   int    // extent
	content []byte // of all of them
	blocks  []block
	src     oldSource
	at      int64 // content explained
	gap     bool  // what is before the next extent is not explained yet
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

// before sets the source, and explains what is before extent j.
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
