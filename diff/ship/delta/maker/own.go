package maker

import (
	"context"
	"sort"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta/inside"
)

// New content that stands in the new file a second time is copied from the
// output, however far back that is.

// ownContent finds what a new file has had so far.
type ownContent struct {
	file    *inside.Layout
	self    int       // its number
	runs    *runIndex // nil while the contents before have it all
	indexed int64     // of the file
}

// ownBehind is how far behind the end of the output runs are looked for: less
// than the coder itself reaches back.
const ownBehind = 2 << 20

// addRuns adds to the runs of p that old files have those that the new one has.
func (o *ownContent) addRuns(ctx context.Context, p []byte, off int64, runs []storedRun) (all []storedRun, err error) {
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
			if all, err = o.appendRuns(ctx, all, p[:min(at+ownStep, end)], at, off); err != nil {
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

// appendRuns looks for p[at:], of what stands at off, in what is before it.
func (o *ownContent) appendRuns(ctx context.Context, list []storedRun, p []byte, at int, off int64) ([]storedRun, error) {
	if len(p)-at < minOwn {
		return list, nil
	}
	if err := o.index(ctx, off+int64(at)-ownBehind); err != nil {
		return nil, err
	}
	if o.runs == nil {
		return list, nil
	}
	own, err := o.runs.runs(p[at:], reach{file: -1})
	for _, r := range own {
		r.at, r.file = r.at+at, o.self
		list = append(list, r)
	}
	return list, err
}

// index makes what the new file has before end findable.
func (o *ownContent) index(ctx context.Context, end int64) error {
	if end < o.indexed+ownStep/4 {
		return nil
	}
	if o.runs == nil {
		o.runs = newOwnIndex(o.file)
	}
	first := sort.Search(len(o.file.Extents), func(i int) bool { return o.file.Extents[i].End() > o.indexed })
	for i := first; i < len(o.file.Extents) && o.file.Extents[i].Off < end; i++ {
		x := &o.file.Extents[i]
		if from, to := max(x.Off, o.indexed), min(x.End(), end); from < to && x.Method == compress.None && x.Key == 0 {
			if err := o.runs.add(ctx, 0, from, to-from); err != nil {
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
