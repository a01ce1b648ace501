package maker

import (
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/aes256"
)

// use makes the content of ranges the source of what follows.
func (m *maker) use(ranges []program.Range) error {
	if m.e.Open && sameRanges(ranges, m.e.Ranges) {
		return nil
	}
	h, err := m.load(ranges)
	if err != nil {
		return err
	}
	if !h.indexed {
		m.index.Reset(h.content)
		h.indexed = true
	}
	m.e.Source(ranges, &m.index)
	return nil
}

// sameRanges compares, which for the very same ones takes no time.
func sameRanges(a, b []program.Range) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// load reads the content of ranges.
func (m *maker) load(ranges []program.Range) (*loaded, error) {
	if m.now.content != nil && sameRanges(ranges, m.now.ranges) {
		return &m.now, nil
	}
	src := program.NewSource(&m.reader, ranges)
	content := slices.Grow(m.now.content[:0], int(src.Size()))[:src.Size()]
	m.now = loaded{ranges: ranges[:len(ranges):len(ranges)], content: content}
	if len(m.now.content) > 0 {
		if _, err := src.ReadAt(m.now.content, 0); err != nil {
			return nil, err
		}
	}
	return &m.now, nil
}

// gap codes n bytes at off, which stand before extent k.
func (f *fileMaker) gap(off, n, guess int64, k int) error {
	p, err := f.file.Read(off, n)
	if err != nil {
		return err
	}
	old := f.m.now.content[min(max(guess, 0), int64(len(f.m.now.content))):]
	if err := f.headDigest(p, off, k, old); err != nil {
		return err
	}
	f.m.stats.Raw += n
	f.seal(off)
	f.m.e.Raw(p, guess)
	f.pos = off + n
	return nil
}

// raw codes p, which stands at off, as it is, by the source that use sets.
// Segments end where they are full.
func (f *fileMaker) raw(p []byte, off, guess int64, use func() error) error {
	f.m.stats.Raw += int64(len(p))
	for at := 0; at < len(p); {
		if err := f.endFull(); err != nil {
			return err
		}
		if err := use(); err != nil {
			return err
		}
		n := min(delta.MaxContent, len(p)-at, f.seal(off+int64(at)))
		f.m.e.Raw(p[at:at+n], guess)
		if f.m.e.Enc.IsOver() {
			return errLonger
		}
		guess = f.m.e.Cursor()
		at += n
	}
	f.pos = off + int64(len(p))
	return nil
}

// endFull ends the segment if it is full.
func (f *fileMaker) endFull() error {
	if f.m.e.Full() {
		return f.m.e.End()
	}
	return nil
}

// changed counts entries.
func (f *fileMaker) changed(x *inside.Extent) {
	if f.entry != x.Entry+1 {
		f.entry = x.Entry + 1
		f.m.stats.Changed++
	}
}

// head explains the gap before extent k where it is not small, and returns the
// size of one that is.
func (f *fileMaker) head(k int) (gap int64, err error) {
	if _, gap = f.gapBefore(k); gap > smallGap {
		return 0, f.tables(k)
	}
	return gap, nil
}

// plain explains an extent that is not compressed.
func (f *fileMaker) plain(k int) error {
	x := &f.file.Extents[k]
	f.changed(x)
	gap, err := f.head(k)
	if err != nil {
		return err
	}
	before := f.contentBefore(k)
	f.drift = 0
	for at := int64(0); at < x.Coded; {
		n := min(x.Coded-at, maxRun)
		if err := f.plainPart(x, at, n, before+at, gap, k); err != nil {
			return err
		}
		at, gap = at+n, 0
	}
	f.endUnit(x)
	return nil
}

// plainPart explains n bytes of an extent from at on, with gap bytes before them.
func (f *fileMaker) plainPart(x *inside.Extent, at, n, before, gap int64, k int) error {
	p, err := f.file.Read(x.Off+at, n)
	if err != nil {
		return err
	}
	r := f.reachOf(f.m.pairs.entries[x.Entry], before+f.drift, n)
	runs, err := f.storedRuns(p, x.Off+at, r)
	if err != nil {
		return err
	}
	src, err := f.sourceFor(x.Entry, before+f.drift, p, gap > 0)
	if err != nil {
		return err
	}
	if gap > 0 {
		if err := f.m.use(src.ranges); err != nil {
			return err
		}
		if err := f.gap(x.Off-gap, gap, src.head, k); err != nil {
			return err
		}
	}
	place, end := r.off, x.Off+at // where in the old file what is at hand goes on; of what was explained
	err = f.withRuns(p, x.Off+at, runs, func(p []byte, off int64, after *storedRun) error {
		place, end = place+off-end, off+int64(len(p))
		switch {
		case after == nil:
		case f.m.solid == nil && r.has(after.file, after.end()):
			place = after.end()
		case f.m.solid != nil || r.file == -1 || after.n >= minTrusted:
			place += int64(len(p))
			return f.around(p, off, after)
		}
		guess := src.base + place - r.off
		if err := f.raw(p, off, guess, func() error { return f.m.use(src.ranges) }); err != nil {
			return err
		}
		place += f.m.e.Cursor() - guess
		return nil
	})
	f.drift += place + x.Off + at + n - end - (r.off + n)
	return err
}

// minTrusted is how long a run must be for what follows it to be looked for behind
// it, instead of where the entry is.
const minTrusted = 2 << 10

// contentBefore is how much of its entry's content stands before extent k.
func (f *fileMaker) contentBefore(k int) (n int64) {
	e := &f.m.new.Entries[f.file.Extents[k].Entry]
	for j := e.First; j < k; j++ {
		n += f.file.Extents[j].Size
	}
	return n
}

// oldSource is old content for a part of an entry.
type oldSource struct {
	ranges []program.Range
	base   int64 // where the part probably starts in it
	head   int64 // where what stands before the entry does
}

// sourceFor returns the old content for new content of an entry that probably
// stands at a place of the old one, with what stands before the entry if that is wanted,
// and with other entries that have some of it.
func (f *fileMaker) sourceFor(new int32, place int64, content []byte, head bool) (oldSource, error) {
	old := f.m.pairs.entries[new]
	if f.m.solid != nil {
		return f.solidSource(old, place), nil
	}
	s, w, err := f.entrySource(old, place, int64(len(content)), head)
	if err != nil {
		return s, err
	}
	w.name = f.m.new.Entries[new].Name
	runs, err := f.m.moved.find(f.ctx, content, w, nil)
	if err != nil || len(runs) == 0 {
		return s, err
	}
	if w.entry >= 0 {
		own, err := f.m.load(s.ranges)
		if err != nil {
			return s, err
		}
		known := map[uint32]bool{}
		chunks(own.content, func(_, _ int, hash uint32) { known[hash] = true })
		if runs, err = f.m.moved.find(f.ctx, content, w, known); err != nil {
			return s, err
		}
	}
	for _, r := range runs {
		if s.ranges, err = f.appendRanges(s.ranges, window{entry: r.entry, from: r.from, to: r.to}); err != nil {
			return s, err
		}
	}
	return s, nil
}

// entrySource is the old content around a place in an old entry.
func (f *fileMaker) entrySource(old int32, place, size int64, head bool) (s oldSource, w window, err error) {
	if old < 0 {
		return s, window{entry: -1}, nil
	}
	e := &f.m.old.Entries[old]
	if off, gap := f.m.old.Files[e.File].GapBefore(e.First); head && gap > 0 && gap <= smallGap {
		s.ranges = append(s.ranges, program.Range{File: e.File, Off: off, Stored: gap, Size: gap})
		s.base = gap
	}
	wide := int64(margin)
	if e.Count == 1 || old == f.wanted { // an entry that is asked for again is in several places
		wide = wideMargin
	}
	f.wanted = old
	w = window{entry: old, from: max(0, place-wide), to: place + size + wide}
	head0 := len(s.ranges)
	if s.ranges, err = f.appendRanges(s.ranges, w); err != nil {
		return s, w, err
	}
	from := place
	if len(s.ranges) > head0 {
		from = f.contentAt(e, s.ranges[head0].Off)
	}
	s.base += place - from
	f.reuse(&s)
	return s, w, nil
}

// reuse takes the source at hand if it has what s has.
func (f *fileMaker) reuse(s *oldSource) {
	if !f.m.e.Open || len(s.ranges) == 0 {
		return
	}
	at := int64(0)
	for i := range f.m.e.Ranges {
		if end := i + len(s.ranges); end <= len(f.m.e.Ranges) && slices.Equal(f.m.e.Ranges[i:end], s.ranges) {
			s.ranges, s.base, s.head = slices.Clip(f.m.e.Ranges), s.base+at, s.head+at
			return
		}
		at += f.m.e.Ranges[i].Size
	}
}

// contentAt is the place in the content of an old entry of what is stored at off.
func (f *fileMaker) contentAt(e *inside.Entry, off int64) (at int64) {
	for _, x := range f.m.old.Files[e.File].Extents[e.First : e.First+e.Count] {
		if off < x.End() {
			if x.Method == compress.None {
				at += off - x.Off
			}
			break
		}
		at += x.Size
	}
	return at
}

// appendRanges appends what a window sees: blocks that are not compressed in
// part, others whole.
func (f *fileMaker) appendRanges(ranges []program.Range, w window) ([]program.Range, error) {
	e := &f.m.old.Entries[w.entry]
	total := int64(0)
	for _, r := range ranges {
		total += r.Size
	}
	at := int64(0)
	extents := f.m.old.Files[e.File].Extents[e.First : e.First+e.Count]
	for i := range extents {
		x := &extents[i]
		if at < w.to && at+x.Size > w.from {
			if err := f.m.check(e.File, x); err != nil {
				return ranges, err
			}
		}
		from, to := max(at, w.from), min(at+x.Size, w.to)
		r := program.Range{File: e.File, Off: x.Off, Stored: x.Coded, Method: x.Method, Size: x.Size, Key: x.Key}
		if x.Method == compress.None {
			if x.Key > 0 {
				from -= (from - at) & (aes256.Block - 1)
			}
			r.Off, r.Stored, r.Size = x.Off+from-at, to-from, to-from
		}
		at += x.Size
		if from < to && len(ranges) < program.MaxRanges && total+r.Size <= maxSource {
			ranges = append(ranges, r)
			total += r.Size
		}
	}
	return ranges, nil
}

// run explains n compressed extents of one entry, none of which the old build
// has, with what stands before each.
func (f *fileMaker) run(k, n int) error {
	x := &f.file.Extents[k]
	f.changed(x)
	gap, err := f.head(k)
	if err != nil {
		return err
	}
	size := int64(0)
	for j := k; j < k+n; j++ {
		size += f.file.Extents[j].Size
	}
	f.spare = slices.Grow(f.spare[:0], int(size))[:size]
	s := &blockRun{f: f, first: k, content: f.spare, gap: gap > 0}
	for j, at := k, int64(0); j < k+n; j++ {
		end := at + f.file.Extents[j].Size
		b, err := f.decode(j, s.content[at:end:end])
		if err != nil {
			return err
		}
		s.blocks = append(s.blocks, b)
		at = end
	}
	if s.src, err = f.sourceFor(x.Entry, f.contentBefore(k), s.content, gap > 0); err != nil {
		return err
	}
	f.drift = 0
	for j := 0; j < n; {
		if err := f.endFull(); err != nil {
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

// block is a decoded extent.
type block struct {
	content []byte
	recipe  pkdelta.Recipe
	made    bool // by the recipe
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
	content, stored := b.content, s.f.file.Extents[s.first+j].Stored
	n := 1
	for s.joins(j+n, b, len(content)-n*len(b.content)) && len(content) < delta.MaxContent {
		content = s.content[s.at:][:len(content)+len(s.blocks[j+n].content)]
		stored += s.f.file.Extents[s.first+j+n].Stored
		n++
	}
	s.make(content, int64(len(b.content)), b.recipe, stored)
	return n, nil
}

// make writes the operation for content in blocks of a size.
func (s *blockRun) make(content []byte, size int64, r pkdelta.Recipe, stored int64) {
	guess := s.src.base + s.at
	s.f.seal(s.f.pos)
	if s.f.m.e.Unit.Key > 0 {
		s.f.m.stats.Sealed += stored
	}
	s.f.m.e.Make(content, guess+s.f.drift, max(size, 1), r, stored)
	s.f.drift = s.f.m.e.Cursor() - guess - int64(len(content))
	s.at += int64(len(content))
	s.f.pos += stored
	s.gap = true
}

// bigBlock is the content of a block that may be too much for a segment which has
// something already.
const bigBlock = 3 << 19

// large explains a large block in a segment of its own. If it is too much even for
// that, its stored bytes are coded, which segments can be cut in.
func (s *blockRun) large(j int) error {
	if err := s.f.m.e.End(); err != nil {
		return err
	}
	before, file, pos, copies := *s, *s.f, s.f.m.e.Pos, len(s.f.m.e.Copies)
	if err := s.before(j); err != nil {
		return err
	}
	b := s.blocks[j]
	s.make(b.content, int64(len(b.content)), b.recipe, s.f.file.Extents[s.first+j].Stored)
	if s.f.m.e.Enc.Size() <= pkdelta.MaxSegment-segmentSlack {
		return nil
	}
	s.f.m.e.Open, s.f.m.e.Pos, s.f.m.e.Copies = false, pos, s.f.m.e.Copies[:copies]
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
	_, gap := s.f.gapBefore(s.first + j)
	return gap == 0 && s.f.sameUnit(&s.f.file.Extents[s.first+j-1], &s.f.file.Extents[s.first+j])
}

// before sets the source, and explains what stands before extent j.
func (s *blockRun) before(j int) error {
	if err := s.f.m.use(s.src.ranges); err != nil {
		return err
	}
	off, gap := s.f.gapBefore(s.first + j)
	if gap == 0 || !s.gap {
		return nil
	}
	guess := s.src.head
	if s.at > 0 {
		guess = s.f.m.e.Cursor()
	}
	return s.f.gap(off, gap, guess, s.first+j)
}

// asStored explains a block whose recipe is not known, by the stored bytes of the
// old entry.
func (s *blockRun) asStored(j int) error {
	x := &s.f.file.Extents[s.first+j]
	if err := s.before(j); err != nil {
		return err
	}
	var ranges []program.Range
	for _, r := range s.src.ranges {
		if r.Method != compress.None {
			ranges = append(ranges, program.Range{File: r.File, Off: r.Off, Stored: r.Stored, Size: r.Stored, Key: r.Key})
		}
	}
	guess := int64(0)
	if s.f.m.solid != nil {
		ranges, guess = s.f.m.solid.ranges, s.f.solidStored(s.first+j)
	}
	p, err := s.f.file.Read(x.Off, x.Coded)
	if err != nil {
		return err
	}
	runs, err := s.f.storedRuns(p, x.Off, reach{file: -1})
	if err != nil {
		return err
	}
	err = s.f.withRuns(p, x.Off, runs, func(p []byte, off int64, after *storedRun) error {
		if after != nil {
			return s.f.around(p, off, after)
		}
		return s.f.raw(p, off, guess, func() error { return s.f.m.use(ranges) })
	})
	if err != nil {
		return err
	}
	s.f.endUnit(x)
	s.at += x.Size
	s.gap = true
	return nil
}

// decode decodes extent j into content, which has its size, and finds its recipe.
func (f *fileMaker) decode(j int, content []byte) (b block, err error) {
	x := &f.file.Extents[j]
	stored, err := f.file.Read(x.Off, x.Coded)
	if err != nil {
		return b, err
	}
	b.content = content
	if x.Size == 0 { // a block of nothing is something, which no recipe is asked to make
		return b, nil
	}
	clear(content) // what is not decoded is always the same
	if compress.Decode(x.Method, b.content, stored) != nil || f.misses > maxMisses && j%maxMisses != 0 {
		return b, nil
	}
	if b.recipe, b.made = f.m.trust.believes(&f.m.new.Coder, x.Method, stored, b.content); b.made {
		return b, nil
	}
	if b.recipe, b.made = f.m.new.Coder.Recognize(x.Method, stored, b.content, f.likely); b.made {
		f.misses = 0
		f.prefer(b.recipe)
	} else {
		f.misses++
	}
	f.m.trust.saw(b, len(stored))
	return b, nil
}

// prefer moves a recipe to the front of those that are tried first.
func (f *fileMaker) prefer(r pkdelta.Recipe) {
	if len(f.likely) > 0 && f.likely[0] == r {
		return
	}
	f.likely = slices.DeleteFunc(f.likely, func(have pkdelta.Recipe) bool { return have == r })
	f.likely = slices.Insert(f.likely, 0, r)
	f.likely = f.likely[:min(len(f.likely), 4)]
}
