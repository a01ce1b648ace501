package patch

import "bytes"

// movedEntry explains the entry that begins with extent k as a piece whose head
// says where it is, and returns how many extents that was; 0 when it is none.
func (f *fileMaker) movedEntry(k int) (int, error) {
	plan := f.e.plan
	e := &f.new.entries[f.extents[k].entry]
	old := f.pairs.entries[f.extents[k].entry]
	if plan == nil || e.first != k || old < 0 || f.e.seen[old] {
		return 0, nil
	}
	was := &f.old.entries[old]
	if was.file != plan.file || was.count != e.count || was.count == 0 {
		return 0, nil
	}
	l := &f.old.files[was.file]
	by := f.extents[k].off - l.extents[was.first].off
	for j := range e.count {
		x, y := &f.extents[k+j], &l.extents[was.first+j]
		if x.sum != y.sum || x.stored != y.stored || x.off-y.off != by {
			return 0, nil
		}
	}
	off, gap := f.gapBefore(k)
	i, begins := plan.starts[off-by]
	if !begins || by == 0 || plan.pieces[i].head == 0 || int64(plan.pieces[i].head) != gap ||
		plan.pieces[i].off+plan.pieces[i].n != l.extents[was.first+was.count-1].end() {
		return 0, nil
	}
	if same, err := f.hasMoved(plan, plan.pieces[i], off, by); !same || err != nil {
		return 0, err
	}
	if f.e.seen == nil {
		f.e.seen = map[int32]bool{}
	}
	f.e.seen[old] = true
	f.e.movePiece(plan.pieces[i])
	f.stats.Copied += plan.pieces[i].n
	f.pos = f.extents[k+e.count-1].end()
	return e.count, nil
}

// hasMoved reports that the head of a piece stands at off, but for what it says
// about its place.
func (f *fileMaker) hasMoved(plan *known, p stretch, off, by int64) (bool, error) {
	new, err := f.read(off, int64(p.head))
	if err != nil {
		return false, err
	}
	old, err := f.old.files[plan.file].read(p.off, int64(p.head))
	if err != nil {
		return false, err
	}
	plan.Move(old, by)
	return bytes.Equal(old, new), nil
}
