package maker

import (
	"context"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/table"
	"pakdb/internal/stored"
)

const maxRun = 8 << 20 // content that is coded against one source

// fileMaker makes one new file: it decides which extent is explained how.
type fileMaker struct {
	m       *maker
	out     output
	own     ownContent
	src     sources
	recipes recognizer
	tables  *tablePair // nil: none that are predicted
	drift   int64      // by which content stands elsewhere in the source than was thought
	entry   int32      // that was changed last
	spare   []byte     // for the content of a run
}

func newFileMaker(ctx context.Context, m *maker, i int) *fileMaker {
	file, twin := &m.new.Files[i], m.pairs.files[i]
	return &fileMaker{
		m: m,
		out: output{
			ctx: ctx, file: file, e: m.e, load: &m.load, stats: m.stats, twin: twin,
			digests: digests{file: file, e: m.e, stats: m.stats},
		},
		own: ownContent{file: file, self: len(m.old.Files)},
		src: sources{
			old: m.old, new: m.new, file: file, twin: twin,
			pairs: &m.pairs, moved: m.moved, solid: m.solid, load: &m.load, wanted: -1,
		},
		recipes: recognizer{file: file, coder: &m.new.Coder, trust: m.trust},
	}
}

// run makes the segments of the file.
func (f *fileMaker) run() (err error) {
	if f.out.e.Plan, f.tables, err = readTables(f.m.old, f.m.new, f.out.twin, f.out.e.File); err != nil {
		return err
	}
	if err := f.firstTables(); err != nil {
		return err
	}
	if f.tables != nil && f.tables.old.Kind == table.IoStore {
		if done, err := f.derive(0, f.out.file.Size); done || err != nil {
			return err
		}
	}
	for k := 0; k < len(f.out.file.Extents); {
		if err := f.out.ctx.Err(); err != nil {
			return err
		}
		if err := f.out.endFull(); err != nil {
			return err
		}
		before := f.out.pos
		n, err := f.extent(k)
		if err != nil {
			return err
		}
		stored.ProgressOf(f.out.ctx).Add(f.out.pos - before)
		k += n
		f.out.digests.settle(f.out.pos)
	}
	return f.lastTables()
}

// extent explains extent k with what stands before it, and returns how many
// extents it explained.
func (f *fileMaker) extent(k int) (int, error) {
	if n, err := f.movedEntry(k); n > 0 || err != nil {
		return n, err
	}
	off, gap := f.out.gapBefore(k)
	at, ok := f.sameName(k)
	if !ok {
		at, ok = f.m.pairs.find(f.m.old, &f.out.file.Extents[k], f.out.near(gap))
	}
	if ok {
		return 1, f.copyExtent(k, at, off, gap)
	}
	if n, err := f.move(k); n > 0 || err != nil {
		return n, err
	}
	if f.out.file.Extents[k].Method == compress.None {
		return 1, f.plain(k)
	}
	n := 1
	for size := f.out.file.Extents[k].Size; k+n < len(f.out.file.Extents) && size < maxRun; n++ {
		x := &f.out.file.Extents[k+n]
		if x.Entry != f.out.file.Extents[k].Entry || x.Method == compress.None {
			break
		}
		if _, ok := f.m.pairs.find(f.m.old, x, position{-1, 0}); ok {
			break
		}
		size += x.Size
	}
	return n, f.compressed(k, n)
}

// sameName returns the old extent of the same entry if it has the same stored
// bytes. It comes before all others that have them: what the archive's tables say
// of the entry is about this place.
func (f *fileMaker) sameName(k int) (place, bool) {
	x := &f.out.file.Extents[k]
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
	x, l := &f.out.file.Extents[k], &f.m.old.Files[at.file]
	from := l.Extents[at.extent].Off
	same, err := equalAt(f.out.ctx, f.out.file, off, l, from-gap, gap)
	if err != nil {
		return err
	}
	n := x.Stored
	switch {
	case f.out.padded(from, gap) && f.out.isPadding(off, gap):
		f.out.e.Padded(gap)
		f.out.stats.Derived += gap
	case same:
		from, n = from-gap, n+gap
	default:
		if err := f.table(k); err != nil {
			return err
		}
	}
	f.out.copyOld(int(at.file), from, n, x.End())
	return f.out.copyFill(k, int(at.file), l, int(at.extent))
}

// table explains what stands before extent k, by what the old file has where no
// entry is.
func (f *fileMaker) table(k int) error {
	off, gap := f.out.gapBefore(k)
	if gap == 0 {
		return nil
	}
	if f.out.twin >= 0 {
		near := f.out.near(0)
		if same, err := f.out.copySame(off, gap, near, &f.m.old.Files[near.file]); same || err != nil {
			return err
		}
	}
	for end := off + gap; off < end; {
		if err := f.out.ctx.Err(); err != nil {
			return err
		}
		n := min(end-off, maxRun)
		if err := f.tablePart(off, n); err != nil {
			return err
		}
		off += n
	}
	f.out.pos = off
	return nil
}

// tablePart codes up to maxRun bytes that no entry explains.
func (f *fileMaker) tablePart(off, n int64) error {
	ranges, base := f.src.tables(off, n)
	p, err := f.out.file.Read(off, n)
	if err != nil {
		return err
	}
	again, parts := f.out.digests.inTable(p, off)
	if err := f.out.rawBy(ranges, p, off, base); err != nil {
		return err
	}
	f.out.digests.put(again, parts)
	return nil
}

// changed counts entries.
func (f *fileMaker) changed(x *inside.Extent) {
	if f.entry != x.Entry+1 {
		f.entry = x.Entry + 1
		f.out.stats.Changed++
	}
}
