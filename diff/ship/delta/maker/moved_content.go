package maker

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"pakdb/codecs/compress"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
)

// chunkPlace is where a chunk is in the old build.
type chunkPlace struct {
	entry int32
	at    int64 // in the entry's content
}

// chunkIndex finds old content by its chunks. What it decodes for that depends on
// what it is asked for: first the entries that the new build has not as they are,
// the others when it knows little of a content. Where that is much, it has the
// front of every block, and all of an entry once some of that was found, or where
// the new entry is called nearly so.
type chunkIndex struct {
	places map[uint32]chunkPlace // the first of each
	old    *inside.Build
	copied func(*inside.Entry) bool // the new build has it as it is
	paired map[int32]bool           // with new entries
	kinds  int                      // of entries, that are indexed: 1 those that are not copied, 2 all
	parts  map[int32]bool           // entries of which only fronts of blocks are
	names  []namedEntry             // sorted; nil until they are needed
	buf    []byte
	all    bool // nothing is sampled
}

// namedEntry is an old entry under the last part of its path.
type namedEntry struct {
	base string
	id   int32
}

const (
	// maxSampled is how much content of each kind is decoded, but for entries that no
	// new one is paired with: moved content comes from these.
	maxSampled   = 192 << 20
	maxIndexed   = 2 << 30
	minSampled   = 4 << 10  // of a block
	blockSampled = 64 << 10 // where nothing is compressed, that is a block
)

func newChunkIndex(old *inside.Build, copied func(*inside.Entry) bool, p *pairing, all bool) *chunkIndex {
	x := &chunkIndex{all: all, places: map[uint32]chunkPlace{}, old: old, copied: copied, paired: map[int32]bool{}, parts: map[int32]bool{}}
	for _, id := range p.entries {
		x.paired[id] = true
	}
	return x
}

// more indexes the next kind of entries.
func (x *chunkIndex) more(ctx context.Context) error {
	second := x.kinds == 1
	x.kinds++
	total, list := int64(1), []int32(nil)
	for i := range x.old.Entries {
		e := &x.old.Entries[i]
		if x.copied(e) == second {
			list = append(list, int32(i))
			if second || x.paired[int32(i)] {
				total += x.old.SizeOf(e)
			}
		}
	}
	share, left := min(1, maxSampled/float64(total)), int64(maxIndexed)
	for _, id := range list {
		part := share
		if x.all || !second && !x.paired[id] {
			part = 1
		}
		n, err := x.add(ctx, id, part)
		if left -= n; err != nil || left < 0 {
			return err
		}
	}
	return nil
}

// add indexes a share of each block of an entry, from its front on, and returns
// how much that was.
func (x *chunkIndex) add(ctx context.Context, id int32, share float64) (total int64, err error) {
	if delete(x.parts, id); share < 1 {
		x.parts[id] = true
	}
	e := &x.old.Entries[id]
	l := &x.old.Files[e.File]
	part, start, at := x.buf[:0], int64(0), int64(0) // where part is, and what comes next, in the content
	flush := func() {
		chunks(part, func(k, n int, hash uint32) {
			if _, there := x.places[hash]; !there && n >= minChunk {
				x.places[hash] = chunkPlace{id, start + int64(k)}
			}
		})
		total += int64(len(part))
		x.buf, part, start = part, part[:0], at
	}
	extents := l.Extents[e.First : e.First+e.Count]
	for i := range extents {
		for k, done := &extents[i], int64(0); done < k.Size; {
			if err := ctx.Err(); err != nil {
				return total, err
			}
			var n int64
			if part, n, err = x.read(part, l, k, done, share); err != nil {
				return total, err
			}
			if done, at = done+n, at+n; share < 1 || len(part) >= inside.MaxPart {
				flush()
			}
		}
	}
	flush()
	return total, nil
}

// read appends what is after done bytes of an extent's content, or a share of
// it, and returns of how much that is.
func (x *chunkIndex) read(part []byte, l *inside.Layout, k *inside.Extent, done int64, share float64) ([]byte, int64, error) {
	if k.Method == compress.None {
		n := min(k.Size-done, inside.MaxPart)
		if share < 1 {
			n = min(n, blockSampled)
		}
		p, err := l.Read(k.Off+done, shareOf(n, share))
		return append(part, p...), n, err
	}
	stored, err := l.Read(k.Off, k.Coded)
	if err != nil {
		return part, 0, err
	}
	n := len(part)
	part = slices.Grow(part, int(k.Size))[:n+int(k.Size)]
	if want := shareOf(k.Size, share); want < k.Size {
		return part[:n+compress.DecodeFront(k.Method, part[n:], stored, int(want))], k.Size, nil
	}
	if k.Sound = true; compress.Decode(k.Method, part[n:], stored) != nil {
		k.Opaque()
		part = append(part[:n], stored...)
	}
	return part, k.Size, nil
}

func shareOf(n int64, share float64) int64 {
	return min(n, max(minSampled, int64(share*float64(n))))
}

// elsewhere is a run of content that is in another old entry.
type elsewhere struct {
	entry    int32
	from, to int64 // in its content
	n        int64 // of this content that it has
}

const (
	minMoved    = 8 << 10 // of content that another entry must have, unless there is none to start from
	maxElse     = 8       // runs that are taken into a source
	maxElseSize = 8 << 20 // of each
)

// find returns where content is that is not in a window of the old entry own,
// the most first. known, which may be nil, are chunks that are not asked for.
func (x *chunkIndex) find(ctx context.Context, content []byte, own window, known map[uint32]bool) ([]elsewhere, error) {
	least := int64(minMoved)
	if own.entry < 0 {
		least = minChunk
	}
	for {
		runs, unknown := x.look(content, own, known)
		wider, err := x.widen(ctx, runs, own, least/4, unknown >= minMoved && unknown > len(content)/2)
		if err != nil {
			return nil, err
		}
		if !wider {
			runs = slices.DeleteFunc(runs, func(r elsewhere) bool { return r.n < least })
			return runs[:min(len(runs), maxElse)], nil
		}
	}
}

// look is find in the index, with all runs, and returns how much of the
// content is in no chunk that is known.
func (x *chunkIndex) look(content []byte, own window, known map[uint32]bool) (runs []elsewhere, unknown int) {
	byEntry := map[int32]int{}
	chunks(content, func(_, n int, hash uint32) {
		p, ok := x.places[hash]
		if !ok && !known[hash] {
			unknown += n
		}
		if !ok || known[hash] || p.entry == own.entry && p.at >= own.from && p.at < own.to {
			return
		}
		if i, seen := byEntry[p.entry]; seen {
			r := &runs[i]
			if from, to := min(r.from, p.at), max(r.to, p.at+int64(n)); to-from <= maxElseSize {
				r.from, r.to, r.n = from, to, r.n+int64(n)
				return
			}
		}
		byEntry[p.entry] = len(runs)
		runs = append(runs, elsewhere{p.entry, p.at, p.at + int64(n), int64(n)})
	})
	slices.SortStableFunc(runs, func(a, b elsewhere) int { return cmp.Compare(b.n, a.n) })
	return runs, unknown
}

// widen indexes more where that may help: the next kind of entries if little is
// known, and the rest of those that have something or are called alike. It reports
// whether it did.
func (x *chunkIndex) widen(ctx context.Context, runs []elsewhere, own window, least int64, little bool) (wider bool, err error) {
	if x.kinds == 0 || little && x.kinds == 1 {
		return true, x.more(ctx)
	}
	var list []int32
	for _, r := range runs[:min(len(runs), maxElse)] {
		if r.n >= least {
			list = append(list, r.entry)
		}
	}
	if own.entry < 0 && little {
		list = append(list, x.alike(own.name)...)
	}
	for _, id := range list {
		if x.parts[id] {
			if _, err := x.add(ctx, id, 1); err != nil {
				return false, err
			}
			wider = true
		}
	}
	return wider, nil
}

// maxAlike is how many old entries on either side of a name are like it.
const maxAlike = 3

// alike returns old entries of the same extension whose last names are next to
// that of a new one.
func (x *chunkIndex) alike(name string) (list []int32) {
	compare := func(a, b namedEntry) int { return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.id, b.id)) }
	if x.names == nil && len(x.old.Entries) > 0 {
		for i := range x.old.Entries {
			x.names = append(x.names, namedEntry{lastName(x.old.Entries[i].Name), int32(i)})
		}
		slices.SortFunc(x.names, compare)
	}
	at, _ := slices.BinarySearchFunc(x.names, namedEntry{lastName(name), -1}, compare)
	for i := max(0, at-maxAlike); i < min(len(x.names), at+maxAlike); i++ {
		if path.Ext(x.names[i].base) == path.Ext(name) {
			list = append(list, x.names[i].id)
		}
	}
	return list
}

// lastName is the last part of an entry's path.
func lastName(name string) string { return path.Base(name[strings.IndexByte(name, 0)+1:]) }

// window is a part of an old entry's content.
type window struct {
	entry    int32  // -1: none
	name     string // of the new entry that it is for
	from, to int64
}

// move explains extent k, with what is before it, by an old one that differs
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

// goesOn reports that extent k follows the one before it as extent j of an
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

// moveHead codes what is before extent k by what is before the old entry.
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

// hasMoved reports that the head of a piece is at off, but for what it says
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
