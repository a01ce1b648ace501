package program

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
)

// side is one side of a segment. The operands of every operation are described once,
// by functions that take a side (operands.go, prediction.go): a writer writes the
// values that it is given, a reader ignores them and reads. Both return the operand,
// so that an Emitter and a Machine cannot disagree.
//
// A reader refuses what is out of bounds, and returns 0 from then on; err has its
// first error. A writer has no bounds: the proof of a patch executes what was written.
type side interface {
	word(in int, v uint64) uint64              // any number
	number(in int, v, most int64) int64        // 0 to most
	place(in int, v, base, most int64) int64   // 0 to most, as the distance from base
	skip(q *Queue, i int) int                  // a thing that is left in a queue, which is not empty
	content(from, n, guess int64) (next int64) // n bytes of the content at hand, at most delta.MaxContent
	key(k int) int                             // number in the header of a key that is given, or 0
	spend(n int64)                             // counts the work of reading what follows
	text() []byte                              // the content at hand, once it is coded
	fail(err error)                            // refuses the segment, unless the error is nil
	err() error
}

// corrupt says why a patch is refused.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", delta.ErrCorrupt, fmt.Sprintf(format, args...))
}

// writer is the side of an Emitter.
type writer struct {
	enc      *coder.Encoder
	bytes    []byte // the content at hand
	keys     *delta.KeyList
	index    *coder.Index
	tail     int64 // size of what index is over
	contents int64 // bytes of contents in the segment
}

func (w *writer) word(in int, v uint64) uint64 {
	w.enc.Number(in, v)
	return v
}

func (w *writer) number(in int, v, _ int64) int64 {
	w.enc.Number(in, uint64(v))
	return v
}

func (w *writer) place(in int, v, base, _ int64) int64 {
	w.enc.Number(in, zigzag(v-base))
	return v
}

func (w *writer) skip(q *Queue, i int) int {
	w.enc.Number(inSkip, zigzag(q.Skip(i)))
	return i
}

func (w *writer) content(from, n, guess int64) int64 {
	w.contents += n
	w.enc.Content(w.bytes[from:from+n], w.index, guess, w.tail)
	return w.enc.Next()
}

func (w *writer) key(k int) int { return w.keys.Number(k) }

func (w *writer) text() []byte { return w.bytes }
func (*writer) spend(int64)    {}
func (*writer) fail(error)     {}
func (*writer) err() error     { return nil }

// reader is the side of a Machine.
type reader struct {
	dec    coder.Decoder
	src    coder.Old
	work   *work
	bytes  []byte // the content that was read
	failed error
}

func (r *reader) reset(stream []byte, w *work) {
	r.dec.Reset(stream)
	r.work, r.failed = w, nil
}

func (r *reader) word(in int, _ uint64) uint64 {
	if r.failed != nil {
		return 0
	}
	return r.dec.Number(in)
}

func (r *reader) number(in int, _, most int64) int64 {
	v := r.word(in, 0)
	if most < 0 || v > uint64(most) { // below 0: there is nothing to choose from
		r.fail(corrupt("number %d in context %d, at most %d", v, in, most))
		return 0
	}
	return int64(v)
}

func (r *reader) place(in int, _, base, most int64) int64 {
	v := base + unzigzag(r.word(in, 0))
	if v < 0 || v > most {
		r.fail(corrupt("place %d in context %d, at most %d", v, in, most))
		return 0
	}
	return v
}

func (r *reader) skip(q *Queue, _ int) int { return q.at(unzigzag(r.word(inSkip, 0))) }

func (r *reader) content(from, n, guess int64) int64 {
	if r.failed != nil {
		return guess
	}
	part, err := r.dec.Content(int(n), r.src, guess, r.src.Size())
	if errors.Is(err, coder.ErrCorrupt) { // else the old file could not be read
		err = fmt.Errorf("%w: %w", delta.ErrCorrupt, err)
	}
	r.failed = err
	r.bytes = append(r.bytes[:from], part...)
	return r.dec.Next()
}

func (*reader) key(k int) int { return k }

func (r *reader) spend(n int64) {
	if r.failed == nil {
		r.failed = r.work.spend(n)
	}
}

func (r *reader) text() []byte { return r.bytes }

func (r *reader) fail(err error) {
	if r.failed == nil {
		r.failed = err
	}
}

// err returns the first error: also when more was read than the segment has.
func (r *reader) err() error {
	if r.failed == nil {
		if err := r.dec.Err(); err != nil {
			r.failed = fmt.Errorf("%w: %w", delta.ErrCorrupt, err)
		}
	}
	return r.failed
}

// Queue is a row of things that are mostly taken one after the other, each once.
// A place in it is coded as how many of those that are left lie between it and
// the one that follows what was taken last: 0 while the order stays, and of n
// things that were shuffled log2(n!) bits in all.
type Queue struct {
	tree []int32 // sums of what is left, as Fenwick has them
	left int
	Next int // after what was taken last
	n    int
}

// NewQueue returns the row of n things, none of them taken.
func NewQueue(n int) *Queue {
	q := &Queue{tree: make([]int32, n+1), left: n, n: n}
	for i := 1; i <= n; i++ {
		q.tree[i] = int32(i & -i)
	}
	return q
}

// before is how many of those before i are left.
func (q *Queue) before(i int) (k int) {
	for ; i > 0; i &= i - 1 {
		k += int(q.tree[i])
	}
	return k
}

// has reports that i is left.
func (q *Queue) has(i int) bool { return q.before(i+1) > q.before(i) }

// Skip is the number that means i, which must be left.
func (q *Queue) Skip(i int) int64 {
	d := q.before(i) - q.before(q.Next)
	switch {
	case d > q.left/2:
		d -= q.left
	case d < -q.left/2:
		d += q.left
	}
	return int64(d)
}

// at is the inverse of skip. Any number leads somewhere while something is left.
func (q *Queue) at(skip int64) int {
	k := (int64(q.before(q.Next)) + skip%int64(q.left)) % int64(q.left)
	if k < 0 {
		k += int64(q.left)
	}
	// The place of the k-th: the largest i with before(i) <= k.
	i, step := 0, 1
	for step*2 <= q.n {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if i+step <= q.n && int64(q.tree[i+step]) <= k {
			i += step
			k -= int64(q.tree[i])
		}
	}
	return i
}

// Take takes n things from i on, whether they are left or not.
func (q *Queue) Take(i, n int) {
	q.Next = i + n
	for k := i; k < i+n; k++ {
		if !q.has(k) {
			continue
		}
		q.left--
		for j := k + 1; j <= q.n; j += j & -j {
			q.tree[j]--
		}
	}
}

// Copied says that bytes of an old file are in a new one, or, where they only
// guided how these were coded, something like them.
type Copied struct {
	File       int // of the old ones
	To         int // of the new ones
	Off, N, At int64
	Like       bool
}

// moves are where places of one old file went in one new file.
type moves struct{ exact, like []Copied }

func newMoves(copies []Copied, file, to int) *moves {
	m := &moves{}
	for _, c := range copies {
		switch {
		case c.File != file || c.To != to:
		case c.Like:
			m.like = append(m.like, c)
		default:
			m.exact = append(m.exact, c)
		}
	}
	for _, list := range [][]Copied{m.exact, m.like} {
		slices.SortStableFunc(list, func(a, b Copied) int { return cmp.Compare(a.Off, b.Off) })
	}
	return m
}

// place returns where an offset went: by what was copied, else by what is like
// it; -1 when it is nowhere.
func (m *moves) place(off int64) int64 {
	if at := placed(m.exact, off); at >= 0 {
		return at
	}
	return placed(m.like, off)
}

// placed looks at the first of those that begin there, else at the last that
// begins before.
func placed(list []Copied, off int64) int64 {
	i, exact := slices.BinarySearchFunc(list, off, func(c Copied, off int64) int { return cmp.Compare(c.Off, off) })
	if !exact {
		i--
	}
	if i < 0 || off-list[i].Off >= list[i].N {
		return -1
	}
	return list[i].At + off - list[i].Off
}

// A patch of a few bytes could have the same block decoded again for every byte,
// or megabytes of zeros coded again for nothing. What may be decoded and coded
// again is bounded by the sizes that the header declares. Real archives have 2 to
// 10 bytes of content for a stored one; the floor is for small ones that have
// more.
//
// A stream of the coder says the same thing again for next to nothing, so that what
// does little counts as well: a kilobyte of a patch could have a hundred million
// operations.
const (
	workRatio = 64
	workFloor = 1 << 30
	fileWork  = 64      // that a file counts for beside its bytes: it takes operations, however small
	opCost    = 1 << 10 // of an operation, and of a block that is coded again
	itemCost  = 32      // of a range, a piece of tables, or a step of a prediction
)

// work counts bytes of content that are decoded from old blocks, or coded again,
// and what else a patch asks for. The zero value has no bound.
type work struct {
	done  int64
	limit int64
}

// WorkFor is what applying a patch may take.
func WorkFor(h *delta.Header) work {
	sum := uint64(0)
	for _, files := range [][]delta.File{h.Old, h.New} {
		for _, f := range files {
			sum = min(sum+uint64(f.Size)+fileWork, math.MaxInt64/(2*workRatio))
		}
	}
	return work{limit: int64(workRatio*sum) + workFloor}
}

// spend is called before n bytes are decoded, or coded again, or what costs as much
// is done.
func (w *work) spend(n int64) error {
	if w.done += n; w.limit > 0 && w.done > w.limit {
		return fmt.Errorf("%w: more than %d bytes would be decoded and coded again, or as much be done", delta.ErrCorrupt, w.limit)
	}
	return nil
}
