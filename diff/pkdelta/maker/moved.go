package maker

import (
	"bytes"

	"pakdb/diff/pkdelta/program"
)

// movedEntry explains the entry that begins with extent k as a piece whose head
// says where it is, and returns how many extents that was; 0 when it is none.
func (f *fileMaker) movedEntry(k int) (int, error) {
	plan := f.m.e.Plan
	e := &f.m.new.Entries[f.file.Extents[k].Entry]
	old := f.m.pairs.entries[f.file.Extents[k].Entry]
	if plan == nil || e.First != k || old < 0 || f.m.e.Seen[old] {
		return 0, nil
	}
	oldEntry := &f.m.old.Entries[old]
	if oldEntry.File != plan.File || oldEntry.Count != e.Count || oldEntry.Count == 0 {
		return 0, nil
	}
	l := &f.m.old.Files[oldEntry.File]
	by := f.file.Extents[k].Off - l.Extents[oldEntry.First].Off
	for j := range e.Count {
		x, y := &f.file.Extents[k+j], &l.Extents[oldEntry.First+j]
		if x.Sum != y.Sum || x.Stored != y.Stored || x.Off-y.Off != by {
			return 0, nil
		}
	}
	off, gap := f.gapBefore(k)
	i, begins := plan.Starts[off-by]
	if !begins || by == 0 || plan.Pieces[i].Head == 0 || int64(plan.Pieces[i].Head) != gap ||
		plan.Pieces[i].Off+plan.Pieces[i].N != l.Extents[oldEntry.First+oldEntry.Count-1].End() {
		return 0, nil
	}
	if same, err := f.hasMoved(plan, plan.Pieces[i], off, by); !same || err != nil {
		return 0, err
	}
	if f.m.e.Seen == nil {
		f.m.e.Seen = map[int32]bool{}
	}
	f.m.e.Seen[old] = true
	f.m.e.MovePiece(plan.Pieces[i])
	f.m.stats.Copied += plan.Pieces[i].N
	f.pos = f.file.Extents[k+e.Count-1].End()
	return e.Count, nil
}

// hasMoved reports that the head of a piece stands at off, but for what it says
// about its place.
func (f *fileMaker) hasMoved(plan *program.Known, p program.Stretch, off, by int64) (bool, error) {
	new, err := f.file.Read(off, int64(p.Head))
	if err != nil {
		return false, err
	}
	old, err := f.m.old.Files[plan.File].Read(p.Off, int64(p.Head))
	if err != nil {
		return false, err
	}
	plan.Move(old, by)
	return bytes.Equal(old, new), nil
}
