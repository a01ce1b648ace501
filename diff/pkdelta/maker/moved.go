package maker

import (
	"bytes"

	"pakdb/diff/pkdelta/program"
)

// movedEntry explains the entry that begins with extent k as a piece whose head
// says where it is, and returns how many extents that was; 0 when it is none.
func (f *fileMaker) movedEntry(k int) (int, error) {
	plan := f.e.Plan
	e := &f.new.Entries[f.Extents[k].Entry]
	old := f.pairs.entries[f.Extents[k].Entry]
	if plan == nil || e.First != k || old < 0 || f.e.Seen[old] {
		return 0, nil
	}
	was := &f.old.Entries[old]
	if was.File != plan.File || was.Count != e.Count || was.Count == 0 {
		return 0, nil
	}
	l := &f.old.Files[was.File]
	by := f.Extents[k].Off - l.Extents[was.First].Off
	for j := range e.Count {
		x, y := &f.Extents[k+j], &l.Extents[was.First+j]
		if x.Sum != y.Sum || x.Stored != y.Stored || x.Off-y.Off != by {
			return 0, nil
		}
	}
	off, gap := f.gapBefore(k)
	i, begins := plan.Starts[off-by]
	if !begins || by == 0 || plan.Pieces[i].Head == 0 || int64(plan.Pieces[i].Head) != gap ||
		plan.Pieces[i].Off+plan.Pieces[i].N != l.Extents[was.First+was.Count-1].End() {
		return 0, nil
	}
	if same, err := f.hasMoved(plan, plan.Pieces[i], off, by); !same || err != nil {
		return 0, err
	}
	if f.e.Seen == nil {
		f.e.Seen = map[int32]bool{}
	}
	f.e.Seen[old] = true
	f.e.MovePiece(plan.Pieces[i])
	f.stats.Copied += plan.Pieces[i].N
	f.pos = f.Extents[k+e.Count-1].End()
	return e.Count, nil
}

// hasMoved reports that the head of a piece stands at off, but for what it says
// about its place.
func (f *fileMaker) hasMoved(plan *program.Known, p program.Stretch, off, by int64) (bool, error) {
	new, err := f.Read(off, int64(p.Head))
	if err != nil {
		return false, err
	}
	old, err := f.old.Files[plan.File].Read(p.Off, int64(p.Head))
	if err != nil {
		return false, err
	}
	plan.Move(old, by)
	return bytes.Equal(old, new), nil
}
