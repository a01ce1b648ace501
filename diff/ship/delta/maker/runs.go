package maker

import (
	"bytes"
	"cmp"
	"context"
	"math/bits"
	"slices"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
)

// Stored bytes that no recipe explains (files of no format, entries that are not
// compressed, blocks of Oodle, encrypted ones) may be anywhere in the old
// files, further away than a source reaches. Long runs of them are found by an
// index over all such bytes of the old files, and copied.

const (
	runWindow = 64        // bytes that the gear hash depends on
	maxPlaces = 1 << 20   // about; of the index: 16 MiB
	probes    = 8         // slots that are looked at
	minRun    = 128       // bytes of a run that are worth a copy
	minNear   = 256       // ... of one that the source has
	minSolid  = 4 << 10   // ... of one that a source of everything has
	minInStep = 256 << 10 // ... of one that is about where it is expected
	minEqual  = 1 << 20   // ... of one whose bytes are all the same
	inStep    = 64 << 10
	rows      = program.EndsRemembered
)

// oldRuns finds runs of stored bytes of the old files. Their index is made when it is
// needed first.
type oldRuns struct {
	files []inside.Layout
	index *runIndex
}

// find returns the runs of p that are worth a copy.
func (o *oldRuns) find(ctx context.Context, p []byte, source reach) ([]storedRun, error) {
	if o.index == nil {
		var err error
		if o.index, err = newRunIndex(ctx, o.files); err != nil {
			return nil, err
		}
	}
	return o.index.runs(p, source)
}

// runIndex finds runs of stored bytes in the old files.
type runIndex struct {
	files  []inside.Layout
	starts []int64  // of each file, in one row of all
	slots  []uint64 // 24 bits of a hash, and the place after its window in the row
	quiet  int      // high bits of the hash that are 0 where bytes are indexed
}

const placeBits = 40

func newRunIndex(ctx context.Context, files []inside.Layout) (*runIndex, error) {
	x := &runIndex{files: files, quiet: 4}
	total, row := int64(0), int64(0)
	for i := range files {
		x.starts = append(x.starts, row)
		row += files[i].Size
		for _, e := range files[i].Extents {
			if hasNoRecipe(e.Method) && e.Key == 0 {
				total += e.Stored
			}
		}
	}
	for total>>x.quiet > maxPlaces {
		x.quiet++
	}
	x.slots = make([]uint64, 1<<bits.Len64(uint64(total>>x.quiet)*2|1023))
	for i := range files {
		for _, e := range files[i].Extents {
			if hasNoRecipe(e.Method) && e.Key == 0 {
				if err := x.add(ctx, i, e.Off, e.Stored); err != nil {
					return nil, err
				}
			}
		}
	}
	return x, nil
}

// newOwnIndex is of a file that is being made, and empty.
func newOwnIndex(l *inside.Layout) *runIndex {
	x := &runIndex{files: []inside.Layout{*l}, starts: []int64{0}, quiet: 4}
	for l.Size>>x.quiet > maxPlaces {
		x.quiet++
	}
	x.slots = make([]uint64, 1<<bits.Len64(uint64(l.Size>>x.quiet)*2|1023))
	return x
}

// hasNoRecipe reports that blocks of a method are not made from their content.
func hasNoRecipe(m compress.Method) bool {
	return m != compress.Zlib && m != compress.LZ4 && m != compress.LZO1X
}

// add indexes n bytes of a file.
func (x *runIndex) add(ctx context.Context, file int, off, n int64) error {
	for h := uint64(0); n > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := x.files[file].ReadStored(off, min(n, 1<<20))
		if err != nil {
			return err
		}
		for i, c := range p {
			if h = rolling.Next(h, c); h>>(64-x.quiet) == 0 {
				x.put(h, x.starts[file]+off+int64(i)+1)
			}
		}
		off, n = off+int64(len(p)), n-int64(len(p))
	}
	return nil
}

// slot is where a hash is kept or may follow, and how it differs from others.
func (x *runIndex) slot(h uint64) (at int, tag uint64) {
	h *= 0x9e3779b97f4a7c15
	return int(h >> (64 - bits.Len(uint(len(x.slots)-1)))), h << placeBits >> placeBits << placeBits
}

// put keeps the first place of a hash.
func (x *runIndex) put(h uint64, place int64) {
	at, tag := x.slot(h)
	for range probes {
		s := &x.slots[at]
		if *s == 0 {
			*s = tag | uint64(place)
			return
		}
		if *s>>placeBits<<placeBits == tag {
			return
		}
		at = (at + 1) & (len(x.slots) - 1)
	}
}

// find returns a file and the place after a window of that hash in it.
func (x *runIndex) find(h uint64) (file int, off int64, ok bool) {
	at, tag := x.slot(h)
	for range probes {
		s := x.slots[at]
		if s == 0 {
			return 0, 0, false
		}
		if s>>placeBits<<placeBits == tag {
			place := int64(s & (1<<placeBits - 1))
			file, ok = slices.BinarySearchFunc(x.starts, place, func(start, place int64) int { return cmp.Compare(start, place) })
			if file--; ok && x.starts[file] == place {
				return 0, 0, false
			}
			return file, place - x.starts[file], true
		}
		at = (at + 1) & (len(x.slots) - 1)
	}
	return 0, 0, false
}

// storedRun says that p[at:at+n] is in an old file.
type storedRun struct {
	at, n int
	file  int
	off   int64
}

func (r *storedRun) end() int64 { return r.off + int64(r.n) }

// reach is what a source has of an old file, and where in it p is expected.
type reach struct {
	file          int // -1: nothing
	off, from, to int64
}

// anyFile is all there is.
const anyFile = -2

func (r *reach) has(file int, off int64) bool {
	return r.file == anyFile || file == r.file && off >= r.from && off <= r.to
}

// runs returns what of p is in the old files and is worth a copy.
func (x *runIndex) runs(p []byte, source reach) (list []storedRun, err error) {
	end, next := 0, 0                                     // of the last run that is taken, of the last one
	last := storedRun{file: source.file, off: source.off} // taken or not
	for i, h := 0, uint64(0); i < len(p); {
		if h = rolling.Next(h, p[i]); h>>(64-x.quiet) != 0 || i < next+runWindow {
			i++
			continue
		}
		i++
		r, err := x.longest(p, i, end, h, last)
		if r.n < minEqual && isEqual(p[r.at:r.at+r.n]) {
			next, r.n = max(i, r.at+r.n), 0 // it costs least as content
		}
		for taken := true; taken && err == nil && r.n >= minRun; {
			next, taken = max(i, r.at+r.n), r.n >= x.least(&r, &last, source)
			if taken || r.n >= minNear || source.file == anyFile {
				last = r
			}
			if next > i { // go on where the hash knows nothing of the run
				i, h = next, 0
			}
			if taken {
				list, end = append(list, r), r.at+r.n
				r, err = x.goesOn(p, list)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// least is how long a run must be to be worth a copy.
func (x *runIndex) least(r, last *storedRun, source reach) int {
	shift := r.off - int64(r.at) - (last.off - int64(last.at))
	switch {
	case follows(r, last) && r.n >= minNear:
		return minNear
	case r.file == last.file && max(shift, -shift) < inStep:
		return minInStep
	case source.file == anyFile:
		return minSolid
	case source.has(r.file, r.off):
		return minNear
	}
	return minRun
}

// isEqual reports that all bytes of p are the same.
func isEqual(p []byte) bool { return len(p) == 0 || bytes.Equal(p[1:], p[:len(p)-1]) }

// goesOn is the longest run after the last one that goes on where one of those
// before it ended, as in what is woven of several rows, or that is as far from it as
// it is from the one before it, as in every second of several rows.
func (x *runIndex) goesOn(p []byte, list []storedRun) (best storedRun, err error) {
	last := &list[len(list)-1]
	try := func(file int, off int64) error {
		r, e := x.around(p, last.at+last.n, last.at+last.n, file, off)
		if r.n > best.n && r.n >= minNear {
			best = r
		}
		return e
	}
	for k := len(list) - 2; k >= 0 && k >= len(list)-rows && err == nil; k-- {
		if r := &list[k]; k == len(list)-2 && follows(last, r) {
			err = try(last.file, 2*last.off-r.off)
		}
		if err == nil {
			err = try(list[k].file, list[k].end())
		}
	}
	return best, err
}

// follows reports that a run is as long as the one that is before it.
func follows(r, before *storedRun) bool {
	return r.n == before.n && r.file == before.file && r.at == before.at+before.n
}

// longest is the longest run known around p[i], after floor: that which goes on
// in step with the last one, or the indexed one.
func (x *runIndex) longest(p []byte, i, floor int, h uint64, last storedRun) (r storedRun, err error) {
	if last.file >= 0 {
		if r, err = x.around(p, i, floor, last.file, last.off+int64(i-last.at)); err != nil {
			return r, err
		}
	}
	if r.n < minRun {
		if file, off, ok := x.find(h); ok {
			return x.around(p, i, floor, file, off)
		}
	}
	return r, nil
}

// around is the run around p[i] that is around a place of an old file.
func (x *runIndex) around(p []byte, i, floor, file int, off int64) (storedRun, error) {
	l := &x.files[file]
	r := storedRun{at: i, file: file, off: off}
	if off < 0 || off > l.Size {
		return r, nil
	}
	for step := 256; ; step = 64 << 10 { // forwards
		k := int(min(int64(step), int64(len(p)-i-r.n), l.Size-off-int64(r.n)))
		if k <= 0 {
			break
		}
		b, err := l.ReadStored(off+int64(r.n), int64(k))
		if err != nil {
			return r, err
		}
		same := delta.CommonPrefix(p[i+r.n:], b)
		if r.n += same; same < k {
			break
		}
	}
	for step := 256; ; step = 64 << 10 { // backwards
		k := int(min(int64(step), int64(r.at-floor), r.off))
		if k <= 0 {
			break
		}
		b, err := l.ReadStored(r.off-int64(k), int64(k))
		if err != nil {
			return r, err
		}
		same := commonSuffix(p[r.at-k:r.at], b)
		r.at, r.off, r.n = r.at-same, r.off-int64(same), r.n+same
		if same < k {
			break
		}
	}
	return r, nil
}

func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[len(a)-1-i] != b[len(b)-1-i] {
			return i
		}
	}
	return n
}
