package coder

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	window    = 16         // bytes that a hash of far places covers
	maxSlots  = 1 << 23    // of the table of far places: 32 MiB
	nearLimit = 16<<20 - 1 // contents up to here are indexed by 4 bytes as well
	seenWidth = 18         // bits by which what was seen is found
	hashPrime = 0x9e3779b97f4a7c15
)

// Index finds bytes in one old content. It takes up to 4 bytes of memory a byte
// of a small content, 12 where the greatest effort is made (24 up to 4 MiB), and 32 MiB for a very
// large one. It is not safe for concurrent use: what it has is computed when it
// is asked for.
type Index struct {
	old    []byte
	far    []uint32 // by the hash of a window: its position + 1; 0 is none
	shift  int
	stride int
	near   near // of small contents
	isNear bool // near is filled
}

// NewIndex prepares old, which it keeps and which must not change. Of what lies
// beyond 4 GiB only the places that stay in step are found.
func NewIndex(old []byte) *Index {
	x := new(Index)
	x.Reset(old)
	return x
}

// Reset is [NewIndex] in the memory that x has.
func (x *Index) Reset(old []byte) {
	x.old, x.stride, x.isNear = old, 1, false
	for x.stride < 4 && len(old) > 1<<15*x.stride || len(old)/x.stride > maxSlots {
		x.stride *= 2
	}
	x.far = x.far[:0]
	if len(old) >= window {
		x.indexFar()
	}
}

// indexNear makes places of 4 bytes findable, and reports false where the content is too
// large for that, or has none.
func (x *Index) indexNear() bool {
	if !x.isNear && len(x.old) >= 4 && len(x.old) <= nearLimit {
		x.isNear = true
		x.near.reset(x.old)
	}
	return x.isNear
}

func (x *Index) indexFar() {
	width := min(bits.Len(uint(len(x.old)/x.stride)), bits.Len(uint(maxSlots-1)))
	x.far, x.shift = zeros(x.far, 1<<width), 64-width
	last := min(len(x.old)-window, 1<<32-2)
	for i := 0; i <= last; i += x.stride {
		// The first of equal windows stays: a run of zeros fills one slot, and
		// what is at the front of a content is the more likely origin.
		if h := hash(x.old[i:]) >> x.shift; x.far[h] == 0 {
			x.far[h] = uint32(i) + 1
		}
	}
}

// zeros returns n zeros, in the memory of s if it is large enough.
func zeros(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// hash4 needs 4 bytes of p. Its upper bits are the better ones.
func hash4(p []byte) uint32 { return binary.LittleEndian.Uint32(p) * 2654435761 }

// hash needs 16 bytes of p.
func hash(p []byte) uint64 {
	a, b := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])
	a *= hashPrime
	return (a ^ a>>32 ^ b) * hashPrime
}

// findFar returns where in the old content the window at the front of p may
// are, and -1 when nothing is known.
func (x *Index) findFar(p []byte) int {
	if len(p) < window || len(x.far) == 0 {
		return -1
	}
	return int(x.far[hash(p)>>x.shift]) - 1
}

// chains link positions whose next 4 bytes have the same hash, the last first.
// Entries have 24 bits of the position + 1 and, below these, 8 more bits of the
// hash: most places that have other bytes are known as such without a look at
// them. 0 is none.
type chains struct {
	heads []uint32 // by hash
	links []uint32 // by position, modulo their number: the one before it
	shift int
}

const (
	tagBits   = 8
	placeMask = 1<<(32-tagBits) - 1
)

// reset makes room for the last so many positions, found by so many bits.
func (c *chains) reset(width, places int) {
	c.heads, c.shift = zeros(c.heads, 1<<width), 32-width
	if cap(c.links) < places {
		c.links = make([]uint32, places)
	}
	c.links = c.links[:places] // none of what they say is reached from heads
}

// add needs 4 bytes of p, which are at position at.
func (c *chains) add(p []byte, at int) {
	h := hash4(p)
	head := &c.heads[h>>c.shift]
	c.links[at%len(c.links)] = *head
	*head = entry(h, at)
}

func entry(hash uint32, at int) uint32 { return uint32(at+1)<<tagBits | hash>>2&(1<<tagBits-1) }

// first returns the entry that was added last with the hash of the 4 bytes of p,
// and what all entries of these bytes end in.
func (c *chains) first(p []byte) (e, tag uint32) {
	if len(p) < 4 {
		return 0, 0
	}
	h := hash4(p)
	return c.heads[h>>c.shift], h >> 2 & (1<<tagBits - 1)
}

// common is the length of the common prefix.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	k := 0
	for ; k+8 <= n; k += 8 {
		if x := binary.LittleEndian.Uint64(a[k:]) ^ binary.LittleEndian.Uint64(b[k:]); x != 0 {
			return k + bits.TrailingZeros64(x)/8
		}
	}
	for k < n && a[k] == b[k] {
		k++
	}
	return k
}

// longer is the length of the common prefix if it exceeds n, and else anything
// up to n.
func longer(a, b []byte, n int) int {
	if len(a) <= n || len(b) <= n || a[n] != b[n] {
		return 0
	}
	return common(a, b)
}

// finder finds bytes in what was seen: by chains of 4 bytes, and for the greatest
// effort by a tree too.
type finder struct {
	chains chains
	ready  bool // chains are, for the stream at hand
	added  int  // position up to which chains know the history
	deep   bool // the tree is used
	tree   tree
	grown  int // position up to which the tree does
	met    []meeting
}

func (f *finder) reset() {
	f.ready, f.tree.planted = false, false
	f.added, f.grown = 0, 0
}

// begin makes room for positions before end. Most streams are short, or have numbers alone.
func (f *finder) begin(end int) {
	if !f.ready {
		f.ready = true
		f.chains.heads, f.chains.shift = zeros(f.chains.heads, 1<<seenWidth), 32-seenWidth
	}
	f.chains.links = seenRoom(f.chains.links, end)
	if f.deep {
		f.tree.plant(end)
	}
}

// seenRoom returns s with room for positions before end, modulo its length: a power of two, at
// most maxWindow. Of old links none is reached from heads but those written since.
func seenRoom[T any](s []T, end int) []T {
	if n := min(maxWindow, 1<<bits.Len(uint(end))); n > len(s) {
		return append(s, make([]T, n-len(s))...)
	}
	return s
}

// learn makes the bytes before a position findable. Of a long match only so many at
// its ends are learned: what else is in it can be found where the match found it.
func (f *finder) learn(h *history, end, ends int) {
	if k := end - ends; k > f.added+ends {
		f.learnTo(h, f.added+ends)
		f.added = k
	}
	f.learnTo(h, end)
}

//go:norace
func (f *finder) learnTo(h *history, end int) {
	for ; f.added < end && f.added+4 <= h.end(); f.added++ {
		if k := f.added - h.start; k >= 0 {
			f.chains.add(h.buf[k:], f.added)
			if f.deep && f.added >= f.grown {
				f.meet(h, f.added)
			}
		}
	}
}

// meet adds a position, which the tree does not have yet, and returns the places with
// the same bytes, longer and longer ones. It is valid until the next call.
func (f *finder) meet(h *history, at int) []meeting {
	f.met = f.tree.add(h, at, f.met[:0])
	return f.met
}

// meetNext is meet for the position that comes next, which is then known.
func (f *finder) meetNext(h *history, at int) []meeting {
	f.grown = at + 1
	return f.meet(h, at)
}

// has reports that the history has the bytes at a position before that too.
func (f *finder) has(h *history, at int) bool {
	here := h.buf[at-h.start:]
	first, _ := f.chains.first(here)
	if first == 0 {
		return false
	}
	q := at - 1 - (at-int(first>>tagBits))&placeMask
	return q >= h.start && common(here, h.buf[q-h.start:]) >= window
}

// text is the content at hand with all that references lead to: the old content, and
// what was seen before.
type text struct {
	history
	new []byte
	at  int // its position in the history
	old *Index
}

// begin goes on with a content.
func (t *text) begin(new []byte, old *Index) {
	t.new, t.at = t.grow(len(new))
	t.old = old
	copy(t.new, new)
}

// place is that of a literal at pos, where a way there leaves that trail.
func (t *text) place(way *trail, pos int) place {
	x := place{align: uint32(pos % posStates), behind: behindMatch(way.state), run: way.run, before: t.before(t.at + pos)}
	t.expect(x.expected[:], way.refs[0], pos)
	return x
}

func (t *text) site(pos int) site {
	return site{pos: pos, align: pos % posStates, before: byte(t.before(t.at + pos))}
}

// expect fills in what a reference has from one byte before pos on.
func (t *text) expect(p []byte, r ref, pos int) {
	if !r.old {
		t.seen(p, r, t.at+pos)
		return
	}
	for i := range p {
		if k := int64(pos+i) + r.shift - 1; uint64(k) < uint64(len(t.old.old)) {
			p[i] = t.old.old[k]
		}
	}
}

// matchLen is how many bytes from pos on a reference gives.
func (t *text) matchLen(r ref, pos int) int {
	if r.old {
		p := int64(pos) + r.shift
		if uint64(p) >= uint64(len(t.old.old)) {
			return 0
		}
		return common(t.new[pos:], t.old.old[p:])
	}
	p := t.at + pos + int(r.shift) - t.start
	if p < 0 || r.shift >= 0 || r.shift < -maxWindow {
		return 0
	}
	return common(t.new[pos:], t.buf[p:])
}

// margins returns the old content of the bytes from pos to end, and margins around it: zeros where
// there is none. It may be in room.
func (t *text) margins(room *[]byte, pos, end int, shift int64) []byte {
	old := t.old.old
	from, n := int64(pos)+shift-marginBefore, end-pos+marginBefore+marginAfter
	if from >= 0 && from <= int64(len(old)-n) {
		return old[from:][:n]
	}
	p := slices.Grow((*room)[:0], n)[:n]
	clear(p)
	*room = p
	if to := min(from+int64(n), int64(len(old))); to > 0 && from < to {
		copy(p[max(-from, 0):], old[max(from, 0):to])
	}
	return p
}

// skipped is how many bytes may differ where a reference is taken for one that goes on.
const skipped = 4

// resumes reports that a reference to the old content has the bytes after the
// next few: nothing better need be looked for. Runs of one byte, which are
// everywhere, do not count.
func (t *text) resumes(r ref, pos int) bool {
	p := int64(pos) + r.shift + skipped
	if !r.old || p < skipped || p+8 > int64(len(t.old.old)) || pos+skipped+8 > len(t.new) {
		return false
	}
	v := binary.LittleEndian.Uint64(t.new[pos+skipped:])
	return v == binary.LittleEndian.Uint64(t.old.old[p:]) && v != bits.RotateLeft64(v, 8)
}
