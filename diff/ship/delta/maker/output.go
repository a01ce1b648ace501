package maker

import (
	"context"
	"errors"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/diff/ship/internal/table"
	"pakdb/internal/stored"
)

// Stats are sums of how the bytes of the new files are coded.
type Stats struct {
	Copied  int64                  // stored bytes taken from old files
	Made    map[delta.Recipe]int64 // stored bytes made from content
	Raw     int64                  // bytes coded as they are
	Derived int64                  // bytes of digests
	Sealed  int64                  // of copied, made and coded bytes, those that are encrypted anew
	Entries int                    // of the new archives
	Changed int                    // of these, not copied as a whole
}

// errLonger means that a patch was given up, as it is longer than another one.
var errLonger = errors.New("longer than another patch")

// output is a new file as far as it is explained. Operations go to the emitter.
type output struct {
	ctx     context.Context
	file    *inside.Layout
	e       *program.Emitter
	load    *loader
	stats   *Stats
	twin    int   // the old file, or -1
	pos     int64 // bytes that are explained
	digests digests
}

// gapBefore is layout's, less what is explained.
func (o *output) gapBefore(k int) (off, n int64) {
	off, n = o.file.GapBefore(k)
	if done := o.pos - off; done > 0 && done <= n {
		return o.pos, n - done
	}
	return off, n
}

// near is where copying would go on.
func (o *output) near(gap int64) position {
	c := &o.e.Run
	if c.N == 0 || c.File == o.self() {
		return position{int32(o.twin), o.pos + gap}
	}
	return position{int32(c.File), c.Off + c.N + gap}
}

// self is the number by which the file itself is copied from.
func (o *output) self() int { return len(o.e.H.Old) }

// copyOld copies stored bytes that end at a place of the file.
func (o *output) copyOld(file int, off, n, end int64) {
	o.e.CopyOld(file, off, n)
	o.stats.Copied += n
	o.pos = end
}

// copySame copies n bytes at off from a place of an old file, if they are the same.
func (o *output) copySame(off, n int64, from position, l *inside.Layout) (bool, error) {
	same, err := equalAt(o.ctx, o.file, off, l, from.off, n)
	if same {
		o.copyOld(int(from.file), from.off, n, off+n)
	}
	return same, err
}

// gap codes n bytes at off, which are before extent k of entry e.
func (o *output) gap(off, n, guess int64, e *inside.Entry, k int) error {
	p, err := o.file.Read(off, n)
	if err != nil {
		return err
	}
	old := o.load.now.content
	if err := o.digests.head(p, off, e, k, old[min(max(guess, 0), int64(len(old))):]); err != nil {
		return err
	}
	o.stats.Raw += n
	o.seal(off)
	o.e.Raw(p, guess)
	o.pos = off + n
	return nil
}

// raw codes p, which is at off, as it is, by the source that use sets.
// Segments end where they are full.
func (o *output) raw(p []byte, off, guess int64, use func() error) error {
	o.stats.Raw += int64(len(p))
	for at := 0; at < len(p); {
		if err := o.endFull(); err != nil {
			return err
		}
		if err := use(); err != nil {
			return err
		}
		n := min(coder.MaxContent, len(p)-at, o.seal(off+int64(at)))
		o.e.Raw(p[at:at+n], guess)
		if o.e.Enc.IsOver() {
			return errLonger
		}
		guess = o.e.Cursor()
		at += n
	}
	o.pos = off + int64(len(p))
	return nil
}

// rawBy is raw by ranges of old files.
func (o *output) rawBy(ranges []program.Range, p []byte, off, guess int64) error {
	return o.raw(p, off, guess, func() error { return o.load.use(ranges) })
}

// endFull ends the segment if it is full.
func (o *output) endFull() error {
	if o.e.Full() {
		return o.e.End()
	}
	return nil
}

// seal opens the unit that off lies in, or none, and returns for how many bytes
// that holds.
func (o *output) seal(off int64) (n int) {
	s, end := o.file.Unit(off)
	o.e.Seal(s)
	return int(end - off)
}

// endUnit completes what is encrypted of an extent that was written.
func (o *output) endUnit(x *inside.Extent) {
	if x.Key > 0 {
		o.e.Seal(program.Sealing{})
		o.stats.Sealed += x.Stored
	}
	o.pos = x.End()
}

// withRuns explains p, which is at off: runs by copies, and by rest what is
// between them, which gets the run before.
func (o *output) withRuns(p []byte, off int64, runs []storedRun, rest func(p []byte, off int64, after *storedRun) error) error {
	at, after := 0, (*storedRun)(nil)
	for i := range runs {
		r := &runs[i]
		if r.at > at {
			if err := rest(p[at:r.at], off+int64(at), after); err != nil {
				return err
			}
		}
		if err := o.endFull(); err != nil {
			return err
		}
		at, after = r.at+r.n, r
		if i > 0 && r.off == runs[i-1].off && follows(r, &runs[i-1]) { // all repetitions are one copy
			o.copyOld(o.self(), off+int64(r.at-r.n), int64(r.n), off+int64(at))
		} else {
			o.copyOld(r.file, r.off, int64(r.n), off+int64(at))
		}
	}
	if at == len(p) {
		return nil
	}
	return rest(p[at:], off+int64(at), after)
}

// sameUnit reports that two extents are padded by the same beginning.
func (o *output) sameUnit(a, b *inside.Extent) bool {
	if a.Key == 0 && b.Key == 0 {
		return true
	}
	s, _ := o.file.Unit(a.Off)
	t, _ := o.file.Unit(b.Off)
	return s == t
}

const maxRun = 8 << 20 // content that is coded against one source

// fileMaker makes one new file: it decides which extent is explained how.
type fileMaker struct {
	m       *maker
	out     output
	own     ownContent
	src     sources
	recipes recognizer
	tables  *tablePair // nil: none that are predicted
	drift   int64      // by which content is elsewhere in the source than was thought
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

// extent explains extent k with what is before it, and returns how many
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

// copyExtent copies an extent, with what is before it if that is before
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

// table explains what is before extent k, by what the old file has where no
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
