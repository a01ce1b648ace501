package patch

import (
	"bytes"
	"slices"
)

// seal opens the unit that off lies in, or none, and returns for how many bytes
// that holds.
func (f *fileMaker) seal(off int64) (n int) {
	s, end := f.unit(off)
	f.e.seal(s)
	return int(end - off)
}

// endUnit completes what is encrypted of an extent that was written.
func (f *fileMaker) endUnit(x *extent) {
	if x.key > 0 {
		f.e.seal(sealing{})
		f.stats.Sealed += x.stored
	}
	f.pos = x.end()
}

// move explains extent k, with what stands before it, by an old one that differs
// in nothing but encryption, and returns how many extents it explained; 0 when
// there is none.
func (f *fileMaker) move(k int) (n int, err error) {
	x := &f.extents[k]
	at, ok := f.pairs.plain[x.plain]
	if !ok {
		return 0, nil
	}
	l := &f.old.files[at.file]
	y := &l.extents[at.extent]
	if x.key == 0 && y.key == 0 || x.coded != y.coded {
		return 0, nil
	}
	r := Range{File: int(at.file), Off: y.off, Stored: y.coded, Size: y.coded, Key: y.key}
	for n = 1; f.goesOn(k+n, l, int(at.extent)+n); n++ {
		next := &l.extents[int(at.extent)+n]
		r.Stored = next.off + next.coded - r.Off
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
	last := &f.extents[k+n-1]
	f.seal(x.off)
	f.e.move(r, last.end()-x.off)
	f.stats.Copied += last.end() - x.off
	f.endUnit(last)
	return n, nil
}

// goesOn reports that extent k stands behind the one before it as extent j of an
// old file does, padding and all.
func (f *fileMaker) goesOn(k int, l *layout, j int) bool {
	if k >= len(f.extents) || j >= len(l.extents) {
		return false
	}
	x, y, p, q := &f.extents[k], &l.extents[j], &f.extents[k-1], &l.extents[j-1]
	if x.key == 0 || y.key == 0 || x.key != p.key || y.key != q.key || x.plain != y.plain || x.coded != y.coded ||
		x.entry != p.entry || x.off != p.end() || y.off != q.end() || !f.sameUnit(p, x) {
		return false
	}
	a, err1 := f.read(p.off+p.coded, x.off-p.off-p.coded)
	b, err2 := l.read(q.off+q.coded, y.off-q.off-q.coded)
	return err1 == nil && err2 == nil && bytes.Equal(a, b)
}

// sameUnit reports that two extents are padded by the same beginning.
func (f *fileMaker) sameUnit(a, b *extent) bool {
	if a.key == 0 && b.key == 0 {
		return true
	}
	s, _ := f.unit(a.off)
	t, _ := f.unit(b.off)
	return s == t
}

// moveHead codes what stands before extent k by what stands before the old entry.
func (f *fileMaker) moveHead(k int, gap int64) error {
	x := &f.extents[k]
	var ranges []Range
	if old := f.pairs.entries[x.entry]; old >= 0 {
		e := &f.old.entries[old]
		if off, n := f.old.files[e.file].gapBefore(e.first); n > 0 && n <= smallGap {
			ranges = append(ranges, Range{File: e.file, Off: off, Stored: n, Size: n})
		}
	}
	if !slices.Equal(ranges, f.e.ranges) || !f.e.open {
		if err := f.use(ranges); err != nil {
			return err
		}
	}
	return f.gap(x.off-gap, gap, 0, k)
}
