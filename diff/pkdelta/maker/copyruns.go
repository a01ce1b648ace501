package maker

import (
	"pakdb/codecs/compress"
	"pakdb/diff/pkdelta/program"
)

// storedRuns returns the runs of p, which stands at off, that are worth a copy.
func (f *fileMaker) storedRuns(p []byte, off int64, source reach) ([]storedRun, error) {
	if unit, _ := f.file.Unit(off); len(p) < minRun || unit.Key > 0 {
		return nil, nil // copies are of what is stored
	}
	if f.m.stored == nil {
		var err error
		if f.m.stored, err = newRunIndex(f.ctx, f.m.old.Files); err != nil {
			return nil, err
		}
	}
	runs, err := f.m.stored.runs(p, source)
	if err != nil {
		return nil, err
	}
	return f.ownRuns(p, off, runs)
}

// withRuns explains p, which stands at off: runs by copies, and by rest what is
// between them, which is told the run before.
func (f *fileMaker) withRuns(p []byte, off int64, runs []storedRun, rest func(p []byte, off int64, after *storedRun) error) error {
	at, after := 0, (*storedRun)(nil)
	for i := range runs {
		r := &runs[i]
		if r.at > at {
			if err := rest(p[at:r.at], off+int64(at), after); err != nil {
				return err
			}
		}
		if err := f.endFull(); err != nil {
			return err
		}
		if i > 0 && r.off == runs[i-1].off && follows(r, &runs[i-1]) { // all repetitions are one copy
			f.m.e.CopyOld(len(f.m.old.Files), off+int64(r.at-r.n), int64(r.n))
		} else {
			f.m.e.CopyOld(r.file, r.off, int64(r.n))
		}
		f.m.stats.Copied += int64(r.n)
		at, after = r.at+r.n, r
		f.pos = off + int64(at)
	}
	if at == len(p) {
		return nil
	}
	return rest(p[at:], off+int64(at), after)
}

// around explains p by what stands in the old file behind a run.
func (f *fileMaker) around(p []byte, off int64, after *storedRun) error {
	n, at := int64(len(p)), after.end()
	ranges, base := f.m.e.Ranges, f.m.e.Cursor()
	if after.file < len(f.m.old.Files) && (n > tinyRest || !f.m.e.Open) {
		wide := min(max(16*n, 64<<10), wideMargin)
		from, to := max(0, at-wide), min(f.m.old.Files[after.file].Size, at+n+wide)
		ranges, base = []program.Range{{File: after.file, Off: from, Stored: to - from, Size: to - from}}, at-from
		if f.m.solid != nil {
			ranges, base = f.m.solid.ranges, f.m.solid.stored(after.file, at)
		}
	}
	return f.raw(p, off, base, func() error { return f.m.use(ranges) })
}

// tinyRest is what no source is named for.
const tinyRest = 32

// reachOf tells what the source of n bytes at a place of an old entry has.
func (f *fileMaker) reachOf(old int32, place, n int64) reach {
	if f.m.solid != nil {
		return reach{file: anyFile}
	}
	if old < 0 {
		return reach{file: -1}
	}
	e := &f.m.old.Entries[old]
	x := &f.m.old.Files[e.File].Extents[e.First]
	if x.Method != compress.None {
		return reach{file: anyFile} // its content, decoded
	}
	at := x.Off + place
	return reach{e.File, at, max(x.Off, at-wideMargin), min(x.End(), at+n+wideMargin)}
}
