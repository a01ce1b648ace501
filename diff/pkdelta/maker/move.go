package maker

import (
	"bytes"
	"slices"

	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
)

// seal opens the unit that off lies in, or none, and returns for how many bytes
// that holds.
func (f *fileMaker) seal(off int64) (n int) {
	s, end := f.file.Unit(off)
	f.m.e.Seal(s)
	return int(end - off)
}

// endUnit completes what is encrypted of an extent that was written.
func (f *fileMaker) endUnit(x *inside.Extent) {
	if x.Key > 0 {
		f.m.e.Seal(program.Sealing{})
		f.m.stats.Sealed += x.Stored
	}
	f.pos = x.End()
}

// move explains extent k, with what stands before it, by an old one that differs
// in nothing but encryption, and returns how many extents it explained; 0 when
// there is none.
func (f *fileMaker) move(k int) (n int, err error) {
	x := &f.file.Extents[k]
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
	last := &f.file.Extents[k+n-1]
	f.seal(x.Off)
	f.m.e.Move(r, last.End()-x.Off)
	f.m.stats.Copied += last.End() - x.Off
	f.endUnit(last)
	return n, nil
}

// goesOn reports that extent k stands behind the one before it as extent j of an
// old file does, padding and all.
func (f *fileMaker) goesOn(k int, l *inside.Layout, j int) bool {
	if k >= len(f.file.Extents) || j >= len(l.Extents) {
		return false
	}
	x, y, p, q := &f.file.Extents[k], &l.Extents[j], &f.file.Extents[k-1], &l.Extents[j-1]
	if x.Key == 0 || y.Key == 0 || x.Key != p.Key || y.Key != q.Key || x.Plain != y.Plain || x.Coded != y.Coded ||
		x.Entry != p.Entry || x.Off != p.End() || y.Off != q.End() || !f.sameUnit(p, x) {
		return false
	}
	a, err1 := f.file.Read(p.Off+p.Coded, x.Off-p.Off-p.Coded)
	b, err2 := l.Read(q.Off+q.Coded, y.Off-q.Off-q.Coded)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// sameUnit reports that two extents are padded by the same beginning.
func (f *fileMaker) sameUnit(a, b *inside.Extent) bool {
	if a.Key == 0 && b.Key == 0 {
		return true
	}
	s, _ := f.file.Unit(a.Off)
	t, _ := f.file.Unit(b.Off)
	return s == t
}

// moveHead codes what stands before extent k by what stands before the old entry.
func (f *fileMaker) moveHead(k int, gap int64) error {
	x := &f.file.Extents[k]
	var ranges []program.Range
	if old := f.m.pairs.entries[x.Entry]; old >= 0 {
		e := &f.m.old.Entries[old]
		if off, n := f.m.old.Files[e.File].GapBefore(e.First); n > 0 && n <= smallGap {
			ranges = append(ranges, program.Range{File: e.File, Off: off, Stored: n, Size: n})
		}
	}
	if !slices.Equal(ranges, f.m.e.Ranges) || !f.m.e.Open {
		if err := f.m.use(ranges); err != nil {
			return err
		}
	}
	return f.gap(x.Off-gap, gap, 0, k)
}
