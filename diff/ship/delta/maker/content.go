package maker

import (
	"slices"

	"pakdb/diff/ship/delta/inside"
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

// minTrusted is how long a run must be for what follows it to be looked for behind
// it, instead of where the entry is.
const minTrusted = 2 << 10

// runs returns the runs of p, which stands at off, that are worth a copy.
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
// has, with what stands before each.
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
