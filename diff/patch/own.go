package patch

import (
	"sort"

	"pakdb/codecs/compress"
)

// New content that stands in the new file a second time is copied from the
// output, however far back that is.

// ownContent finds what a new file has had so far.
type ownContent struct {
	extents map[[16]byte]extent // the first of each
	runs    *runIndex           // nil while the contents before have it all
	indexed int64               // of the file
}

// ownBehind is how far behind the end of the output runs are looked for: less
// than the coder itself reaches back.
const ownBehind = 2 << 20

func (o *ownContent) find(x *extent) (extent, bool) {
	at, ok := o.extents[x.sum]
	return at, ok && at.stored == x.stored
}

func (o *ownContent) add(x *extent) {
	if o.extents == nil {
		o.extents = map[[16]byte]extent{}
	}
	if _, there := o.extents[x.sum]; !there {
		o.extents[x.sum] = *x
	}
}

// copyOwn copies an extent that the new file has already, behind what stands
// before it.
func (f *fileMaker) copyOwn(k int, at extent) error {
	if err := f.tables(k); err != nil {
		return err
	}
	x := &f.extents[k]
	f.e.copyOld(len(f.old.files), at.off, x.stored)
	f.stats.Copied += x.stored
	f.pos = x.end()
	return nil
}

// ownRuns adds to the runs that old files have those that the new one has.
func (f *fileMaker) ownRuns(p []byte, off int64, runs []storedRun) (all []storedRun, err error) {
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
			if all, err = f.appendOwn(all, p[:min(at+ownStep, end)], at, off); err != nil {
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

// appendOwn looks for p[at:], of what stands at off, in what is before it.
func (f *fileMaker) appendOwn(list []storedRun, p []byte, at int, off int64) ([]storedRun, error) {
	if len(p)-at < minOwn {
		return list, nil
	}
	if err := f.indexOwn(off + int64(at) - ownBehind); err != nil {
		return nil, err
	}
	if f.mine.runs == nil {
		return list, nil
	}
	own, err := f.mine.runs.runs(p[at:], reach{file: -1})
	for _, r := range own {
		r.at, r.file = r.at+at, len(f.old.files)
		list = append(list, r)
	}
	return list, err
}

// indexOwn makes what the new file has before end findable.
func (f *fileMaker) indexOwn(end int64) error {
	o := &f.mine
	if end < o.indexed+ownStep/4 {
		return nil
	}
	if o.runs == nil {
		o.runs = newOwnIndex(f.layout)
	}
	first := sort.Search(len(f.extents), func(i int) bool { return f.extents[i].end() > o.indexed })
	for i := first; i < len(f.extents) && f.extents[i].off < end; i++ {
		x := &f.extents[i]
		if from, to := max(x.off, o.indexed), min(x.end(), end); from < to && x.method == compress.None && x.key == 0 {
			if err := o.runs.add(f.ctx, 0, from, to-from); err != nil {
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
