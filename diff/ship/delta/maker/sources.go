package maker

import (
	"context"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/aes256"
)

const (
	smallGap   = 4 << 10  // up to here, what is before an entry's bytes belongs to the entry
	margin     = 1 << 20  // of old blocks around the place of a run
	wideMargin = 8 << 20  // of old bytes that need no decoding
	maxSource  = 32 << 20 // of content in memory
)

// sources says which old content probably resembles new content of a file.
type sources struct {
	old, new *inside.Build
	file     *inside.Layout // of the new build
	twin     int            // the old file, or -1
	pairs    *pairing
	moved    *chunkIndex
	solid    *solid // nil: builds are not small
	load     *loader
	wanted   int32 // old entry that was the source last
}

// oldSource is old content for a part of an entry.
type oldSource struct {
	ranges []program.Range
	base   int64 // where the part probably starts in it
	head   int64 // where what is before the entry does
}

// of returns the old content for new content of an entry that probably
// is at a place of the old one, with what is before the entry if that is wanted,
// and with other entries that have some of it.
func (c *sources) of(ctx context.Context, new int32, place int64, content []byte, head bool) (oldSource, error) {
	old := c.pairs.entries[new]
	if c.solid != nil {
		return c.solidSource(old, place), nil
	}
	s, w, err := c.entrySource(old, place, int64(len(content)), head)
	if err != nil {
		return s, err
	}
	w.name = c.new.Entries[new].Name
	runs, err := c.moved.find(ctx, content, w, nil)
	if err != nil || len(runs) == 0 {
		return s, err
	}
	if w.entry >= 0 {
		own, err := c.load.load(s.ranges)
		if err != nil {
			return s, err
		}
		known := map[uint32]bool{}
		chunks(own.content, func(_, _ int, hash uint32) { known[hash] = true })
		if runs, err = c.moved.find(ctx, content, w, known); err != nil {
			return s, err
		}
	}
	for _, r := range runs {
		if s.ranges, err = c.appendRanges(s.ranges, window{entry: r.entry, from: r.from, to: r.to}); err != nil {
			return s, err
		}
	}
	return s, nil
}

// entrySource is the old content around a place in an old entry.
func (c *sources) entrySource(old int32, place, size int64, head bool) (s oldSource, w window, err error) {
	if old < 0 {
		return s, window{entry: -1}, nil
	}
	e := &c.old.Entries[old]
	if off, gap := c.old.Files[e.File].GapBefore(e.First); head && gap > 0 && gap <= smallGap {
		s.ranges = append(s.ranges, program.Range{File: e.File, Off: off, Stored: gap, Size: gap})
		s.base = gap
	}
	wide := int64(margin)
	if e.Count == 1 || old == c.wanted { // an entry that is asked for again is in several places
		wide = wideMargin
	}
	c.wanted = old
	w = window{entry: old, from: max(0, place-wide), to: place + size + wide}
	head0 := len(s.ranges)
	if s.ranges, err = c.appendRanges(s.ranges, w); err != nil {
		return s, w, err
	}
	from := place
	if len(s.ranges) > head0 {
		from = c.contentAt(e, s.ranges[head0].Off)
	}
	s.base += place - from
	c.reuse(&s)
	return s, w, nil
}

// reuse takes the source at hand if it has what s has.
func (c *sources) reuse(s *oldSource) {
	if !c.load.e.Open || len(s.ranges) == 0 {
		return
	}
	at := int64(0)
	for i := range c.load.e.Ranges {
		if end := i + len(s.ranges); end <= len(c.load.e.Ranges) && slices.Equal(c.load.e.Ranges[i:end], s.ranges) {
			s.ranges, s.base, s.head = slices.Clip(c.load.e.Ranges), s.base+at, s.head+at
			return
		}
		at += c.load.e.Ranges[i].Size
	}
}

// contentAt is the place in the content of an old entry of what is stored at off.
func (c *sources) contentAt(e *inside.Entry, off int64) (at int64) {
	for _, x := range c.old.Files[e.File].Extents[e.First : e.First+e.Count] {
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
func (c *sources) appendRanges(ranges []program.Range, w window) ([]program.Range, error) {
	e := &c.old.Entries[w.entry]
	total := int64(0)
	for _, r := range ranges {
		total += r.Size
	}
	at := int64(0)
	extents := c.old.Files[e.File].Extents[e.First : e.First+e.Count]
	for i := range extents {
		x := &extents[i]
		if at < w.to && at+x.Size > w.from {
			if err := c.load.check(e.File, x); err != nil {
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

// before is how much of its entry's content is before extent k.
func (c *sources) before(k int) (n int64) {
	e := &c.new.Entries[c.file.Extents[k].Entry]
	for j := e.First; j < k; j++ {
		n += c.file.Extents[j].Size
	}
	return n
}

// tables are the old file's tables: all that no entry explains and that is
// first, last, or large; of very much of it, what is near the same place.
func (c *sources) tables(off, n int64) (ranges []program.Range, base int64) {
	if c.solid != nil {
		return c.solid.ranges, c.solid.table(c.twin, c.old.Files, off, c.file.Size)
	}
	if c.twin < 0 {
		return nil, 0
	}
	l := &c.old.Files[c.twin]
	total := int64(0)
	for k := range len(l.Extents) + 1 {
		at, gap := l.GapBefore(k)
		if gap > 0 && (k == 0 || k == len(l.Extents) || gap > smallGap) {
			ranges = append(ranges, l.RangesOf(c.twin, at, gap)...)
			total += gap
		}
	}
	if total <= maxSource && len(ranges) <= program.MaxRanges {
		return ranges, max(0, total-(c.file.Size-off))
	}
	from := max(0, min(off, l.Size)-wideMargin)
	to := min(l.Size, off+n+wideMargin)
	return l.RangesOf(c.twin, from, to-from), off - from
}

// reach reports what the source of n bytes at a place of an old entry has.
func (c *sources) reach(old int32, place, n int64) reach {
	if c.solid != nil {
		return reach{file: anyFile}
	}
	if old < 0 {
		return reach{file: -1}
	}
	e := &c.old.Entries[old]
	x := &c.old.Files[e.File].Extents[e.First]
	if x.Method != compress.None {
		return reach{file: anyFile} // its content, decoded
	}
	at := x.Off + place
	return reach{e.File, at, max(x.Off, at-wideMargin), min(x.End(), at+n+wideMargin)}
}

// solidSource is of for small builds.
func (c *sources) solidSource(old int32, place int64) oldSource {
	s := oldSource{ranges: c.solid.ranges}
	if old >= 0 {
		e := &c.old.Entries[old]
		l := &c.old.Files[e.File]
		s.base = c.solid.content(l, e, place)
		if off, gap := l.GapBefore(e.First); gap > 0 {
			s.head = c.solid.stored(e.File, off)
		}
	}
	return s
}

// stored is what the stored bytes of new extent k probably resemble, whose content
// resembles src, and where they begin in it.
func (c *sources) stored(src *oldSource, k int) (ranges []program.Range, guess int64) {
	if c.solid == nil {
		for _, r := range src.ranges {
			if r.Method != compress.None {
				ranges = append(ranges, program.Range{File: r.File, Off: r.Off, Stored: r.Stored, Size: r.Stored, Key: r.Key})
			}
		}
		return ranges, 0
	}
	x := &c.file.Extents[k]
	old := c.pairs.entries[x.Entry]
	if old < 0 {
		return c.solid.ranges, 0
	}
	e := &c.old.Entries[old]
	j := min(max(k-c.new.Entries[x.Entry].First, 0), e.Count-1)
	return c.solid.ranges, c.solid.stored(e.File, c.old.Files[e.File].Extents[e.First+j].Off)
}

// tinyRest is what no source is named for.
const tinyRest = 32

// behind is the old content that n bytes after a run probably resemble, and their guess in it.
func (c *sources) behind(run *storedRun, n int64) (ranges []program.Range, guess int64) {
	e, at := c.load.e, run.end()
	switch {
	case run.file >= len(c.old.Files) || n <= tinyRest && e.Open:
		return e.Ranges, e.Cursor()
	case c.solid != nil:
		return c.solid.ranges, c.solid.stored(run.file, at)
	}
	wide := min(max(16*n, 64<<10), wideMargin)
	from, to := max(0, at-wide), min(c.old.Files[run.file].Size, at+n+wide)
	return []program.Range{{File: run.file, Off: from, Stored: to - from, Size: to - from}}, at - from
}

// head is what is before the old entry of a new one, if that is small.
func (c *sources) head(new int32) []program.Range {
	if old := c.pairs.entries[new]; old >= 0 {
		e := &c.old.Entries[old]
		if off, n := c.old.Files[e.File].GapBefore(e.First); n > 0 && n <= smallGap {
			return []program.Range{{File: e.File, Off: off, Stored: n, Size: n}}
		}
	}
	return nil
}

// block is a decoded extent.
type block struct {
	content []byte
	recipe  delta.Recipe
	made    bool // by the recipe
}

// maxMisses is how many blocks in a row may have no recipe, after which few are tried.
const maxMisses = 64

// recognizer finds out by which recipes the blocks of a file were made.
type recognizer struct {
	file   *inside.Layout
	coder  *delta.Coder
	trust  *trust
	likely []delta.Recipe // used before, the latest first
	misses int            // blocks that no recipe gave, in a row
}

// decode decodes extent j into content, which has its size, and finds its recipe.
func (r *recognizer) decode(j int, content []byte) (b block, err error) {
	x := &r.file.Extents[j]
	stored, err := r.file.Read(x.Off, x.Coded)
	if err != nil {
		return b, err
	}
	b.content = content
	if x.Size == 0 { // a block of nothing is something, which no recipe is asked to make
		return b, nil
	}
	clear(content) // what is not decoded is always the same
	if compress.Decode(x.Method, b.content, stored) != nil || r.misses > maxMisses && j%maxMisses != 0 {
		return b, nil
	}
	if b.recipe, b.made = r.trust.believes(r.coder, x.Method, stored, b.content); b.made {
		return b, nil
	}
	if b.recipe, b.made = r.coder.Recognize(x.Method, stored, b.content, r.likely); b.made {
		r.misses = 0
		r.prefer(b.recipe)
	} else {
		r.misses++
	}
	r.trust.saw(b, len(stored))
	return b, nil
}

// prefer moves a recipe to the front of those that are tried first.
func (r *recognizer) prefer(by delta.Recipe) {
	if len(r.likely) > 0 && r.likely[0] == by {
		return
	}
	r.likely = slices.DeleteFunc(r.likely, func(have delta.Recipe) bool { return have == by })
	r.likely = slices.Insert(r.likely, 0, by)
	r.likely = r.likely[:min(len(r.likely), 4)]
}

// To recognise a recipe takes coding a block again, and to prove a patch takes it
// once more. Archives are made by one tool: where a row of blocks was made by one
// recipe, the next ones are believed to be when they begin as they would. That is
// no proof, but the patch is proved all the same before it gets its name. Should
// it fail, it is made again without believing anything.

// knownBlocks is how many blocks in a row must be recognised by one recipe before
// the next is believed. Blocks that are short or nearly empty come out the same by
// many.
const knownBlocks = 8

// knownBytes is what such a block must have, stored.
const knownBytes = 1 << 10

// trust is what a maker believes.
type trust struct {
	wanted bool // what is made will be proved
	recipe delta.Recipe
	run    int // blocks that it made, in a row
	used   int // blocks that were believed
}

// saw takes note of a block that was recognised, or was not.
func (t *trust) saw(b block, stored int) {
	switch {
	case !b.made || b.recipe != t.recipe:
		t.recipe, t.run = b.recipe, 0
	case stored >= knownBytes:
		t.run++
	}
}

// believes returns the recipe of a block if it need not be proved.
func (t *trust) believes(c *delta.Coder, m compress.Method, stored, content []byte) (delta.Recipe, bool) {
	if !t.wanted || t.run < knownBlocks || t.recipe.Method != m || m != compress.Zlib {
		return delta.Recipe{}, false
	}
	if !c.Zlib.Begins(stored, content, t.recipe.Zlib()) {
		return delta.Recipe{}, false
	}
	t.used++
	return t.recipe, true
}
