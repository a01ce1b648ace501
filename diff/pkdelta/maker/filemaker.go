package maker

import (
	"context"

	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
)

const (
	smallGap   = 4 << 10  // up to here, what stands before an entry's bytes belongs to the entry
	maxRun     = 8 << 20  // content that is coded against one source
	margin     = 1 << 20  // of old blocks around the place of a run
	wideMargin = 8 << 20  // of old bytes that need no decoding
	maxSource  = 32 << 20 // of content in memory
	maxMisses  = 64       // blocks in a row without a recipe, after which few are tried
)

// loaded is old content in memory.
type loaded struct {
	ranges  []program.Range
	content []byte
	indexed bool // by the maker's index
}

// fileMaker makes one new file.
type fileMaker struct {
	m         *maker
	file      *inside.Layout
	ctx       context.Context
	twin      int              // the old file, or -1
	likely    []pkdelta.Recipe // used before, the latest first
	misses    int              // blocks that no recipe gave, in a row
	pos       int64            // bytes of the output that are explained
	drift     int64            // by which content stands elsewhere in the source than was thought
	entry     int32            // that was changed last
	wanted    int32            // old entry that was the source last
	spare     []byte           // for the content of a run
	pending   []written        // digests whose bytes are not complete
	own       ownContent
	oldTables *program.Known // of the old archive; nil: none that are predicted
	newTables *program.Known // and of this one
}

// near is where copying would go on.
func (f *fileMaker) near(gap int64) position {
	c := &f.m.e.Run
	if c.N == 0 || c.File == len(f.m.old.Files) {
		return position{int32(f.twin), f.pos + gap}
	}
	return position{int32(c.File), c.Off + c.N + gap}
}

// extent explains extent k with what stands before it, and returns how many
// extents it explained.
func (f *fileMaker) extent(k int) (int, error) {
	if n, err := f.movedEntry(k); n > 0 || err != nil {
		return n, err
	}
	off, gap := f.gapBefore(k)
	at, ok := f.sameName(k)
	if !ok {
		at, ok = f.m.pairs.find(f.m.old, &f.file.Extents[k], f.near(gap))
	}
	if ok {
		return 1, f.copyExtent(k, at, off, gap)
	}
	if at, ok := f.own.find(&f.file.Extents[k]); ok {
		return 1, f.copyOwn(k, at)
	}
	f.own.add(&f.file.Extents[k])
	if n, err := f.move(k); n > 0 || err != nil {
		return n, err
	}
	if f.file.Extents[k].Method == compress.None {
		return 1, f.plain(k)
	}
	n := 1
	for size := f.file.Extents[k].Size; k+n < len(f.file.Extents) && size < maxRun; n++ {
		x := &f.file.Extents[k+n]
		if x.Entry != f.file.Extents[k].Entry || x.Method == compress.None {
			break
		}
		if _, ok := f.m.pairs.find(f.m.old, x, position{-1, 0}); ok {
			break
		}
		size += x.Size
	}
	return n, f.run(k, n)
}

// sameName returns the old extent of the same entry if it has the same stored
// bytes. It comes before all others that have them: what the archive's tables say
// of the entry is about this place.
func (f *fileMaker) sameName(k int) (place, bool) {
	x := &f.file.Extents[k]
	old := f.m.pairs.entries[x.Entry]
	if old < 0 {
		return place{}, false
	}
	e, j := &f.m.old.Entries[old], k-f.m.new.Entries[x.Entry].First
	if j < 0 || j >= e.Count {
		return place{}, false
	}
	y := &f.m.old.Files[e.File].Extents[e.First+j]
	return place{int32(e.File), int32(e.First + j)}, y.Sum == x.Sum && y.Stored == x.Stored
}

// copyExtent copies an extent, with what stands before it if that stands before
// the old one as well.
func (f *fileMaker) copyExtent(k int, at place, off, gap int64) error {
	x, l := &f.file.Extents[k], &f.m.old.Files[at.file]
	from := l.Extents[at.extent].Off
	same, err := equalAt(f.ctx, f.file, off, l, from-gap, gap)
	if err != nil {
		return err
	}
	switch {
	case f.padded(from, gap) && f.isPadding(off, gap):
		f.m.e.Padded(gap)
		f.m.e.CopyOld(int(at.file), from, x.Stored)
		f.m.stats.Copied += x.Stored
		f.m.stats.Derived += gap
	case same:
		f.m.e.CopyOld(int(at.file), from-gap, gap+x.Stored)
		f.m.stats.Copied += gap + x.Stored
	default:
		if err := f.tables(k); err != nil {
			return err
		}
		f.m.e.CopyOld(int(at.file), from, x.Stored)
		f.m.stats.Copied += x.Stored
	}
	f.pos = x.End()
	return f.copyFill(k, at)
}

// tables explains what stands before extent k, by what the old file has where no
// entry is.
func (f *fileMaker) tables(k int) error {
	off, gap := f.gapBefore(k)
	if gap == 0 {
		return nil
	}
	if f.twin >= 0 {
		near := f.near(0)
		if same, err := equalAt(f.ctx, f.file, off, &f.m.old.Files[near.file], near.off, gap); err != nil {
			return err
		} else if same {
			f.m.e.CopyOld(int(near.file), near.off, gap)
			f.m.stats.Copied += gap
			f.pos = off + gap
			return nil
		}
	}
	for end := off + gap; off < end; {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		n := min(end-off, maxRun)
		if err := f.table(off, n); err != nil {
			return err
		}
		off += n
	}
	f.pos = off
	return nil
}

// table codes up to maxRun bytes that no entry explains.
func (f *fileMaker) table(off, n int64) error {
	ranges, base := f.tableRanges(off, n)
	p, err := f.file.Read(off, n)
	if err != nil {
		return err
	}
	again, parts := f.tableDigests(p, off)
	if err := f.raw(p, off, base, func() error { return f.m.use(ranges) }); err != nil {
		return err
	}
	return f.putDigests(again, parts)
}

// tableRanges are the old file's tables: all that no entry explains and that is
// first, last, or large; of very much of it, what is near the same place.
func (f *fileMaker) tableRanges(off, n int64) (ranges []program.Range, base int64) {
	if f.m.solid != nil {
		return f.m.solid.ranges, f.m.solid.table(f.twin, f.m.old.Files, off, f.file.Size)
	}
	if f.twin < 0 {
		return nil, 0
	}
	l := &f.m.old.Files[f.twin]
	total := int64(0)
	for k := range len(l.Extents) + 1 {
		at, gap := l.GapBefore(k)
		if gap > 0 && (k == 0 || k == len(l.Extents) || gap > smallGap) {
			ranges = append(ranges, l.RangesOf(f.twin, at, gap)...)
			total += gap
		}
	}
	if total <= maxSource && len(ranges) <= program.MaxRanges {
		return ranges, max(0, total-(f.file.Size-off))
	}
	from := max(0, min(off, l.Size)-wideMargin)
	to := min(l.Size, off+n+wideMargin)
	return l.RangesOf(f.twin, from, to-from), off - from
}
