package maker

import (
	"bytes"
	"slices"

	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
)

// move explains extent k, with what stands before it, by an old one that differs
// in nothing but encryption, and returns how many extents it explained; 0 when
// there is none.
func (f *fileMaker) move(k int) (n int, err error) {
	x := &f.out.file.Extents[k]
	at, ok := f.m.pairs.plain[x.Plain]
	if !ok {
		return 0, nil
	}
	l := &f.m.old.Files[at.file]
	y := &l.Extents[at.extent]
	if x.Key == 0 && y.Key == 0 || x.Coded != y.Coded {
		return 0, nil
	}
	r := program.Range{File: int(at.file), Off: y.Off, Stored: y.Coded, Size: y.Coded, Key: y.Key}
	for n = 1; f.goesOn(k+n, l, int(at.extent)+n); n++ {
		next := &l.Extents[int(at.extent)+n]
		r.Stored = next.Off + next.Coded - r.Off
		r.Size = r.Stored
	}
	f.changed(x)
	gap, err := f.head(k)
	if err != nil {
		return 0, err
	}
	if gap > 0 {
		if err := f.moveHead(k, gap); err != nil {
			return 0, err
		}
	}
	last := &f.out.file.Extents[k+n-1]
	f.out.seal(x.Off)
	f.out.e.Move(r, last.End()-x.Off)
	f.out.stats.Copied += last.End() - x.Off
	f.out.endUnit(last)
	return n, nil
}

// goesOn reports that extent k stands behind the one before it as extent j of an
// old file does, padding and all.
func (f *fileMaker) goesOn(k int, l *inside.Layout, j int) bool {
	if k >= len(f.out.file.Extents) || j >= len(l.Extents) {
		return false
	}
	x, y, p, q := &f.out.file.Extents[k], &l.Extents[j], &f.out.file.Extents[k-1], &l.Extents[j-1]
	if x.Key == 0 || y.Key == 0 || x.Key != p.Key || y.Key != q.Key || x.Plain != y.Plain || x.Coded != y.Coded ||
		x.Entry != p.Entry || x.Off != p.End() || y.Off != q.End() || !f.out.sameUnit(p, x) {
		return false
	}
	a, err1 := f.out.file.Read(p.Off+p.Coded, x.Off-p.Off-p.Coded)
	b, err2 := l.Read(q.Off+q.Coded, y.Off-q.Off-q.Coded)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// moveHead codes what stands before extent k by what stands before the old entry.
func (f *fileMaker) moveHead(k int, gap int64) error {
	x := &f.out.file.Extents[k]
	ranges := f.src.head(x.Entry)
	if !slices.Equal(ranges, f.out.e.Ranges) || !f.out.e.Open {
		if err := f.out.load.use(ranges); err != nil {
			return err
		}
	}
	return f.out.gap(x.Off-gap, gap, 0, &f.m.new.Entries[x.Entry], k)
}

// movedEntry explains the entry that begins with extent k as a piece whose head
// says where it is, and returns how many extents that was; 0 when it is none.
func (f *fileMaker) movedEntry(k int) (int, error) {
	plan := f.out.e.Plan
	e := &f.m.new.Entries[f.out.file.Extents[k].Entry]
	old := f.m.pairs.entries[f.out.file.Extents[k].Entry]
	if plan == nil || e.First != k || old < 0 || f.out.e.Seen[old] {
		return 0, nil
	}
	oldEntry := &f.m.old.Entries[old]
	if oldEntry.File != plan.File || oldEntry.Count != e.Count || oldEntry.Count == 0 {
		return 0, nil
	}
	l := &f.m.old.Files[oldEntry.File]
	by := f.out.file.Extents[k].Off - l.Extents[oldEntry.First].Off
	for j := range e.Count {
		x, y := &f.out.file.Extents[k+j], &l.Extents[oldEntry.First+j]
		if x.Sum != y.Sum || x.Stored != y.Stored || x.Off-y.Off != by {
			return 0, nil
		}
	}
	off, gap := f.out.gapBefore(k)
	i, begins := plan.Starts[off-by]
	if !begins || by == 0 || plan.Pieces[i].Head == 0 || int64(plan.Pieces[i].Head) != gap ||
		plan.Pieces[i].Off+plan.Pieces[i].N != l.Extents[oldEntry.First+oldEntry.Count-1].End() {
		return 0, nil
	}
	if same, err := f.hasMoved(plan, plan.Pieces[i], off, by); !same || err != nil {
		return 0, err
	}
	if f.out.e.Seen == nil {
		f.out.e.Seen = map[int32]bool{}
	}
	f.out.e.Seen[old] = true
	f.out.e.MovePiece(plan.Pieces[i])
	f.out.stats.Copied += plan.Pieces[i].N
	f.out.pos = f.out.file.Extents[k+e.Count-1].End()
	return e.Count, nil
}

// hasMoved reports that the head of a piece stands at off, but for what it says
// about its place.
func (f *fileMaker) hasMoved(plan *program.Known, p program.Stretch, off, by int64) (bool, error) {
	new, err := f.out.file.Read(off, int64(p.Head))
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
